"""Voices that take all the memory or time there is, or crash what runs them: refused with a sentence, wherever they come in."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from app.cli.main import main
from app.common.files import paths
from app.install import sandboxed_import
from app.install.staging_folders import find_staging_dir
from app.voices.bert_models import list_installed_berts
from tests.adapters.sandbox.test_sandbox_process import holds
from tests.voices.prepare.bert.deberta_files import write_published

from .greedy_voices import crashes, greedy

ROOT = Path(__file__).parent.parent.parent
SAYS = {
    "memory": "This voice uses more memory than any voice should need (4.3 GB).",
    "time": "This voice takes longer to check than any voice should",
    "crash": "Checking this voice crashed the checker.",
}


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little time, so that the test is soon over; a tiny voice is being checked after a second of it."""
    monkeypatch.setitem(sandboxed_import.LIMITS_BY_SUBJECT, "voice", (sandboxed_import.LIMITS_BY_SUBJECT["voice"][0], 3))


def _nothing_left() -> bool:
    home = paths.find_data_dir()
    staged = [item for item in find_staging_dir().iterdir() if item.name != ".moving"] if find_staging_dir().is_dir() else []
    return not staged and not any(any((home / place).glob("*/")) for place in ("voices", "cache/prepared"))


@holds
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("harm", ["memory", "time", pytest.param("crash", marks=crashes)])
def test_it_is_not_added(harm: str, reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = greedy(reference, tmp_path / "voice", harm)
    assert main(["voices", "add", str(source), "--json"]) == 3
    *progress, error = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["step"] for line in progress} >= {"reading", "cutting", "checking"}
    assert error["error"]["message"].startswith(SAYS[harm])
    assert error["error"]["family"] == "voice"
    assert error["error"]["hint"]
    assert _nothing_left()


@holds
@pytest.mark.parametrize("harm", ["memory", pytest.param("crash", marks=[crashes, pytest.mark.slow])])  # the tests above crash, too
def test_it_is_not_spoken_with(harm: str, reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither as a file nor as a folder that says of itself that it was prepared."""
    source = greedy(reference, tmp_path / "voice", harm)
    spoken = ["speak", "あ", "--force-bert", "--accept-licence", "-o", str(tmp_path / "a.wav"), "--voice"]
    assert main([*spoken, str(source)]) == 3
    assert SAYS[harm] in capsys.readouterr().err
    prepared = tmp_path / "prepared"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", prepared)
    for item in prepared.glob("*.onnx"):
        item.unlink()
    shutil.copyfile(source, prepared / "whole.onnx")
    manifest = json.loads((prepared / "voice.json").read_text(encoding="utf-8"))
    manifest |= {"graphs": {"whole": "whole.onnx"}, "fast": None, "id": "greedy"}
    (prepared / "voice.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert main([*spoken, str(prepared)]) == 3
    assert SAYS[harm] in capsys.readouterr().err
    assert _nothing_left()
    assert not (tmp_path / "a.wav").exists()


@holds
def test_it_is_not_spoken_with_where_nothing_can_be_kept(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = greedy(reference, tmp_path / "voice", "memory")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "cache").write_text("no folder")
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "home"))
    assert main(["speak", "あ", "--force-bert", "-o", str(tmp_path / "a.wav"), "--voice", str(source)]) == 3
    assert SAYS["memory"] in capsys.readouterr().err


@holds
def test_it_is_not_checked(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    source = greedy(reference, tmp_path / "voice", "memory")
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    assert main(["voices", "check", str(source), "--expected", str(reference / "jp-extra-tiny-2spk" / "expected.npz")]) == 3
    assert SAYS["memory"] in capsys.readouterr().err
    assert not any((tmp_path / "scratch").iterdir())


@holds
def test_a_bert_keeps_to_limits_too(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_published(tmp_path / "bert", hidden=1024, heads=4, inner=128, layers=8)  # 3 s of processor time
    monkeypatch.setitem(sandboxed_import.LIMITS_BY_SUBJECT, "bert", (sandboxed_import.LIMITS_BY_SUBJECT["bert"][0], 1))
    monkeypatch.setattr(sandboxed_import, "measure_core_slowdown", lambda: 1.0)
    assert main(["bert", "add", str(source)]) == 3
    assert "This BERT takes longer to check than any BERT should" in capsys.readouterr().err
    assert list_installed_berts([paths.find_data_dir() / "bert"]) == []
    assert _nothing_left()


@pytest.mark.parametrize("name", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow), "SIGKILL"])
def test_ending_the_command_ends_the_graph(name: str, reference: Path, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("ends with signals")
    ends = signal.Signals[name]
    source = greedy(reference, tmp_path / "voice", "time")
    command = [sys.executable, str(ROOT / "main.py"), "voices", "add", str(source), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        next(line for line in process.stdout if json.loads(line)["step"] == "checking")
        (child,) = psutil.Process(process.pid).children()
        process.send_signal(ends)
        process.stdout.read()
        complaint = process.stderr.read()
    assert process.returncode == (-ends if ends is signal.SIGKILL else 130)
    assert complaint == b""
    child.wait(10)
    assert ends is signal.SIGKILL or _nothing_left()


def test_ctrl_c_reaches_all_of_them_and_is_answered_once(reference: Path, tmp_path: Path) -> None:
    """A terminal sends it to the whole group; the child leaves it to its parent."""
    if sys.platform == "win32":
        pytest.skip("groups of processes are Unix's")
    source = greedy(reference, tmp_path / "voice", "time")
    command = [sys.executable, str(ROOT / "main.py"), "voices", "add", str(source), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        next(line for line in process.stdout if json.loads(line)["step"] == "checking")
        os.killpg(process.pid, signal.SIGINT)
        assert b"error" not in process.stdout.read()
        assert process.stderr.read() == b""
    assert process.returncode == 130
    assert _nothing_left()
