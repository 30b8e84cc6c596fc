"""A voice speaks after the first step and is refined later: the two give what one step gave, and no end of either leaves half a voice."""

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from app.common.errors import OutputFileError, VoiceError
from app.common.progress import Report, ignore_report
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import SynthesisRequest
from app.install import refinement_runs
from app.install.manage_voices import export_voice, remove_voice, rename_voice
from app.install.refinement_runs import abandon_refinement, refine_installed
from app.install.refinement_work import list_pending_voices
from app.install.sandboxed_import import check_refinement_files
from app.install.staging_folders import find_staging_dir
from app.install.voice_identity import list_prepared_files
from app.install.voice_import import add_voice, find_user_voices_dir
from app.install.voice_preparation import compute_refinement, prepare_voice
from app.voices.file_fact_cache import sum_file_sizes
from app.voices.installed_voices import list_installed_voices
from app.voices.pending_refinement import (
    PENDING_FILES,
    PENDING_NAME,
    SOURCE_GRAPH_NAME,
    is_refinement_pending,
    mark_refinement_pending,
    read_pending_refinement,
)
from app.voices.prepared_voice import PreparationResult, Voice, VoiceManifest, map_int8_files, read_manifest, read_prepared_voice
from app.voices.voice_card_data import read_card
from tests.brief_preparation import accept_all_int8, calibrate_briefly, time_nothing, verify_briefly
from tests.disk_faults import FaultyDisk
from tests.voices.both_precisions import quick_refined

from .voice_files import aivmx, tree, wishes

ROOT = Path(__file__).parents[2]
SOURCES = ("jp-extra-tiny-2spk/model.aivmx", "jp-extra-tiny-2spk/model.safetensors")
MOST_TELLING = (SOURCES[0], pytest.param(SOURCES[1], marks=pytest.mark.slow))  # weights are not compared with a graph that they came from
IsPaused = Callable[[], bool]
Refined = tuple[VoiceManifest, float | None]
# The sandbox's child has the lowest priority, with which it would take minutes beside the tests of the other processes.
PROGRAM = """
import sys
from app.adapters.sandbox.sandbox_process import SandboxProcess
from app.start import main
SandboxProcess._lower_priority = lambda _process: None
sys.exit(main())
"""
KILLED_ANYWHERE = """
import sys
from pathlib import Path
from tests.install.test_pending_voices import kill_at_every_write
print(kill_at_every_write(Path(sys.argv[1])))
"""


@pytest.fixture
def _lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of no voice, which need not bear 8 bits well, and which take no time that could be compared; a few words are enough."""
    calibrate_briefly(monkeypatch)
    verify_briefly(monkeypatch)
    accept_all_int8(monkeypatch)
    time_nothing(monkeypatch)


def prepare_quickly(source: Path, folder: Path, report: Report) -> PreparationResult:
    return prepare_voice(source, folder, report, is_quick=True)


def compute(folder: Path, results: Path, report: Report = ignore_report, *, is_paused: IsPaused) -> Refined:
    """As in the sandbox, without one."""
    assert not is_paused()
    difference = compute_refinement(folder, results, report)
    return check_refinement_files(results), difference


refine = partial(refine_installed, is_paused=lambda: False, refine=quick_refined)


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A source after the first step, and what that told."""

    folder: Path
    prepared: PreparationResult


@pytest.fixture(scope="module")
def take_first_step(tiny_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], FirstStep]:
    """What the first step makes of a source, which is the same for every test."""

    @cache
    def take_first_step(name: str) -> FirstStep:
        folder = tmp_path_factory.mktemp("声")
        return FirstStep(folder, prepare_voice(tiny_models / name, folder, is_quick=True))

    return take_first_step


@pytest.fixture
def add(tiny_models: Path, take_first_step: Callable[[str], FirstStep]) -> Callable[[str], Voice]:
    """Installs a voice that is still to be refined."""

    def add(name: str = SOURCES[0]) -> Voice:
        first = take_first_step(name)

        def copy(_source: Path, folder: Path, _report: Report) -> PreparationResult:
            shutil.copytree(first.folder, folder, dirs_exist_ok=True)
            found = read_pending_refinement(folder)
            assert found is not None
            mark_refinement_pending(folder, found.baked_scales)
            return first.prepared

        return add_voice(tiny_models / name, wishes(), prepare=copy).voice

    return add


@pytest.fixture
def pending(add: Callable[[str], Voice]) -> Voice:
    return add(SOURCES[0])


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def speaks(folder: Path) -> bool:
    speaker = open_speaker(str(folder), "cpu", force_bert=True)
    samples = [chunk.samples for chunk in speaker.pipeline.synthesize(SynthesisRequest(id="1", text="はい。", speaker=0, style=0))]
    return bool(np.abs(np.concatenate(samples)).max() > 0)


def nothing_staged() -> bool:
    return [name for name in tree(find_staging_dir()) if not name.startswith(".")] == []


# ---------------------------------------------------------------------------------------------------- the two steps


@pytest.mark.usefixtures("_lenient")
@pytest.mark.parametrize("name", MOST_TELLING)
def test_both_steps_give_the_same_bits_as_one(tiny_models: Path, tmp_path: Path, add: Callable[[str], Voice], name: str) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    prepared = prepare_voice(tiny_models / name, whole)
    voice = add(name)
    folder = voice.path
    assert voice.manifest.fast is None
    assert voice.manifest.refused == {}
    assert is_refinement_pending(folder)
    assert (folder / SOURCE_GRAPH_NAME).is_file() == name.endswith("aivmx")
    assert speaks(folder)
    assert refine_installed(voice, is_paused=lambda: False, refine=compute) == "refined"
    made, wanted = contents(folder), contents(whole)
    assert {path: data for path, data in made.items() if path in wanted and path != "voice.json"} == {
        path: data for path, data in wanted.items() if path != "voice.json"
    }
    assert not PENDING_FILES & made.keys()
    manifest = read_manifest(folder)
    assert manifest.fast is not None
    assert (manifest.fast, manifest.refused) == (prepared.manifest.fast, prepared.manifest.refused)
    assert all((folder / file).is_file() for file in map_int8_files(manifest).values())
    card = read_card(folder)
    assert card.max_abs_diff == prepared.max_abs_diff
    assert card.prepared_bytes == sum_file_sizes(list_prepared_files(folder, card))
    assert card.notes == ()
    assert list_pending_voices() == []
    assert nothing_staged()


def test_a_single_graph_leaves_nothing_for_later(tiny_models: Path, tmp_path: Path) -> None:
    import onnx
    from onnx import helper

    source = tmp_path / "source"
    shutil.copytree(tiny_models / "jp-extra-tiny-2spk", source)
    model = onnx.load(str(source / "model.onnx"))
    model.graph.node.append(helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"))
    onnx.save(model, str(source / "model.onnx"))
    added = add_voice(source / "model.onnx", wishes(), prepare=prepare_quickly)
    assert added.voice.manifest.is_single_graph
    assert not is_refinement_pending(added.voice.path)


def test_the_first_step_leaves_only_what_the_second_needs(pending: Voice, tmp_path: Path) -> None:
    """None of it leaves the computer with the voice."""
    found = read_pending_refinement(pending.path)
    assert found is not None
    assert found.source == pending.path / SOURCE_GRAPH_NAME
    export_voice(pending.manifest.id, tmp_path / "out")
    assert not PENDING_FILES & {path.name for path in (tmp_path / "out").iterdir()}
    assert [voice.manifest.id for voice in list_pending_voices()] == [pending.manifest.id]


def test_a_mark_that_cannot_be_read_marks_nothing_to_do(pending: Voice) -> None:
    for content in (b"", b"[]", b"{", b'{"token": 1}', b'{"token": "a", "baked_scales": {"x": "y"}}', b'{"token": "a", "baked_scales": 3}'):
        (pending.path / PENDING_NAME).write_bytes(content)
        assert read_pending_refinement(pending.path) is None
        assert refine(pending) == "replaced"


# ---------------------------------------------------------------------------------------------------- what goes wrong


def test_what_fails_leaves_the_voice_as_it_is_and_says_so_on_its_card(pending: Voice) -> None:
    before = contents(pending.path)

    def fail(*_given: object, **_options: object) -> Refined:
        raise VoiceError("“A” differs by 0.3", "hint")

    assert refine_installed(pending, is_paused=lambda: False, refine=fail) == "failed"
    after = contents(pending.path)
    assert {name for name in before if before[name] != after.get(name)} == {"card.json", *PENDING_FILES & before.keys()}
    assert len(read_card(pending.path).notes) == 1
    assert "can be used" in read_card(pending.path).notes[0]
    assert speaks(pending.path)
    assert refine(pending) == "replaced", "it is not tried again"
    assert nothing_staged()


@pytest.mark.parametrize("outcome", ["made", "failed"])
def test_a_voice_that_was_replaced_or_removed_meanwhile_keeps_nothing_of_it(
    add: Callable[[str], Voice], pending: Voice, outcome: str
) -> None:
    def remove() -> None:
        remove_voice(pending.manifest.id)

    def exchange() -> None:
        remove()
        add(SOURCES[0])

    for change in (exchange, remove):

        def meanwhile(folder: Path, results: Path, report: Report = ignore_report, *, is_paused: IsPaused) -> Refined:
            made = quick_refined(folder, results, report, is_paused=is_paused)
            change()  # noqa: B023  # called within the turn
            if outcome == "failed":
                raise VoiceError("it does not speak", "hint")
            return made

        assert refine_installed(pending, is_paused=lambda: False, refine=meanwhile) == "replaced"
        if change is exchange:
            assert is_refinement_pending(pending.path)
            assert read_manifest(pending.path).fast is None
            assert read_card(pending.path).notes == ()
        else:
            assert not pending.path.exists()
    assert nothing_staged()


def test_a_voice_that_was_renamed_meanwhile_keeps_its_name(pending: Voice) -> None:
    def meanwhile(folder: Path, results: Path, report: Report = ignore_report, *, is_paused: IsPaused) -> Refined:
        made = quick_refined(folder, results, report, is_paused=is_paused)
        rename_voice(pending.manifest.id, "華子")
        return made

    assert refine_installed(pending, is_paused=lambda: False, refine=meanwhile) == "refined"
    manifest = read_manifest(pending.path)
    assert manifest.name == "華子"
    assert manifest.fast is not None


def test_an_abandoned_voice_stays_as_it_is_for_good(pending: Voice) -> None:
    before = contents(pending.path)
    abandon_refinement(pending.path, "voice")
    assert contents(pending.path) == {name: data for name, data in before.items() if name not in PENDING_FILES}
    assert refine(pending) == "replaced"
    assert list_pending_voices() == []
    abandon_refinement(pending.path, "voice")  # of one that is not pending


@pytest.mark.parametrize("fault", ["full", "once"])
def test_a_disk_that_fails_leaves_a_voice_that_speaks_and_is_refined_later(add: Callable[[str], Voice], fault: str) -> None:
    counting = FaultyDisk("full")
    voice = add(SOURCES[1])
    kept = voice.path.parent.parent / "kept"
    shutil.copytree(voice.path, kept)
    with counting.inserted():
        assert refine(voice) == "refined"
    assert counting.asked > 5
    for moment in range(1, counting.asked + 1):
        shutil.rmtree(voice.path)
        shutil.copytree(kept, voice.path)
        with FaultyDisk(fault, moment).inserted(), contextlib.suppress(OutputFileError):  # type: ignore[arg-type]
            refine(voice)
        read_prepared_voice(voice.path)
        manifest = read_manifest(voice.path)
        assert all((voice.path / file).is_file() for file in map_int8_files(manifest).values())
        assert is_refinement_pending(voice.path) or manifest.fast is not None
        refine(voice)
        assert read_manifest(voice.path).fast is not None
        assert not PENDING_FILES & {path.name for path in voice.path.iterdir()}


# ---------------------------------------------------------------------------------------------------- several programs


def test_two_at_once_refine_a_voice_once(pending: Voice) -> None:
    made: list[Path] = []
    began, may_end = threading.Event(), threading.Event()

    def slow(folder: Path, results: Path, report: Report = ignore_report, *, is_paused: IsPaused) -> Refined:
        made.append(results)
        began.set()
        assert may_end.wait(30)
        return quick_refined(folder, results, report, is_paused=is_paused)

    outcomes: list[str] = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(refine_installed(pending, is_paused=lambda: False, refine=slow))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    assert began.wait(30)
    time.sleep(2 * refinement_runs.LOCK_POLL_S)  # the other one asks
    may_end.set()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refined", "replaced"]
    assert len(made) == 1


def start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, "voices", "add", "--json", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def read_messages(process: subprocess.Popen[bytes]) -> list[dict[str, object]]:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output.decode()
    return [json.loads(line) for line in output.splitlines() if line.startswith(b"{")]


@pytest.mark.slow
def test_two_processes_at_once_refine_a_voice_once(pending: Voice) -> None:
    found = [read_messages(process) for process in [start("--wait", "--", pending.manifest.id) for _ in range(2)]]
    outcomes = [message["outcome"] for messages in found for message in messages if message.get("type") == "better" and message["outcome"]]
    # The later one may find that there is nothing to do before it asks for its turn.
    assert outcomes.count("refined") == 1
    assert set(outcomes) <= {"refined", "replaced"}
    assert not is_refinement_pending(pending.path)


def _list_kills(took_s: float, parts: int) -> list[float]:
    """Moments in seconds, one in each part of the time that it takes."""
    chance = random.Random(40)
    return [took_s * (part + chance.random()) / parts for part in range(parts)]


def _check_after_kill() -> None:
    for voice in list_installed_voices([find_user_voices_dir()]):
        assert speaks(voice.path)
        assert all((voice.path / file).is_file() for file in map_int8_files(voice.manifest).values())


@pytest.mark.slow
def test_killed_at_any_moment_of_adding_there_is_a_voice_that_speaks_or_none(tiny_models: Path, tmp_path: Path) -> None:
    """Killed at each step, it is so by default, too: see `tests.install.test_voice_import`."""
    source = aivmx(tiny_models, tmp_path / "a.aivmx")
    began = time.monotonic()
    read_messages(start(source))
    (voice,) = list_installed_voices([find_user_voices_dir()])
    for moment_s in _list_kills(time.monotonic() - began, 10):
        shutil.rmtree(voice.path, ignore_errors=True)
        process = start(source)
        time.sleep(moment_s)
        process.kill()
        process.communicate()
        _check_after_kill()
    read_messages(start(source))
    assert is_refinement_pending(voice.path)
    assert speaks(voice.path)
    assert nothing_staged()


@pytest.mark.slow
def test_killed_at_any_moment_of_refining_the_voice_speaks_and_is_refined_next_time(pending: Voice) -> None:
    """Killed at any write of what it ends with, it is so by default, too: see the next test."""
    kept = find_user_voices_dir().parent / "kept"
    shutil.copytree(pending.path, kept)
    began = time.monotonic()
    read_messages(start("--wait", "--", pending.manifest.id))
    assert not is_refinement_pending(pending.path)
    for moment_s in _list_kills(time.monotonic() - began, 10):
        shutil.rmtree(pending.path)
        shutil.copytree(kept, pending.path)
        process = start("--wait", "--", pending.manifest.id)
        time.sleep(moment_s)
        process.kill()
        process.communicate()
        _check_after_kill()
        if is_refinement_pending(pending.path):
            assert refine(pending) == "refined"
        assert not PENDING_FILES & {path.name for path in pending.path.iterdir()}
    _check_after_kill()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process for each moment would take too long")
def test_killed_at_any_write_of_adopting_the_voice_is_whole(add: Callable[[str], Voice]) -> None:
    voice = add(SOURCES[1])
    done = subprocess.run([sys.executable, "-c", KILLED_ANYWHERE, voice.path], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 5


def kill_at_every_write(folder: Path) -> int:
    """Return how many moments there were; in a process without threads, as it forks."""
    if sys.platform == "win32":
        raise NotImplementedError("only Unix forks")
    voice, kept = read_prepared_voice(folder), folder.parent.parent / "kept"
    shutil.copytree(folder, kept)
    for moment in range(1, 1000):
        shutil.rmtree(folder)
        shutil.copytree(kept, folder)
        if (child := os.fork()) == 0:
            with FaultyDisk("killed", moment).inserted():
                refine(voice)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        read_prepared_voice(folder)
        manifest = read_manifest(folder)
        assert all((folder / file).is_file() for file in map_int8_files(manifest).values())
        assert is_refinement_pending(folder) or manifest.fast is not None
        refine(voice)
        assert read_manifest(folder).fast is not None
        assert not PENDING_FILES & {path.name for path in folder.iterdir()}
        if os.waitstatus_to_exitcode(status) == 0:
            return moment
    raise AssertionError("it never came to its end")
