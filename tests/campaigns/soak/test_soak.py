"""Random deeds for as long as one likes: nothing leaks, nothing stays running, nothing complains."""

import ctypes
import gc
import sys
import threading
from collections import Counter
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QAbstractItemDelegate, QFileDialog
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.settings.user_settings import Settings
from app.ui.tasks.process_task import TaskState
from tests.campaigns.soak.driver import SoakDriver
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import LAZY_PARTS, WindowDriver

ROUNDS = 8
LONG_DEEDS = 12_000  # from here on the memory says something
MOST_IN_USE_MB = 15.0  # that the least of the later rounds may be above the least of the earlier ones
MOST_MB = 100.0  # the same of the whole process, holes included that only the C library knows of
REPLACED = ("QStyledItemDelegate", "QAbstractItemDelegate")  # Qt leaves those of each list of choices behind with every style sheet
PYTHON_BLOCK_MB = 80e-6  # about what a small object of Python's takes
STYLE_SHEET_MB = 0.15  # Qt itself keeps so much each time that the application gets another style sheet


def test_random_deeds_leave_nothing_behind(
    qtbot: QtBot,
    open_window: OpenWindow,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = {*threading.enumerate()}  # pytest's own
    deeds, seed = request.config.getoption("--soak-deeds"), request.config.getoption("--soak-seed")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: (str(tmp_path / "$number$.wav"), ""))
    player = RecordingPlayer(pace=5.0, kept=50)  # an hour of sound would look like a leak
    window = open_window(Settings(text="今日はいい天気です。"), lambda _device, _rate: player)
    driver = SoakDriver(window, seed, tmp_path)
    window.side.expression.set_open(True)
    for name in LAZY_PARTS:  # made once, when first asked for
        getattr(window, name)
    for is_open in (True, False):
        window.window_actions["show_takes"].setChecked(is_open)
    driver.begin()
    kinds: list[Counter[str]] = []
    memory_mb: list[float] = []
    in_use_mb: list[float] = []
    for _ in range(ROUNDS):
        for _ in range(deeds // ROUNDS):
            driver.step()
            qtbot.wait(5)
        kinds.append(at_rest(qtbot, window, driver))
        sheets_mb = STYLE_SHEET_MB * driver.done.count("_theme")
        memory_mb.append(held_mb(window, player) - sheets_mb)
        in_use_mb.append(used_mb() - sheets_mb)
    with capsys.disabled():
        print(f"\n{len(driver.done)} random deeds", end="; ")
        print("MB after each round:", " ".join(f"{size:.0f}" for size in memory_mb), end="; ")
        print("in use:", " ".join(f"{size:.1f}" for size in in_use_mb), end="")
    assert not (grown := growth(kinds)), f"more after each of the later rounds than after any of the earlier ones: {grown}"
    left = {*threading.enumerate()} - before
    assert [thread.name for thread in left if "synthesis" in thread.name or thread.name.startswith("Thread-")] == []
    if deeds >= LONG_DEEDS:
        assert min(in_use_mb[ROUNDS // 2 :]) - min(in_use_mb[1 : ROUNDS // 2]) < MOST_IN_USE_MB
        assert min(memory_mb[ROUNDS // 2 :]) - min(memory_mb[1 : ROUNDS // 2]) < MOST_MB


def growth(kinds: list[Counter[str]]) -> Counter[str]:
    """By how much the least of the later rounds is above the most of the earlier ones; the first round makes what is made once."""
    half = len(kinds) // 2
    most, least = kinds[1], kinds[half]
    for kind in kinds[1:half]:
        most = most | kind
    for kind in kinds[half:]:
        least = least & kind
    return least - most


def held_mb(window: WindowDriver, player: RecordingPlayer) -> float:
    """Memory of the process without what grows on purpose (caches, and the arenas of sessions with the longest sentence so far) or is held back."""
    voice = window.speech_engine.voices
    voice.unload_voices()
    if voice.caches is not None:
        voice.caches.clear()
    player.requests.clear()
    gc.collect()  # a session may hang in a circle with what was asked of it last
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return float(psutil.Process().memory_info().rss / 1e6)


FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class _Usage(ctypes.Structure):
    """glibc's `mallinfo2`, over all its arenas."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in FIELDS)


def used_mb() -> float:
    """What was asked of the C library and not given back, and what Python holds: without the holes that make a process larger than it is.

    0 where the C library cannot tell.
    """
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError, TypeError):
        return 0.0
    ask.restype = _Usage
    usage = ask()
    return float(usage.uordblks + usage.hblkhd) / 1e6 + sys.getallocatedblocks() * PYTHON_BLOCK_MB


def at_rest(qtbot: QtBot, window: WindowDriver, driver: SoakDriver) -> Counter[str]:
    """How many objects of Qt there are of each kind, once nothing goes on any more."""
    driver.calm()
    wait_idle(qtbot, window)
    queue = window.task_queue
    qtbot.waitUntil(lambda: not any(job.stage in (TaskState.RUNNING, TaskState.WAITING) for job in queue.jobs), timeout=WAIT_MS)
    qtbot.wait(300)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    objects = [item for item in gc.get_objects() if issubclass(type(item), QObject) and isValid(item)]
    children = [item for item in window.findChildren(QObject) if not isinstance(item, QAbstractItemDelegate)]
    return Counter(kind for item in objects if (kind := type(item).__name__) not in REPLACED) + Counter(
        f"child {item.metaObject().className()} {item.objectName()}" for item in children
    )
