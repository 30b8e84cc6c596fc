"""What is not installed may be a stranger's: parts of the lab open it in a child, which they end when they end."""

import json
import shutil
import signal
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app.cli.commands.lab.lab_parts import LAB_PARTS
from app.cli.main import main
from app.common.files import paths
from app.lab import graph_sandbox
from app.lab.lab_subject import LabSubject, dump_subject, load_subject
from app.lab.report_rows import Row
from tests.adapters.sandbox.test_sandbox_process import holds
from tests.install.greedy_voices import crashes, greedy
from tests.lab.tiny import tiny_bert_of

ROOT = Path(__file__).parents[2]


def unproved(folder: Path) -> Path:
    """The voice that we ship, as a folder from anywhere: it says of itself that it was prepared."""
    return Path(shutil.copytree(paths.find_resources_dir() / "voices" / "mei", folder))


def harmful(tiny_models: Path, folder: Path, harm: str) -> Path:
    source = greedy(tiny_models, folder / "source", harm)
    voice = unproved(folder / "voice")
    manifest = json.loads((voice / "voice.json").read_text(encoding="utf-8"))
    shutil.copyfile(source, voice / "whole.onnx")
    (voice / "voice.json").write_text(json.dumps(manifest | {"graphs": {"whole": "whole.onnx"}, "fast": None, "id": "greedy"}))
    return voice


@pytest.mark.parametrize("part", LAB_PARTS)
def test_nothing_of_a_stranger_is_opened_here(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts look into graphs that nobody has proved, in stricter children of their own."""
    done: list[str] = []

    def here(_subject: LabSubject, _options: Namespace, _report: object) -> Iterator[Row]:
        done.append("here")
        yield from ()

    def there(*_arguments: object) -> Iterator[Row]:
        done.append("there")
        yield from ()

    monkeypatch.setattr(LAB_PARTS[part], "find_rows", here)
    monkeypatch.setattr(graph_sandbox, "run_command_in_sandbox", there)
    for source in ([], ["koebako-starter-v1"], [str(unproved(tmp_path / "voice"))]):
        main(["lab", part, *source, "--json"])
    assert done == ["here", "here", "here" if part in ("inspect", "expect") else "there"]
    if part == "optimise":
        main(["lab", part, "koebako-starter-v1", "--base", str(tmp_path), "--json"])
        assert done[-1] == "there", "the smaller model is a stranger's, too"
    if part == "profile":
        for bert, where in (("koebako-starter-v1", "here"), (str(tmp_path), "there")):
            main(["lab", part, "--bert", bert, "--json"])
            assert done[-1] == where, "a BERT in a folder may be a stranger's, too"


def test_the_child_finds_the_same_and_writes_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--graph", "flow", "--only", "fp16,ort", "--keep", "ort", "-o", str(tmp_path / "kept"), "--json", "--progress"]
    options += ["--turns", "1", "--warmup", "0", "--seconds", "0"]
    assert main(["lab", "optimise", str(unproved(tmp_path / "voice")), *options]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    rows = [line for line in lines if line["type"] == "optimise"]
    assert [(row["graph"], row["candidate"]) for row in rows] == [("flow", "prepared"), ("flow", "fp16"), ("flow", "ort")]
    assert all(row["snr_db"] > 90 for row in rows if row["candidate"] != "fp16")
    assert sorted(path.suffix for path in (tmp_path / "kept").iterdir()) == [".config", ".ort"]
    assert len({line["percent"] for line in lines if line["type"] == "progress"}) > 1


def test_a_subject_survives_the_way_into_the_child(tiny_models: Path, tmp_path: Path) -> None:
    bert = tiny_bert_of(tiny_models, tmp_path)
    content = bert.source["bert"].read_bytes()  # type: ignore[union-attr]
    found = load_subject(
        json.loads(json.dumps(dump_subject(LabSubject(bert.name, {"bert": content}, {}, None, bert.bert, "why"), tmp_path)))
    )
    assert (found.name, found.reason, found.bert, found.prepared) == (bert.name, "why", bert.bert, bert.prepared)
    assert found.source["bert"].read_bytes() == content  # type: ignore[union-attr]


@holds
@pytest.mark.parametrize(
    ("harm", "says"), [("memory", "more memory than"), pytest.param("crash", "crash", marks=[crashes, pytest.mark.slow])]
)
def test_a_graph_that_does_harm_ends_the_child_alone(
    harm: str, says: str, tiny_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", "verify", str(harmful(tiny_models, tmp_path, harm)), "--json"]) == 3
    error = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    assert error["family"] == "voice"
    assert says in error["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="ends with signals")
def test_ending_the_command_ends_the_part(tiny_models: Path, tmp_path: Path) -> None:
    voice = harmful(tiny_models, tmp_path, "time")
    command = [sys.executable, str(ROOT / "main.py"), "lab", "verify", str(voice), "--json", "--progress"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        next(line for line in process.stdout if json.loads(line).get("step") == "checking")
        (child,) = psutil.Process(process.pid).children()
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        complaint = process.stderr.read()
    assert (process.returncode, complaint) == (130, b"")
    child.wait(10)
