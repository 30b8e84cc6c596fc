"""The instrument itself, tried by `python -m pytest tests/benchmarks/heartbeat/instrument.py`: what holds the window up is seen, what other programs do is not counted."""

import ctypes
import multiprocessing
import sys
import threading
import time

import pytest
from pytestqt.qtbot import QtBot

from tests.benchmarks.heartbeat.heart import Heart, slowdown

HELD_MS = 120


@pytest.mark.skipif(sys.platform == "win32", reason="no usleep")
def test_the_holder_of_pythons_lock_is_seen(qtbot: QtBot) -> None:
    with Heart() as heart:
        thread = threading.Thread(target=lambda: ctypes.PyDLL(None).usleep(HELD_MS * 1000))  # which `PyDLL` does without giving it up
        qtbot.wait(50)
        thread.start()
        qtbot.wait(300)
    thread.join()
    assert max(beat.own_ms for beat in heart.beats) > 0.8 * HELD_MS
    assert max(beat.busy_ms for beat in heart.beats) < 0.5 * HELD_MS


def test_computing_and_sleeping_in_the_window_are_seen(qtbot: QtBot) -> None:
    with Heart() as heart:
        qtbot.wait(20)
        until = time.thread_time() + HELD_MS / 1000
        while time.thread_time() < until:
            pass
        qtbot.wait(20)
        time.sleep(2 * HELD_MS / 1000)
        qtbot.wait(20)
    assert HELD_MS < max(beat.busy_ms for beat in heart.beats) < 1.5 * HELD_MS
    assert max(beat.own_ms for beat in heart.beats) > 1.6 * HELD_MS


def _compute(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere all of a delay counts as our own")
def test_what_other_programs_do_is_not_counted(qtbot: QtBot) -> None:
    others = [multiprocessing.get_context("spawn").Process(target=_compute, args=(3.0,)) for _ in range(8)]
    for process in others:
        process.start()
    qtbot.wait(1500)
    with Heart() as heart:
        qtbot.wait(1000)
    for process in others:
        process.join()
    print(f"slowed down {slowdown(heart.beats):.1f} times, longest beat {max(heart.gaps_ms):.0f} ms by the clock")
    assert max(beat.own_ms for beat in heart.beats) < 50
