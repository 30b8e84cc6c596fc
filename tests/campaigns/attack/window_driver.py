"""Drives the real window in a process of its own: `window_driver.py type` writes on and on; `window_driver.py speak FILE` speaks and quits.

Started by the attack. Nothing of the window is replaced but the sound device, which machines without one do not have.
"""

import faulthandler
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from PySide6.QtCore import QTimer

from app.core.script.script import Line, build_request, replace_text
from app.engine.speech_job_runner import SpeechFile
from app.ui.main import main
from app.ui.synthesis import speech_controller
from tests.recording_player import RecordingPlayer
from tests.ui.window_driver import WindowDriver, install_driver

TYPING_MS, THEME_MS, LOOK_MS = 40, 1500, 20
PATIENCE_S = 25.0
start = WindowDriver.show_and_start


def tell(**values: Any) -> None:
    """A line for the attack, with the time that all processes share."""
    print(json.dumps({"at": time.monotonic()} | values), flush=True)


class Typist:
    """Adds a letter again and again, and another theme now and then."""

    def __init__(self, window: WindowDriver) -> None:
        self._window, self._count = window, 0
        window.commands.add_line()
        self._line = window.lines[-1].id
        self._timers = [QTimer(window) for _ in range(2)]
        for timer, wait_ms, operation in zip(self._timers, (TYPING_MS, THEME_MS), (self._type, self._change), strict=True):
            timer.timeout.connect(operation)
            timer.start(wait_ms)

    def _type(self) -> None:
        self._count += 1
        script = self._window.document.script
        if script.find_line(self._line) is None:
            self._line = script.lines[0].id
        self._window.document.apply_edit("typed", replace_text(script, self._line, "x" * self._count))
        tell(typed=self._count)

    def _change(self) -> None:
        self._window.settings.change_settings(theme="dark" if self._count % 2 else "light")


class Speaker:
    """Waits until the window is ready, saves a line as sound, plays it, and closes the window."""

    def __init__(self, window: WindowDriver, file: Path) -> None:
        self._window, self._file, self._began, self._asked = window, file, time.monotonic(), False
        self._timer = QTimer(window)
        self._timer.timeout.connect(self._look)
        self._timer.start(LOOK_MS)

    def _look(self) -> None:
        state = self._window.speech_state
        late = time.monotonic() - self._began > PATIENCE_S
        if not self._asked and state.is_ready and not state.is_loading:
            self._asked = True
            self._window.controller.save_sound(SpeechFile(self._file, (build_request(Line("雨が降る。")),)))
            self._window.play_commands.play_or_stop()
        elif (self._asked and self._file.exists() and not self._window.controller.is_busy) or late:
            self._timer.stop()
            banner = self._window.banner
            shown = banner.message.text() if banner.isVisible() else ""
            tell(spoken=self._file.exists(), late=late, lines=[line.text for line in self._window.lines], told=shown)
            self._window.close()
            if self._window.leaving.question is not None:  # a voice is still being added: nobody is here to answer
                self._window.leaving.close_now()


def _start_and(drive: Any, window: Any) -> None:
    start(window)
    window.driver = drive(window)  # which lives as long as the window


if __name__ == "__main__":
    faulthandler.enable()  # a crash says where
    mode, *files = sys.argv[1:]
    drivers = {"type": Typist, "speak": partial(Speaker, file=Path(files[0])) if files else None, "stay": lambda _window: None}
    install_driver()
    WindowDriver.show_and_start = lambda window: _start_and(drivers[mode], window)  # type: ignore[method-assign,assignment]
    speech_controller.SpeechController = partial(  # type: ignore[assignment]
        speech_controller.SpeechController, lambda _device, _rate: RecordingPlayer()
    )
    sys.argv[1:] = []
    sys.exit(main())
