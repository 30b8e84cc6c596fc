"""`Koebako --selftest`: opens the window, types, speaks into a file, takes a picture, and reports how long each step took.

For the built program, which on Windows has no console: what happened is in the report, and in the exit code.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import wave
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from app.command_parser import Parser
from app.data_file import write_whole
from app.errors import AppError, OutputFileError
from app.language import localized
from app.own_folder import check_home
from app.settings import Settings
from app.system_errors import reason_of
from app.terminal import report_failure, write

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.ui.shell.window import MainWindow

TEXT = "箱から声が出ます。今日はいい天気ですね。"
TIMEOUT_S = 120
QUIET = 0.05  # speech is louder than this somewhere


def main() -> int:
    """Runs the test; returns 0, 70 where a step failed, 2 for options that make no sense, 7 where the report cannot be written."""
    parser = Parser("Koebako")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("--report", type=Path, help="JSON file for what happened")
    parser.add_argument("--picture", type=Path, help="PNG file for the window")
    parser.add_argument("--platform", help="Qt's platform, as in offscreen")
    try:
        options = parser.parse_args()
        if options.platform:
            os.environ["QT_QPA_PLATFORM"] = options.platform
        report = _tried(options.picture)
        _hand_over(report, options.report)
    except AppError as error:
        report_failure(error)
        return error.exit_code
    return 0 if report["ok"] else AppError.exit_code


def _tried(picture: Path | None) -> dict[str, Any]:
    """What happened, also where nothing could; a windowed program has nothing but the report for it."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        try:
            check_home(writes=True)
            return _run(Path(folder) / "selftest.wav", picture)
        except AppError as error:
            report_failure(error)
            return {"ok": False, "errors": [f"{error.message} {error.hint}"]}
        except Exception as error:
            return {"ok": False, "errors": [f"{type(error).__name__}: {error}"]}


def _hand_over(report: dict[str, Any], file: Path | None) -> None:
    """Writes the report where it is wanted, or prints it. Raises OutputFileError."""
    if file is None:
        if sys.stdout is not None:
            write(json.dumps(report) + "\n")  # whatever the code page of the pipe
        return
    try:
        write_whole(file, (json.dumps(report, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    except (OSError, ValueError) as exc:
        reason = reason_of(exc)
        raise OutputFileError(localized(f"「{file}」に書き出せません：{reason}。", f"“{file}” could not be written: {reason}.")) from exc


def _run(sound: Path, picture: Path | None) -> dict[str, Any]:
    """What happened; seconds count from the start of the process. InternalError where Qt cannot open a window here."""
    report: dict[str, Any] = {"ok": False, "errors": [], "notes": [], "python_s": _age_s()}
    app, window = _open_window(report)
    steps = (
        ("window_s", lambda: window.first_paint.is_over),
        ("ready_s", lambda: window.controller.state.ready and not window.controller.state.loading),
        ("spoken_s", lambda: sound.exists() and not window.controller.state.saving),
    )
    for name, reached in steps:
        if name == "spoken_s":
            _type_and_speak(window, sound)
        if not _wait(app, reached, report["errors"]):
            report["errors"].append(f"{name} was not reached")
            break
        report.setdefault(name, _age_s())
    else:
        report |= _listen(sound)
    if picture:
        app.processEvents()  # what has just changed takes its place
        report["picture"] = window.grab().save(str(picture))
    window.close()
    report["ok"] = not report["errors"] and report.get("loudest", 0.0) > QUIET and report.get("picture", True)
    return report


def _open_window(report: dict[str, Any]) -> tuple[QApplication, MainWindow]:
    """As `app.ui.main` does, with a note of when each part of it was done."""
    from app.ui.main import check_display, make_application

    check_display()
    app = make_application()  # which says what Qt lacks; everything below imports Qt
    report["qt_s"] = _age_s()
    from PySide6.QtCore import qVersion

    from app.core.script import Script
    from app.ui.error_text import details_of
    from app.ui.shell.window import MainWindow
    from app.ui.synthesis.controller import SpeechController

    report |= {"imported_s": _age_s(), "qt": qVersion(), "platform": app.platformName()}
    report["screens"] = [
        {"size": [screen.size().width(), screen.size().height()], "scale": screen.devicePixelRatio()} for screen in app.screens()
    ]
    _collect_unexpected(report["errors"])
    window = MainWindow(Settings(text=""), SpeechController())
    window.keeping.rest()
    window.document.reset(Script())  # instead of the user's own
    # No sound device is no failure here: the test listens to a file.
    window.controller.failed.connect(
        lambda failed: report["notes" if failed.error.family == "audio_device" else "errors"].append(details_of(failed.error))
    )
    # What follows the first paint is in the same turn of the event loop, so the moment is taken here.
    window.first_paint.over.connect(lambda: report.setdefault("window_s", _age_s()))
    window.theme_switcher.show()
    report["built_s"] = _age_s()
    window.start()
    return app, window


def _age_s() -> float:
    """Seconds since this process began. On Linux that is counted from the start of the machine, whose date is known to the second only."""
    if sys.platform != "linux":
        return round(time.time() - psutil.Process().create_time(), 3)
    ticks = int(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
    return round(time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"), 3)


def _wait(app: Any, reached: Any, errors: list[str]) -> bool:
    """Lets Qt work until something has come about; False where it has not in time, or something else went wrong."""
    deadline = time.monotonic() + TIMEOUT_S
    while not reached():
        if errors or time.monotonic() > deadline:
            return False
        app.processEvents()
        time.sleep(0.001)
    return True


def _type_and_speak(window: MainWindow, sound: Path) -> None:
    """Types the way an input method does, then asks for the sound of what the window now holds."""
    from PySide6.QtCore import QCoreApplication
    from PySide6.QtGui import QInputMethodEvent

    from app.core.types import SynthesisRequest

    typed = QInputMethodEvent()
    typed.setCommitString(TEXT)
    QCoreApplication.sendEvent(window.script, typed)
    window.controller.save(SynthesisRequest(window.document.script.lines[0].text), sound)


def _listen(sound: Path) -> dict[str, float]:
    with wave.open(str(sound)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
        return {"audio_s": round(len(samples) / file.getframerate(), 2), "loudest": round(float(np.abs(samples / 32768).max()), 3)}


def _collect_unexpected(errors: list[str]) -> None:
    def collect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        errors.append(f"{kind.__name__}: {error}")

    sys.excepthook = collect
