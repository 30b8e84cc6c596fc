"""Devices that are not proven yet: one that kills the program, one that computes noise, one with little memory; and what is remembered of them."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from app.adapters.ort.devices import device_sessions, failed_devices
from app.adapters.ort.devices.failed_devices import NOTE_PATTERN, DeviceCrashJournal
from app.adapters.ort.session_errors import is_driver_crash
from app.cli.main import main
from app.common.errors import BackendError
from app.common.files.whole_files import write_json
from app.compose import device_opening
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import SynthesisRequest
from tests.faulty_device import FaultyDevice, raising
from tests.tiny_models.kokoro_voice import make_kokoro_voice

TEXT = "雨、橋を渡る。風を、見ました。"
REQUEST = SynthesisRequest(TEXT, seed=3)
NEVER = 10**6
CRASHED = "the program crashed while using it"


def speak(when: str, target: Path, backend: str = "cuda") -> subprocess.CompletedProcess[str]:
    """A program of its own, with a device that is faulty in this way."""
    script = Path(__file__).with_name("dying_device.py")
    words = [sys.executable, str(script), when, "speak", TEXT, "--backend", backend, "--seed", "3", "-o", str(target)]
    return subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=120)


def notes() -> Sequence[Path]:
    return sorted(device_opening.open_device_journal()._folder.glob(NOTE_PATTERN))


def heard(backend: str = "cuda") -> tuple[np.ndarray, Speaker]:
    speaker = open_speaker(None, backend)
    return np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(REQUEST) if not chunk.silence]), speaker


def noise(results: list[np.ndarray]) -> list[np.ndarray]:
    return [np.asarray(np.random.default_rng(0).standard_normal(item.shape), item.dtype) for item in results]


class NoisyDevice(FaultyDevice):
    """Computes finite numbers that mean nothing, in every run from one on."""

    @property
    def at(self) -> int:
        return len(self.runs)

    @at.setter
    def at(self, _value: int) -> None:
        pass


@pytest.mark.parametrize("when", ["opening", pytest.param("1", marks=pytest.mark.slow), pytest.param("3", marks=pytest.mark.slow)])
def test_a_device_that_kills_the_program_is_not_opened_at_the_next_start(when: str, tmp_path: Path, at_length: bool) -> None:
    died = speak(when, tmp_path / "first.wav")
    assert died.returncode not in (0, 70)
    assert not (tmp_path / "first.wav").exists()
    for _ in range(2 if at_length else 1):  # until the user tries it again
        again = speak(when, tmp_path / "second.wav")
        assert again.returncode == 0
        assert f"CUDA is not available; running on the CPU: {CRASHED}" in again.stderr
        assert "koebako backends --probe --retry" in again.stderr
    main(["speak", TEXT, "--backend", "cpu", "--seed", "3", "-o", str(tmp_path / "cpu.wav")])
    assert (tmp_path / "second.wav").read_bytes() == (tmp_path / "cpu.wav").read_bytes()
    device_opening.open_device_journal().forget_device("cuda")
    assert CRASHED not in speak("never", tmp_path / "third.wav").stderr


def test_a_program_that_is_killed_while_nothing_runs_on_the_device_tells_nothing(tmp_path: Path) -> None:
    assert speak("idle", tmp_path / "killed.wav").returncode not in (0, 70)
    assert not notes()
    assert "CUDA" not in speak("never", tmp_path / "good.wav").stderr


def test_our_own_ending_is_no_crash(tmp_path: Path) -> None:
    code = f"""
import sys, threading
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from app.adapters.ort.devices.failed_devices import DeviceCrashJournal
record, began = DeviceCrashJournal(Path({str(tmp_path)!r})), threading.Event()
def hang():
    with record.write_risk_note("cuda"):
        began.set()
        threading.Event().wait()
threading.Thread(target=hang, daemon=True).start()
began.wait()
print(len(list(Path({str(tmp_path)!r}).glob("note-*"))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "1")  # there while it hung
    assert DeviceCrashJournal(tmp_path).describe_refusal("cuda") is None


@pytest.mark.parametrize(
    ("process", "started", "counts"),
    [
        (lambda: os.getpid(), lambda: psutil.Process().create_time(), False),
        (lambda: os.getpid(), lambda: psutil.Process().create_time() - 3600.0, True),  # another program has its number now
        (lambda: 2**22 + 1, lambda: 1.0, True),
        (lambda: "x", lambda: None, False),
    ],
)
def test_only_a_note_of_a_dead_process_counts(process: Any, started: Any, counts: bool, tmp_path: Path) -> None:
    record = DeviceCrashJournal(tmp_path)
    write_json(tmp_path / "note-1.json", {"device": record._compute_device_key("cuda"), "process": process(), "started": started()})
    assert (record.describe_refusal("cuda") is not None) == counts
    assert record.describe_refusal("directml") is None
    (tmp_path / "note-1.json").write_text("{", encoding="utf-8")
    assert record.describe_refusal("cuda") is None


def test_the_note_lies_there_while_something_runs_and_not_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    class Watched(FaultyDevice):
        def open(self, model: Any, place: str, name: str, store: Any = None) -> device_sessions.OpenedSession:
            if place != "cpu":
                seen.append(len(notes()))
            return super().open(model, place, name, store)

    def look(results: list[np.ndarray]) -> list[np.ndarray]:
        seen.append(len(notes()))
        return results

    device = Watched(look, 1)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    heard()
    assert seen == [1, 1, 1, 1, 1]
    assert not notes()
    seen.clear()
    device.at = len(device.runs) + 1
    _, speaker = heard()  # all is proven: nothing is written, and nothing compared
    assert seen == [0, 0, 0, 0, 0]
    assert speaker.fallback is None
    assert [place for _, place in device.opened[-4:]] == ["cuda"] * 4


def test_a_device_that_computes_noise_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = heard("cpu")
    device = NoisyDevice(noise, 1)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    samples, speaker = heard()
    assert np.abs(samples - expected).max() < 1e-6
    assert "its results differ from the CPU's (bert" in str(speaker.fallback)
    assert len(device.runs) == 1
    device.opened.clear()
    samples, speaker = heard()  # known from now on, without opening anything there
    assert {place for _, place in device.opened} == {"cpu"}
    assert "its results differ from the CPU's (bert)" in str(speaker.fallback)
    monkeypatch.setattr(failed_devices, "collect_device_facts", lambda place: [place, "a new driver"])
    device_opening.open_device_journal()._keys.clear()
    assert set(open_speaker(None, "cuda").backends.values()) == {"cuda"}


def test_a_run_that_is_twice_as_large_is_compared_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    longer = SynthesisRequest(TEXT.replace("。", "、") * 3, seed=3)
    expected = np.concatenate([chunk.samples for chunk in open_speaker(None, "cpu").pipeline.synthesize(longer) if not chunk.silence])
    device = FaultyDevice(noise, NEVER)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    _, speaker = heard()
    assert speaker.fallback is None
    device.at = len(device.runs) + 1
    samples = np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(longer) if not chunk.silence])
    assert np.abs(samples - expected).max() < 1e-6
    assert "its results differ from the CPU's (bert" in str(speaker.fallback)


@pytest.mark.parametrize(("operator", "stays"), [("Sin", False), ("Atan", True), ("DynamicQuantizeLinear", True)])
def test_a_graph_that_makes_rounding_large_stays_on_the_cpu(
    operator: str, stays: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnx

    folder = make_kokoro_voice(tmp_path / "voice")
    model = onnx.load(folder / "decoder.onnx")
    model.graph.node.add(op_type=operator, input=[model.graph.input[0].name], output=["a", "b", "c"][: 3 if "Linear" in operator else 1])
    onnx.save(model, folder / "decoder.onnx")
    device = FaultyDevice(lambda results: results, NEVER)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    monkeypatch.setattr(device_opening, "explain_unusable", lambda _place: None)
    speaker = open_speaker(str(folder), "webgpu", graph_precision="exact")
    assert speaker.backends["flow"] == "webgpu"
    assert (speaker.backends["decode"] == "cpu") == stays
    assert not speaker.has_failed
    assert ("it makes rounding errors large" in str(speaker.fallback)) == stays


def test_a_trial_judges_by_itself_and_leaves_no_note(monkeypatch: pytest.MonkeyPatch) -> None:
    device = NoisyDevice(noise, 1)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda", is_probe=True)
    for _ in speaker.pipeline.synthesize(REQUEST):
        assert not notes()
    assert device_opening.open_device_journal().describe_refusal("cuda") is None


def test_a_device_with_little_memory_takes_the_graphs_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = heard("cpu")
    create, opened = device_sessions.open_with_fixed_dims, []

    def small(model: Any, place: str, name: str, free: Any) -> Any:
        if place != "cpu":
            opened.append(name)
            if len(opened) > 2:
                raise BackendError("CUDA could not start.", "8007000E Not enough memory resources")
        return create(model, "cpu", name, free)

    monkeypatch.setattr(device_sessions, "open_with_fixed_dims", small)
    samples, speaker = heard()
    assert speaker.backends == {"bert": "cuda", "prosody": "cuda", "flow": "cpu", "decode": "cpu"}
    assert "Not enough memory" in str(speaker.fallback)
    assert np.abs(samples - expected).max() < 1e-6
    assert not speaker.is_device_lost


def access_violation() -> OSError:
    """As ctypes shows one to a program of Windows, which lives on."""
    return OSError("exception: access violation reading 0x0000000000000010")


@pytest.mark.parametrize("proven", [False, True])
def test_a_driver_that_crashes_in_a_program_that_lives_is_known_at_the_next_start(proven: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = heard("cpu")
    device = FaultyDevice(raising(access_violation), NEVER)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    if proven:
        heard()
    device.at = len(device.runs) + 2
    samples, speaker = heard()
    assert np.abs(samples - expected).max() < 1e-6
    assert len(device.runs) == device.at
    assert speaker.is_device_lost
    device.opened.clear()
    samples, again = heard()  # as the next start does
    assert {place for _, place in device.opened} == {"cpu"}
    assert "CUDA is not available; running on the CPU: its driver crashed while it was in use." in str(again.fallback)
    assert np.abs(samples - expected).max() < 1e-6
    again.failures.forget_failures()  # "Try again"
    assert set(open_speaker(None, "cuda", failures=again.failures).backends.values()) == {"cuda"}


def test_a_driver_that_crashes_while_a_graph_opens_is_asked_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def crash(_model: Any, _options: Any, target: Any) -> Any:
        asked.append(target.provider)
        raise access_violation()

    monkeypatch.setattr(device_sessions, "list_backends", lambda: ["cpu", "cuda"])
    monkeypatch.setattr(device_sessions, "build_provider_options", lambda _place: {})
    monkeypatch.setattr(device_sessions, "open_for_target", crash)
    samples, speaker = heard()
    assert samples.size
    assert asked == ["CUDAExecutionProvider"]
    assert speaker.is_device_lost
    assert "its driver crashed. (exception: access violation reading" in str(speaker.fallback)
    assert device_opening.open_device_journal().describe_refusal("cuda") is not None


@pytest.mark.parametrize(
    ("error", "crash"),
    [
        (access_violation(), True),
        (OSError("exception: stack overflow"), True),
        (OSError("no such library"), False),
        (FileNotFoundError(2, "exception: access violation"), False),
        (RuntimeError("exception: access violation reading 0x10"), False),
        (None, False),
    ],
)
def test_only_what_ctypes_caught_is_a_crash(error: BaseException | None, crash: bool) -> None:
    assert is_driver_crash(error) == crash


@pytest.mark.parametrize(("code", "crash"), [(-1073741795, True), (0xC000001D, True), (5, False), (-2147024882, False)])
def test_exceptions_that_ctypes_has_no_name_for_have_the_codes_of_the_system(
    code: int, crash: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = OSError(22, "illegal instruction")
    monkeypatch.setattr(error, "winerror", code, raising=False)  # as Windows has it
    assert is_driver_crash(error) == crash


def test_several_threads_share_one_note(tmp_path: Path) -> None:
    record, both = DeviceCrashJournal(tmp_path), threading.Barrier(2)

    def work() -> None:
        with record.write_risk_note("cuda"):
            both.wait(10)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not list(tmp_path.glob(NOTE_PATTERN))
