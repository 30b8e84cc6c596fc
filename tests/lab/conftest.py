"""What the tests of the lab share."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.main import main
from app.lab.lab_subject import LabSubject
from tests.lab.tiny import tiny_bert_of, tiny_voice

Rows = list[dict[str, object]]
Lab = Callable[..., Rows]


@pytest.fixture
def lab(capsys: pytest.CaptureFixture[str]) -> Lab:
    """Runs a part of `koebako lab` and gives its rows, without that of the machine."""

    def run(*arguments: str) -> Rows:
        assert main(["lab", *arguments, "--json"]) == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert rows[0]["type"] == "machine"
        return rows[1:]

    return run


@pytest.fixture
def tiny(tiny_models: Path, tmp_path: Path, _prepared_voices: None) -> LabSubject:
    """A voice of the public architecture beside its source."""
    return tiny_voice(tiny_models, tmp_path)


@pytest.fixture
def tiny_bert(tiny_models: Path, tmp_path: Path) -> LabSubject:
    """A BERT of the public architecture beside its source."""
    return tiny_bert_of(tiny_models, tmp_path)
