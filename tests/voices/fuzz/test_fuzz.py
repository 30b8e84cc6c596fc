"""Thousands of hostile sources, in a process of their own: `KOEBAKO_FUZZ_MINUTES=30 pytest tests/voices/fuzz` tries more."""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="memory is measured and limited as on Unix")

from app.common.errors import VoiceError
from tests.voices.fuzz import campaign
from tests.voices.fuzz.archive_cases import beside
from tests.voices.fuzz.cases import FAMILIES

ROOT = Path(__file__).parents[3]
SECONDS = 60 * float(os.environ.get("KOEBAKO_FUZZ_MINUTES", "0"))
USUAL_TURNS, MANY_TURNS = 3, 30  # of each family; more with the same seed would try the same again in every run
GRAPHS_S = 30.0  # for graphs, a few seconds each
PATIENCE_S = 120  # for the usual cases and the start of Python, on a busy machine


def test_hostile_sources_are_refused_in_one_sentence(tmp_path: Path, at_length: bool, capfd: pytest.CaptureFixture[str]) -> None:
    """Every case opens or is refused; a crash or a standstill is told with the case that was in work."""
    turns = MANY_TURNS if at_length else USUAL_TURNS
    progress = tmp_path / "case"
    seed = os.environ.get("KOEBAKO_FUZZ_SEED", "0")
    fast = "/dev/shm" if Path("/dev/shm").is_dir() else str(tmp_path)  # memory instead of a disk: thousands of small files
    command = [sys.executable, "-W", "error", "-m", "tests.voices.fuzz.campaign", "--seed", seed, "--progress", str(progress)]
    command += ["--seconds", str(SECONDS)] if SECONDS else ["--turns", str(turns)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | {"TMPDIR": fast}, capture_output=True, text=True, timeout=SECONDS + PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.fail(f"stood still at the case {progress.read_text()}")
    assert done.stdout, (
        f"crashed ({done.returncode}) at the case {progress.read_text() if progress.exists() else '-'}: {done.stderr[-2000:]}"
    )
    result = json.loads(done.stdout)
    with capfd.disabled():
        print(f" {result['cases']} hostile sources, {sum(result['opened'].values())} opened, {len(result['families'])} families", end=" ")
    assert result["wrong"] == []
    assert result["families"].keys() >= FAMILIES.keys()


def test_a_case_can_be_made_again(tmp_path: Path) -> None:
    for name, make in FAMILIES.items():
        contents = []
        for run in ("one", "two"):
            folder = tmp_path / run / name
            folder.mkdir(parents=True)
            make(random.Random(f"7 {name}"), folder)
            contents.append({str(item.relative_to(folder)): item.lstat().st_size for item in folder.rglob("*")})
        assert contents[0] == contents[1], name


def _raise(exc: BaseException) -> None:
    raise exc


FAULTS = {
    "a foreign exception": lambda path: _raise(KeyError("x")),
    "a message without a hint": lambda path: _raise(VoiceError("x")),
    "a file beside the source": lambda path: (path.parent / "left").write_text("x"),
    "a file elsewhere": lambda path: (path.parent.parent / "left").write_text("x"),
    "a temporary file": lambda path: Path(tempfile.gettempdir(), "left").write_text("x"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_watch_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    (tmp_path / "home" / "temp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "home" / "temp"))
    make = FAMILIES["blind onnx"]
    monkeypatch.setattr(campaign, "read_voice_source", FAULTS[fault])
    assert campaign.try_case(lambda rng, folder: beside(folder, b"hello"), "0", tmp_path / "home")[1]
    (tmp_path / "home" / "left").unlink(missing_ok=True)
    (tmp_path / "home" / "temp" / "left").unlink(missing_ok=True)
    monkeypatch.undo()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "home" / "temp"))
    assert not campaign.try_case(make, "0", tmp_path / "home")[1]


@pytest.mark.slow
def test_hostile_graphs_are_prepared_or_refused(tmp_path: Path, tiny_models: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """ONNX Runtime may crash on them, in its own process; nothing else may happen."""
    command = [sys.executable, "-m", "tests.voices.fuzz.prepared_cases", "--seconds", str(2 * SECONDS or GRAPHS_S)]
    command += ["--source", str(tiny_models / "jp-extra-tiny" / "model.onnx")]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False)
    result = json.loads(done.stdout)
    with capfd.disabled():
        print(f" {result['cases']} hostile graphs: {result['outcomes']}", end=" ")
    assert done.returncode == 0, result["notes"]
