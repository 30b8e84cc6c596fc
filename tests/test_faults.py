"""Devices that fail: sessions that raise the very errors ONNX Runtime raises, at chosen calls. The sentence is spoken all the same."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from app.adapters.ort.devices import device_thread, failover_session
from app.adapters.ort.devices.device_thread import DeviceHungError, run_on_device
from app.adapters.ort.graph_session import GraphSession
from app.cli.main import main
from app.common.errors import BackendError
from app.compose import device_opening
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import StageTiming, SynthesisRequest
from tests.faulty_device import FAULTS, ORT_ERRORS, FaultyDevice, raising

REQUEST = SynthesisRequest("雨、橋を渡る。風を、見ました。", seed=3)


def spoken(speaker: Speaker, request: SynthesisRequest = REQUEST) -> tuple[np.ndarray, list[StageTiming]]:
    timings: list[StageTiming] = []
    chunks = [chunk.samples for chunk in speaker.pipeline.synthesize(request, timings.append) if not chunk.silence]
    return np.concatenate(chunks), timings


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    return spoken(open_speaker(None, "cpu"))[0]


@pytest.fixture(scope="module")
def runs_in_all() -> int:
    """Runs of graphs for the request."""
    _, timings = spoken(open_speaker(None, "cpu"))
    return sum(timing.stage in ("bert", "prosody", "flow", "decode") for timing in timings)


EVERY_RUN = (1, 2, 3, 5)
USUALLY_TRIED = {*((fault, 2) for fault in FAULTS), *((fault, at) for fault in ("removed", "memory") for at in EVERY_RUN)}
"""Every fault once, and one that loses the device and one that does not at every graph; with the slow tests, every fault at every graph."""


@pytest.mark.parametrize(
    ("fault", "at"),
    [
        pytest.param(fault, at, marks=() if (fault, at) in USUALLY_TRIED else pytest.mark.slow, id=f"{at}-{fault}")
        for at in EVERY_RUN
        for fault in FAULTS
    ],
)
def test_a_device_that_fails_is_neither_heard_nor_silent(
    fault: str, at: int, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, sign = FAULTS[fault]
    device = FaultyDevice(raising(make), at)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")
    assert set(speaker.backends.values()) == {"cuda"}
    assert speaker.fallback is None
    samples, _ = spoken(speaker)
    assert samples.shape == expected.shape  # nothing lost, nothing twice
    assert np.abs(samples - expected).max() < 1e-6
    assert speaker.fallback is not None
    assert speaker.fallback.count("\n") == 0  # told once
    assert sign in speaker.fallback
    assert "CUDA" in speaker.fallback
    again, _ = spoken(speaker, SynthesisRequest("もう一度。"))
    assert again.size
    on_cpu = [name for name, place in device.opened if place == "cpu"]
    assert max(map(on_cpu.count, on_cpu)) <= 2  # to be compared, and to continue: no graph is opened again and again


def test_a_device_lost_between_two_voices_on_the_cpu_stays_lost(expected: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyDevice(raising(FAULTS["removed"][0]), 2)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    before = open_speaker(None, "cpu")
    assert np.array_equal(spoken(before)[0], expected)
    assert (before.failures, before.is_device_lost) == (None, False)
    lost = open_speaker(None, "cuda", reuse_from=before)
    spoken(lost)
    assert lost.is_device_lost
    between = open_speaker(None, "cpu", reuse_from=lost)
    assert np.array_equal(spoken(between)[0], expected)
    assert (between.fallback, between.is_device_lost) == (None, False)
    again = open_speaker(None, "cuda", reuse_from=between)
    assert again.is_device_lost
    assert set(again.backends.values()) == {"cpu"}


@pytest.mark.parametrize("fault", ["removed", "hung", "reset", "driver", "crashed"])
def test_a_lost_device_is_not_tried_again(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyDevice(raising(FAULTS[fault][0]), 2)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")
    spoken(speaker)
    assert len(device.runs) == 2
    assert set(speaker.backends.values()) == {"cpu"}


@pytest.mark.parametrize("fault", ["memory", "refused", "cuda"])
def test_a_graph_that_does_not_fit_leaves_the_others_where_they_are(fault: str, runs_in_all: int, monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyDevice(raising(FAULTS[fault][0]), 1)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")
    spoken(speaker)
    assert speaker.backends == {"bert": "cpu", "prosody": "cuda", "flow": "cuda", "decode": "cuda"}
    assert runs_in_all / 2 < len(device.runs) < runs_in_all


@pytest.mark.parametrize("broken", [np.nan, np.inf])
def test_numbers_that_are_none_are_computed_again(broken: float, expected: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(results: list[np.ndarray]) -> list[np.ndarray]:
        results[0].reshape(-1)[-1] = broken
        return results

    device = FaultyDevice(spoil, 4)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")
    assert np.abs(spoken(speaker)[0] - expected).max() < 1e-6
    assert "invalid values" in str(speaker.fallback)


def test_a_device_that_does_not_answer_is_left_behind(expected: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def hang(results: list[np.ndarray]) -> list[np.ndarray]:
        released.wait(30)  # in the foreign thread: nothing can end it
        return results

    for name in ("FIRST_RUN_TIMEOUT_S", "MIN_RUN_TIMEOUT_S"):
        monkeypatch.setattr(failover_session, name, 0.4)
    monkeypatch.setattr(device_thread, "RUN_END_GRACE_S", 0.1)
    device = FaultyDevice(hang, 3)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")
    began = time.perf_counter()
    samples, _ = spoken(speaker)
    assert time.perf_counter() - began < 10
    assert np.abs(samples - expected).max() < 1e-6
    assert "did not respond" in str(speaker.fallback)
    assert set(speaker.backends.values()) == {"cpu"}
    released.set()


def test_stopping_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run of a device is stopped as one of the CPU is, and the device is used again."""
    cancelled = threading.Event()

    def stop(_results: list[np.ndarray]) -> list[np.ndarray]:
        cancelled.set()
        speaker.terminate()
        raise ORT_ERRORS.Fail("Exiting due to terminate flag being set to true.")

    device = FaultyDevice(stop, 3)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")
    assert [chunk for chunk in speaker.pipeline.synthesize(REQUEST, cancelled=cancelled.is_set) if not chunk.silence] == []
    assert speaker.fallback is None
    assert spoken(speaker)[0].size
    assert set(speaker.backends.values()) == {"cuda"}


def test_a_lost_device_stays_lost_for_other_voices_until_the_user_chooses_a_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyDevice(raising(FAULTS["removed"][0]), 1)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")
    spoken(speaker)
    opened = len(device.opened)
    other = open_speaker(None, "cuda", reuse_from=speaker)
    assert set(other.backends.values()) == {"cpu"}
    assert "cuda" not in [place for _, place in device.opened[opened:]]  # not even opened there
    assert other.is_device_lost
    assert "continuing on the CPU: the device stopped." in str(other.fallback)
    other.failures.forget_failures()
    assert set(open_speaker(None, "cuda", failures=other.failures).backends.values()) == {"cuda"}


def test_the_command_line_tells_in_its_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["speak", REQUEST.text, "--seed", "3"]
    assert main([*command, "--backend", "cpu", "-o", str(tmp_path / "cpu.wav"), "--json"]) == 0
    monkeypatch.setattr(device_opening, "open_session", FaultyDevice(raising(FAULTS["hung"][0]), 4).open)
    assert main([*command, "--backend", "cuda", "-o", str(tmp_path / "cuda.wav"), "--json"]) == 0
    captured = capsys.readouterr()
    report = json.loads(captured.out.splitlines()[-1])
    assert set(report["backend"].values()) == {"cpu"}
    assert "887A0006" in report["fallback"]
    assert captured.err.count("887A0006") == 1
    assert (tmp_path / "cpu.wav").stat().st_size == (tmp_path / "cuda.wav").stat().st_size


def test_when_the_cpu_fails_too_the_user_reads_why(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyDevice(raising(FAULTS["removed"][0]), 1)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")

    def fail(*_rest: object) -> list[np.ndarray]:
        raise BackendError("no memory", "close something")

    monkeypatch.setattr(GraphSession, "run_graph", fail)
    with pytest.raises(BackendError):
        spoken(speaker)


def test_the_device_thread_gives_results_and_errors_and_survives_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_thread, "_thread", None)
    monkeypatch.setattr(device_thread, "RUN_END_GRACE_S", 0.05)
    before = sum(thread.name == "device" for thread in threading.enumerate())
    assert run_on_device(lambda: threading.current_thread().name, 5, lambda: None) == "device"
    with pytest.raises(KeyError):
        run_on_device(lambda: dict[str, int]()["x"], 5, lambda: None)
    stopped, released = threading.Event(), threading.Event()
    with pytest.raises(DeviceHungError):
        run_on_device(lambda: released.wait(20), 0.05, stopped.set)
    assert stopped.is_set()
    began = time.perf_counter()
    with pytest.raises(DeviceHungError):  # no second thread runs on the device beside the one that hangs
        run_on_device(lambda: 1, 5, lambda: None)
    assert time.perf_counter() - began < 1
    assert sum(thread.name == "device" for thread in threading.enumerate()) <= before + 1
    released.set()
    until(lambda: run_on_device(lambda: 1, 5, lambda: None) == 1)  # it woke up


def until(there: Callable[[], bool], limit_s: float = 10) -> None:
    """Tries until it is true; DeviceHungError counts as not yet."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        with suppress(DeviceHungError):
            if there():
                return
        time.sleep(0.01)
    pytest.fail("never came true")


def test_a_timing_says_where_its_graph_ran_and_whether_the_length_was_new(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FaultyDevice(raising(FAULTS["removed"][0]), 10**6)
    monkeypatch.setattr(device_opening, "open_session", device.open)
    speaker = open_speaker(None, "cuda")

    def seen(text: str) -> dict[str, set[tuple[str, bool]]]:
        found: dict[str, set[tuple[str, bool]]] = {}

        def add(timing: StageTiming) -> None:
            timing = speaker.add_backend(timing)
            found.setdefault(timing.stage, set()).add((timing.backend, timing.new_size))

        for _ in speaker.pipeline.synthesize(SynthesisRequest(text, seed=3), add):
            pass
        return found

    first = seen("雨が降る。")
    assert first["prosody"] == first["bert"] == {("cuda", True)}
    assert first["g2p"] == {("", False)}
    speaker.pipeline.caches.clear()
    again = seen("雨が降る。")
    assert again["prosody"] == again["bert"] == again["decode"] == {("cuda", False)}
    speaker.pipeline.caches.clear()
    device.at = len(device.runs) + 1
    assert seen("雨が降る。")["bert"] == {("cpu", False)}
