"""`koebako serve` finishes voices and BERTs while nothing is heard, in programs that end with it, and speaks with the result from the next request on."""

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from app.adapters import speech_activity
from app.adapters.speech_activity import record_speech
from app.common.files import paths
from app.common.processes import launch
from app.core.sound.voice_traits import ARCHITECTURES, SBV2_ARCHITECTURE
from app.engine.open_voices import OpeningRequest, OpenVoices
from app.install.voice_import import add_voice
from app.service.voice_refiner import VoiceRefiner
from app.voices.bert_models import write_bert
from app.voices.pending_refinement import is_refinement_pending, mark_refinement_pending
from app.voices.prepared_voice import Voice, read_manifest, write_manifest
from tests.install.voice_files import aivmx, quick, wishes
from tests.ui.stories.test_fast import CHILD
from tests.voices.both_precisions import quick_pending

POLL_S = 0.02
LONGEST_WAIT_S = 60.0
ROOT = Path(__file__).parents[2]
ENDLESS = "import sys, time; print(sys.argv, flush=True); time.sleep(600)"
SERVE = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from app.cli import main
from app.common.files import paths
from app.common.processes import launch
from app.service import voice_refiner
voice_refiner.IDLE_AFTER_S = voice_refiner.VoiceRefiner.__init__.__defaults__ = (0.05,)
launch.build_cli_command = lambda: [sys.executable, "-c", sys.argv[1]]
sys.exit(main.main(["serve", "--port", "0"]))
"""
FINISH_BERT = """
import sys; from pathlib import Path
(Path({folder!r}) / "pending.json").unlink(); sys.exit(sys.argv[1:] != {arguments!r})
"""
RENEW_VOICE = """
import json, sys; from pathlib import Path
file = Path({folder!r}) / "voice.json"
file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | {{"recipe": 2}}), encoding="utf-8")
sys.exit(sys.argv[1:] != {arguments!r})
"""
Start = Callable[..., VoiceRefiner]


@pytest.fixture
def pending(tiny_models: Path, tmp_path: Path) -> list[Voice]:
    """Two installed voices that are still to be refined."""
    names = (("a", "花子", "0faf9f49-fb67-595a-a405-82fb5a94a620"), ("b", "太郎", "0faf9f49-fb67-595a-a405-82fb5a94a621"))
    files = [aivmx(tiny_models, tmp_path / f"{file}.aivmx", name=name, uuid=uuid) for file, name, uuid in names]
    return [add_voice(file, wishes(), prepare=quick_pending).voice for file in files]


@pytest.fixture(autouse=True)
def _nothing_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program that has just begun: another test may have recorded speech, in another home, a moment ago."""
    monkeypatch.setattr(speech_activity, "_last_touch", -speech_activity.TOUCH_INTERVAL_S)


@pytest.fixture
def refined() -> list[str]:
    return []


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, refined: list[str]) -> Iterator[Start]:
    """Starts a refiner whose programs are these, and ends it."""
    begun: list[VoiceRefiner] = []

    def start(*command: str) -> VoiceRefiner:
        monkeypatch.setattr(launch, "build_cli_command", lambda: [sys.executable, *(command or (str(CHILD),))])
        begun.append(VoiceRefiner(refined.append, POLL_S))
        return begun[-1]

    yield start
    for refiner in begun:
        refiner.close()
    assert not [item for item in psutil.Process().children() if item.status() != psutil.STATUS_ZOMBIE]


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + LONGEST_WAIT_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_refines_one_voice_after_the_other_once_nothing_is_heard(start: Start, pending: list[Voice], refined: list[str]) -> None:
    record_speech()
    start()
    time.sleep(10 * POLL_S)
    assert not psutil.Process().children(), "somebody listens"
    stamp = speech_activity.find_stamp()
    stamp.unlink()
    until(lambda: len(refined) == len(pending))
    assert sorted(refined) == sorted(voice.manifest.id for voice in pending)
    for voice in pending:
        assert not is_refinement_pending(voice.path)
        assert read_manifest(voice.path).fast is not None


def test_a_program_that_fails_is_not_started_again(start: Start, pending: list[Voice], refined: list[str]) -> None:
    refiner = start("-c", "import sys; sys.exit(5)")
    until(lambda: len(refiner.failed) == len(pending))
    time.sleep(5 * POLL_S)
    assert refined == []
    assert all(is_refinement_pending(voice.path) for voice in pending)


def test_a_bert_is_refined_without_a_pending_voice_and_its_voices_change(
    start: Start, tiny_models: Path, tmp_path: Path, refined: list[str]
) -> None:
    bert = Path(shutil.copytree(tiny_models / "deberta-tiny", paths.find_data_dir() / "bert" / "mine"))
    write_bert(bert, {"id": "mine", "name": "mine", "files": {"float32": "model.onnx"}})
    mark_refinement_pending(bert)
    uses, other = (
        add_voice(aivmx(tiny_models, tmp_path / f"{uuid[-1]}.aivmx", name=uuid[-1], uuid=uuid), wishes(), prepare=quick).voice
        for uuid in ("0faf9f49-fb67-595a-a405-82fb5a94a622", "0faf9f49-fb67-595a-a405-82fb5a94a623")
    )
    write_manifest(replace(uses.manifest, bert="mine"), uses.path)
    start("-c", FINISH_BERT.format(folder=str(bert), arguments=["bert", "add", "--wait", "--json", "--", "mine"]))
    until(lambda: refined)
    assert refined == [uses.manifest.id]
    assert not is_refinement_pending(bert)
    assert other.manifest.bert != "mine"


def test_a_voice_of_an_older_recipe_is_prepared_again(
    start: Start, tiny_models: Path, tmp_path: Path, refined: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = add_voice(aivmx(tiny_models, tmp_path / "a.aivmx"), wishes(), prepare=quick).voice
    monkeypatch.setitem(ARCHITECTURES, "sbv2", replace(SBV2_ARCHITECTURE, recipe=2))
    name = voice.manifest.id
    start("-c", RENEW_VOICE.format(folder=str(voice.path), arguments=["voices", "renew", "--outdated", "--json", "--", name]))
    until(lambda: refined)
    assert refined == [name]
    assert read_manifest(voice.path).recipe == 2


def test_one_that_cannot_be_prepared_again_is_not_tried_again(
    start: Start, tiny_models: Path, tmp_path: Path, refined: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = add_voice(aivmx(tiny_models, tmp_path / "a.aivmx"), wishes(), prepare=quick).voice
    monkeypatch.setitem(ARCHITECTURES, "sbv2", replace(SBV2_ARCHITECTURE, recipe=2))
    refiner = start("-c", "import sys; sys.exit(5)")
    until(lambda: refiner.failed)
    assert refiner.find_next_work() is None
    assert refined == []
    assert read_manifest(voice.path).recipe == 1


def test_its_program_ends_with_it(start: Start, pending: list[Voice], refined: list[str]) -> None:
    refiner = start("-c", ENDLESS)
    until(lambda: psutil.Process().children())
    (program,) = psutil.Process().children()
    refiner.close()
    assert not program.is_running()
    assert refined == []
    assert len([voice for voice in pending if is_refinement_pending(voice.path)]) == len(pending)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM cannot be sent to one program")
@pytest.mark.usefixtures("pending")
def test_the_program_ends_with_the_service() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVE, str(ROOT), ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as service:
        running = psutil.Process(service.pid)
        until(lambda: [item for item in running.children() if "sleep(600)" in " ".join(item.cmdline())])
        (program,) = [item for item in running.children() if "sleep(600)" in " ".join(item.cmdline())]
        service.terminate()
        service.communicate(timeout=LONGEST_WAIT_S)
    assert service.returncode == 130
    psutil.wait_procs([program], 10)
    assert not program.is_running()


def test_a_voice_that_has_changed_is_reopened_for_its_next_request() -> None:
    opened: list[OpeningRequest] = []

    def open_voice(opening: OpeningRequest) -> Any:
        opened.append(opening)
        pipeline = SimpleNamespace(caches=SimpleNamespace(stored=None))
        return SimpleNamespace(name=f"{opening.voice}{len(opened)}", pipeline=pipeline, failures=None, fallback=None, models={})

    voices = OpenVoices(open_voice)
    first, second = voices.open_speaker("a"), voices.open_speaker("b")
    voices.mark_stale("a")
    voices.mark_stale("c")
    assert voices.is_open("a")
    assert [voices.open_speaker(name).name for name in "baa"] == ["b2", "a3", "a3"]  # type: ignore[attr-defined]
    assert [(opening.voice, opening.newest_first) for opening in opened] == [("a", ()), ("b", (first,)), ("a", (second, first))]
    assert opened[-1].caches is first.pipeline.caches or opened[-1].caches is second.pipeline.caches, "it takes over what it had"
