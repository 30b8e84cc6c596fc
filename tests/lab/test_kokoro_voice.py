"""The lab and the benchmark look into a voice that has no BERT and takes a melody, as into every other voice."""

import json
from functools import partial
from pathlib import Path

import pytest

from app.bench.repeated_runs import Repeats
from app.cli.main import main
from app.common.files import paths
from app.lab.check import subject_checks
from tests.lab.conftest import Lab
from tests.tiny_models.kokoro_voice import VOICE_ID, make_kokoro_voice

GRAPHS = {"prosody", "flow", "decoder"}


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path) -> None:
    make_kokoro_voice(paths.find_data_dir() / "voices" / VOICE_ID)
    assert main(["speak", "雨", "--voice", VOICE_ID, "--accept-licence", "-o", str(tmp_path / "licence.wav")]) == 0


def test_it_is_inspected_and_every_graph_is_counted(lab: Lab) -> None:
    rows = lab("inspect", VOICE_ID)
    assert {row["graph"] for row in rows if "graph" in row} >= GRAPHS
    assert not [row for row in rows if row["type"] == "note"]


def test_it_is_profiled_with_the_stages_that_it_has(lab: Lab) -> None:
    rows = lab("profile", VOICE_ID, "--warmup", "0", "--runs", "1", "--seconds", "0", "--text", "はい。")
    stages = {row["stage"] for row in rows if row["type"] == "profile" and row["scope"] == "stage"}
    assert {"prosody", "flow", "decode"} <= stages
    assert not stages & {"tokenize", "bert", "expand"}


@pytest.mark.slow
def test_its_times_are_expected(lab: Lab) -> None:
    rows = lab("expect", VOICE_ID, "--runs", "1", "--warmup", "0", "--seconds", "0")
    assert {row["part"] for row in rows if row["type"] == "expect"} >= GRAPHS
    assert not [row for row in rows if row["type"] == "note"]


def test_it_is_placed_verified_and_compared(lab: Lab) -> None:
    assert {row["graph"] for row in lab("place", VOICE_ID) if "graph" in row} >= GRAPHS
    assert lab("verify", VOICE_ID)
    assert lab("compare", VOICE_ID, "--warmup", "0", "--runs", "1", "--seconds", "0")


def test_its_checks_pass(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(subject_checks, "Repeats", partial(Repeats, runs=1, warmup=0, seconds=0.0))
    assert main(["lab", "check", VOICE_ID, "--budget-ms", "20000", "--json"]) == 0, capsys.readouterr().out
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()][1:]
    assert {row["check"] for row in rows} == {"placement", "parity", "shapes", "latency"}


def test_it_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--voice", VOICE_ID, "--runs", "1", "--json"]) == 0
    *rows, summary = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert summary["precision"] == ""
    assert {row["stage"] for row in rows if "stage" in row} >= {"prosody", "flow", "decode", "first_audio"}
