"""A window under a real X server, for the test that drives it from outside: `python -m tests.ui.read_aloud.desktop_program SETTINGS`.

SETTINGS is JSON. It prints JSON lines: when it is ready, where its icon is, each text that it reads, and each message.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.ui.read_aloud.read_aloud_controller import TrayIcon


def report_tray(tray: TrayIcon, is_visible: bool, watched: set[TrayIcon], say: Callable[[str, object], None]) -> None:
    """Says where the icon is, as far as the system tells, and when its menu opens."""
    if is_visible and tray.icon.geometry().isValid():
        place = tray.icon.geometry().center()
        say("icon", [place.x(), place.y()])
    say("menu", tray.menu.isVisible())
    if tray not in watched:  # Windows shows a menu of its own instead, which Qt never calls visible
        watched.add(tray)
        tray.menu.aboutToShow.connect(lambda: say("opening menu", True))


def main() -> int:
    """Opens the window and runs until it is closed."""
    from PySide6.QtCore import QTimer

    from app.settings.user_settings import Settings
    from app.ui.main import make_application
    from app.ui.shell.request_watcher import RequestWatcher, UnixSignalHandler
    from app.ui.shell.single_instance import acquire_window_lock
    from app.ui.synthesis.speech_controller import SpeechController
    from tests.recording_player import RecordingPlayer
    from tests.ui.window_driver import WindowDriver

    lock = acquire_window_lock([])
    assert lock is not None
    app = make_application()
    window = WindowDriver(Settings(**json.loads(sys.argv[1])), SpeechController(lambda _device, _rate: RecordingPlayer()))
    UnixSignalHandler(window.close_now, window)
    window.show_theme()
    window.show_and_start()
    RequestWatcher(window, window.show_in_front, window.open_files, window.read_request_aloud)
    said: set[tuple[str, str]] = set()
    watched: set[TrayIcon] = set()

    def say(kind: str, what: object) -> None:
        if (kind, str(what)) not in said:
            said.add((kind, str(what)))
            print(json.dumps({kind: what}), flush=True)

    def look() -> None:
        if window.speech_state.is_ready and not window.speech_state.is_loading and window.is_made("read_aloud"):
            say("ready", True)
            player, tray = window.read_aloud.player, window.read_aloud.tray
            for text in reversed(player.last_texts):
                if not player.is_on:
                    say("read", text)
            if tray is not None:
                report_tray(tray, window.read_aloud.has_visible_tray, watched, say)
        if window.banner.isVisible():
            say("message", window.banner.message.text())
        say("visible", window.isVisible())

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(50)
    code = app.exec()
    timer.stop()
    lock.release()
    return code


if __name__ == "__main__":
    sys.exit(main())
