"""A window for each test, over the real pipeline and starter voice; nothing of it may outlive the test."""

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QThread, QTimer
from PySide6.QtGui import QFontDatabase
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.core.script.script import replace_text
from app.engine.output_device import PlayerOpener
from app.settings.user_settings import Settings
from app.ui.main import make_application
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.tasks.process_task import TaskQueue
from app.ui.theme.theme import LIGHT_THEME, apply_fonts, apply_palette, apply_theme, clear_theme
from tests.recording_player import RecordingPlayer
from tests.shared_sessions import warm_up_once
from tests.ui.gui_thread_watch import watch_gui_thread
from tests.ui.light_bot import LightBot
from tests.ui.unexpected_dialogs import refuse_dialogs
from tests.ui.window_driver import WindowDriver

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
WINDOWS_FONTS = os.environ.get("KOEBAKO_TEST_FONTS") or f"{os.environ.get('SYSTEMROOT')}/Fonts"
if sys.platform == "win32":
    os.environ.setdefault("QT_QPA_FONTDIR", WINDOWS_FONTS)

CHILD = Path(__file__).parents[1] / "remembering_child.py"
SMALL_WINDOW = (1100, 700)  # has room for everything beside each other
WAIT_MS = 60_000  # only what fails takes so long; a machine with other work has had twenty seconds for a child process to begin
SLOW_S = 0.6  # what a disk takes that just receives a voice; a beat counts the work of other processes, too
MANY_OBJECTS = 3_000
OpenWindow = Callable[..., WindowDriver]


@pytest.fixture(scope="session")
def qapp() -> QApplication:
    """The application as `main` makes it."""
    if isinstance(made := QApplication.instance(), QApplication):
        return made  # by the same fixture of another folder
    app = make_application()
    if sys.platform == "win32":  # there this platform knows no font of the system's, and letters without one are wide squares
        for pattern in ("segoeui.ttf", "YuGoth*.ttc", "NotoSansCJK-*.ttc"):
            for file in Path(WINDOWS_FONTS).glob(pattern):
                QFontDatabase.addApplicationFont(str(file))
        apply_fonts(app, is_japanese=True)
    apply_palette(app, LIGHT_THEME)
    return app


@pytest.fixture
def styled(qapp: QApplication) -> Iterator[None]:
    """The style sheet, for tests that look at what is drawn or laid out; without it a window opens in two thirds of the time."""
    apply_theme(qapp, LIGHT_THEME)
    yield
    take_off_theme(qapp)


def take_off_theme(app: QApplication) -> None:
    """Leaves the light palette alone, whichever theme a test or its window applied."""
    clear_theme(app)
    apply_palette(app, LIGHT_THEME)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """pytest-qt's, in place of its own."""
    return LightBot(request)


@pytest.fixture(autouse=True)
def _nothing_goes_on() -> Iterator[None]:
    """Fails a test that leaves a thread or a timer running; windows that are done with go here, in the window's thread."""
    gc.disable()
    yield
    if QApplication.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyRelease(QWidget(), Qt.Key.Key_Control)  # `keyClick` leaves Ctrl held, and Qt selects otherwise while it is
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    objects = gc.get_objects()
    kinds = {kind for kind in set(map(type, objects)) if issubclass(kind, (QThread, QTimer))}
    alive = [item for item in objects if type(item) in kinds and isValid(item)]
    running = [item for item in alive if (item.isRunning() if isinstance(item, QThread) else item.isActive())]
    gc.enable()  # for the tests of other folders
    assert not running, f"left running: {running}"
    if len(objects) > MANY_OBJECTS:
        gc.freeze()  # modules, mostly: to go through them again after each of hundreds of tests takes longer than some tests


@pytest.fixture(autouse=True)
def _no_unexpected_dialog(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that a dialog would have waited in for a person, at once."""
    opened = refuse_dialogs(monkeypatch)
    yield
    assert not opened, f"waited for a person: {opened}"


@pytest.fixture
def _slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file takes SLOW_S until it is on the disk."""
    sync = os.fsync

    def slow(file: Any) -> None:
        time.sleep(SLOW_S)
        sync(file)

    monkeypatch.setattr(os, "fsync", slow)


@pytest.fixture(autouse=True)
def _in_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said is read in the window, as `main` has it."""
    monkeypatch.setenv("KOEBAKO_FRONTEND", "window")


@pytest.fixture(autouse=True)
def _children_wait_for_nobody(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long work gives way to everything else, which on a busy machine may be for minutes; what is tested is what it does."""
    if not request.node.get_closest_marker("alone"):
        monkeypatch.setattr("app.ui.tasks.process_task.BACKGROUND_PRIORITY", psutil.Process().nice())


@pytest.fixture
def _voices_prepared_once(_prepared_voices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of voices that differ in words only, the first one is prepared for all tests of a run."""
    monkeypatch.setattr("app.ui.shell.voices_feature.TaskQueue", lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)]))


@pytest.fixture
def player() -> RecordingPlayer:
    """A device that plays everything at once."""
    return RecordingPlayer()


@pytest.fixture
def open_window(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, qapp: QApplication, qtbot: QtBot, player: RecordingPlayer
) -> Iterator[OpenWindow]:
    """Makes windows; `ready=False` waits neither for the voice nor for the catalog."""
    windows = []
    if not request.node.get_closest_marker("alone"):
        warm_up_once(monkeypatch)

    def make(settings: Settings | None = None, open_player: PlayerOpener | None = None, *, ready: bool = True) -> WindowDriver:
        controller = SpeechController(open_player or (lambda _device, _rate: player))
        if sheet := qapp.styleSheet():
            clear_theme(qapp)  # as `main` does: under a style sheet every part is polished again each time that it is put into another one
        window = WindowDriver(settings or Settings(text=""), controller)
        if sheet:
            qapp.setStyleSheet(sheet)
        windows.append(window)
        if not (settings and settings.geometry):
            window.resize(1100, 800)  # the screen of the tests is narrower
        window.show_and_start()
        if ready:
            wait_idle(qtbot, window)
            qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
        return window

    with watch_gui_thread(monkeypatch) as watch:
        yield make
    for window in windows:
        window.leaving.close_now()
        window.deleteLater()
    if qapp.styleSheet() and "styled" not in request.fixturenames:
        take_off_theme(qapp)
    assert not watch.list_unexpected(), f"blocks the window's thread; see tests/ui/gui_thread_watch.py\n{watch.describe_unexpected()}"


def wait_idle(qtbot: QtBot, window: WindowDriver) -> None:
    """Until nothing is loaded, computed, played or saved any more."""
    controller = window.controller
    qtbot.waitUntil(lambda: not controller.is_busy and not controller.state.is_speaking, timeout=WAIT_MS)


def write(window: WindowDriver, text: str) -> None:
    """Puts a text into the current line, making one where there is none."""
    if not window.lines:
        window.commands.add_line()
    window.document.apply_edit("test", replace_text(window.document.script, window.script.current_id, text))
    window.script.end_editing()


def text_of(window: WindowDriver) -> str:
    """Texts of all lines."""
    return "\n".join(line.text for line in window.lines)


def speak(qtbot: QtBot, window: WindowDriver, text: str | None = None) -> str:
    """Types a text, speaks it to the end and returns the id of its request."""
    if text is not None:
        write(window, text)
    window.play_commands.play_or_stop()
    wait_idle(qtbot, window)
    last = window.history.last
    return last.request_id if last else ""
