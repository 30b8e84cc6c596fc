"""Random deeds for as long as one likes: nothing leaks, nothing stays running, nothing complains."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.settings import Settings
from app.ui.background.work import Stage
from app.ui.window import MainWindow
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.heart import Beat, Heart, describe
from tests.ui.recording_player import RecordingPlayer
from tests.ui.soak_driver import SoakDriver

ROUNDS = 8
LONG_S = 300.0  # from here on the memory says something
MOST_MB = 40.0  # that the least of the later rounds may be above the least of the earlier ones; single rounds differ by as much
STYLE_SHEET_MB = 0.15  # Qt itself keeps so much each time that the application gets another style sheet


def test_random_deeds_leave_nothing_behind(
    qtbot: QtBot,
    open_window: OpenWindow,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    length_s, seed = request.config.getoption("--soak-s"), request.config.getoption("--soak-seed")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: (str(tmp_path / "{number}.wav"), ""))
    player = RecordingPlayer(pace=5.0)
    window = open_window(Settings(text="今日はいい天気です。"), lambda _device, _rate: player)
    driver = SoakDriver(window, seed, tmp_path)
    kinds: list[Counter[str]] = []
    memory_mb: list[float] = []
    beats: list[Beat] = []
    for _ in range(ROUNDS):
        ends = time.monotonic() + length_s / ROUNDS
        with Heart() as heart:
            while time.monotonic() < ends:
                driver.step()
                qtbot.wait(5)
        beats += heart.beats
        kinds.append(at_rest(qtbot, window, driver))
        memory_mb.append(held_mb(window, player) - STYLE_SHEET_MB * driver.done.count("_theme"))
    with capsys.disabled():
        print(describe(f"{len(driver.done)} random deeds", beats), end="; ")
        print("MB after each round:", " ".join(f"{size:.0f}" for size in memory_mb), end="")
    grown = kinds[-1] - kinds[1]
    assert not grown, f"more than after the second round: {grown}"
    assert [thread.name for thread in threading.enumerate() if "synthesis" in thread.name or thread.name.startswith("Thread-")] == []
    if length_s >= LONG_S:
        assert min(memory_mb[ROUNDS // 2 :]) - min(memory_mb[: ROUNDS // 2]) < MOST_MB


def held_mb(window: MainWindow, player: RecordingPlayer) -> float:
    """Memory of the process without what grows on purpose (caches, and the arenas of sessions with the longest sentence so far) or is held back."""
    voice = window.controller._worker._voice
    voice.unload()
    if voice.caches is not None:
        voice.caches.clear()
    player.requests.clear()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return float(psutil.Process().memory_info().rss / 1e6)


def at_rest(qtbot: QtBot, window: MainWindow, driver: SoakDriver) -> Counter[str]:
    """How many objects of Qt there are of each kind, once nothing goes on any more."""
    driver.calm()
    wait_idle(qtbot, window)
    queue = window.desk.works.queue
    qtbot.waitUntil(lambda: not any(job.stage in (Stage.RUNNING, Stage.WAITING) for job in queue.jobs), timeout=WAIT_MS)
    qtbot.wait(300)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    objects = [item for item in gc.get_objects() if issubclass(type(item), QObject) and isValid(item)]
    return Counter(type(item).__name__ for item in objects) + Counter({"children": len(window.findChildren(QObject))})
