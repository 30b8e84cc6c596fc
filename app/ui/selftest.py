"""`Koebako --selftest`: opens the window, types, speaks into a file, takes a picture, and reports the time of each step.

The test is for the built program, which has no console on Windows: the results are in the report and the exit code.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import wave
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from app.common.command_parser import CommandParser
from app.common.errors import AppError, OutputFileError
from app.common.files.private_data_dir import check_data_dir
from app.common.files.whole_files import write_file_atomically
from app.common.language import localize
from app.common.processes.terminal import report_error, write_text
from app.common.system_errors import describe_reason
from app.settings.user_settings import Settings

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.ui.shell.main_window import MainWindow
    from app.ui.synthesis.speech_controller import SpeechController

SELFTEST_TEXT = "箱から声が出ます。今日はいい天気ですね。"
SELFTEST_TIMEOUT_S = 120
MIN_PEAK = 0.05  # peak of full scale that speech always exceeds somewhere


def main() -> int:
    """Run the test; return 0, 70 if a step failed, 2 for invalid options, 7 if the report cannot be written."""
    parser = CommandParser("Koebako")
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("--report", type=Path, help="JSON file for what happened")
    parser.add_argument("--picture", type=Path, help="PNG file for the window")
    parser.add_argument("--platform", help="Qt's platform, as in offscreen")
    try:
        options = parser.parse_args()
        if options.platform:
            os.environ["QT_QPA_PLATFORM"] = options.platform
        report = _run_selftest(options.picture)
        _write_report(report, options.report)
    except AppError as error:
        report_error(error)
        return error.exit_code
    return 0 if report["ok"] else AppError.exit_code


def _run_selftest(picture: Path | None) -> dict[str, Any]:
    """Run the steps in a temporary folder and return the report, even if no step could run."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        try:
            check_data_dir(must_be_writable=True)
            return _run_steps(Path(folder) / "selftest.wav", picture)
        except AppError as error:
            report_error(error)
            return {"ok": False, "errors": [f"{error.message} {error.hint}"]}
        # A program without a console can show an unexpected error only in the report.
        except Exception as error:
            return {"ok": False, "errors": [f"{type(error).__name__}: {error}"]}


def _write_report(report: dict[str, Any], file: Path | None) -> None:
    """Write the report to the file, or print it without one; raises OutputFileError."""
    if file is None:
        if sys.stdout is not None:
            # This writer works with every code page of the pipe, and the default one does not.
            write_text(json.dumps(report) + "\n")
        return
    try:
        write_file_atomically(file, (json.dumps(report, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    except (OSError, ValueError) as exc:
        reason = describe_reason(exc)
        raise OutputFileError(localize(f"「{file}」に書き出せません：{reason}。", f"“{file}” could not be written: {reason}.")) from exc


def _run_steps(sound: Path, picture: Path | None) -> dict[str, Any]:
    """Run the steps and return the report; times are seconds from the start of the process.

    Raises InternalError if Qt cannot open a window here.
    """
    report: dict[str, Any] = {"ok": False, "errors": [], "notes": [], "python_s": _read_process_age_s()}
    app, window, speech = _open_window(report)
    steps = (
        ("window_s", lambda: window.first_paint.is_over),
        ("ready_s", lambda: speech.state.is_ready and not speech.state.is_loading),
        ("spoken_s", lambda: sound.exists() and not speech.state.is_saving),
    )
    for name, reached in steps:
        if name == "spoken_s":
            _type_and_speak(window, speech, sound)
        if not _wait_until(app, reached, report["errors"]):
            report["errors"].append(f"{name} was not reached")
            break
        report.setdefault(name, _read_process_age_s())
    else:
        with wave.open(str(sound)) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
            report["audio_s"] = round(len(samples) / file.getframerate(), 2)
        report["loudest"] = round(float(np.abs(samples / 32768).max()), 3)
    if picture:
        # The last changes are laid out and painted before the picture is taken.
        app.processEvents()
        report["picture"] = window.grab().save(str(picture))
    window.close()
    report["ok"] = not report["errors"] and report.get("loudest", 0.0) > MIN_PEAK and report.get("picture", True)
    return report


def _open_window(report: dict[str, Any]) -> tuple[QApplication, MainWindow, SpeechController]:
    """Open the window as `app.ui.main` does, and record the time of each part."""
    from app.ui.main import check_display, make_application

    check_display()
    # This call reports missing libraries of Qt, so it comes before every import of Qt.
    app = make_application()
    report["qt_s"] = _read_process_age_s()
    from PySide6.QtCore import qVersion

    from app.core.script.script import Script
    from app.ui.shell.main_window import MainWindow
    from app.ui.synthesis.speech_controller import SpeechController
    from app.ui.widgets.banner import format_error_details

    report |= {"imported_s": _read_process_age_s(), "qt": qVersion(), "platform": app.platformName()}
    report["screens"] = [
        {"size": [screen.size().width(), screen.size().height()], "scale": screen.devicePixelRatio()} for screen in app.screens()
    ]
    # Python's own hook prints to a console, which the built program lacks.
    sys.excepthook = lambda kind, error, _trace: report["errors"].append(f"{kind.__name__}: {error}")
    speech = SpeechController()
    window = MainWindow(Settings(text=""), speech)
    window.stop_saving()
    # The test must not speak or change the user's own script.
    window.document.reset_script(Script())
    # A missing audio device is no failure here, as the test measures a file.
    speech.failed.connect(
        lambda failed: report["notes" if failed.error.family == "audio_device" else "errors"].append(format_error_details(failed.error))
    )
    # Later steps run in the same turn of the event loop as the first paint, so its time is recorded here.
    window.first_paint.painted.connect(lambda: report.setdefault("window_s", _read_process_age_s()))
    window.show_theme()
    report["built_s"] = _read_process_age_s()
    window.show_and_start()
    return app, window, speech


def _read_process_age_s() -> float:
    if sys.platform != "linux":
        return round(time.time() - psutil.Process().create_time(), 3)
    # Linux knows the date of its boot to the second only, so the age is counted from the boot itself.
    ticks = int(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
    return round(time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK"), 3)


def _wait_until(app: Any, is_reached: Any, errors: list[str]) -> bool:
    """Run Qt's events until `is_reached`; return False after the time limit, or if an error was added."""
    deadline = time.monotonic() + SELFTEST_TIMEOUT_S
    while not is_reached():
        if errors or time.monotonic() > deadline:
            return False
        app.processEvents()
        time.sleep(0.001)
    return True


def _type_and_speak(window: MainWindow, speech: SpeechController, sound: Path) -> None:
    """Type as an input method does, then save the sound of the text that the window holds."""
    from PySide6.QtCore import QCoreApplication
    from PySide6.QtGui import QInputMethodEvent

    from app.core.synthesis_types import SynthesisRequest
    from app.engine.speech_job_runner import SpeechFile
    from app.ui.script.script_list import ScriptList

    typed = QInputMethodEvent()
    typed.setCommitString(SELFTEST_TEXT)
    lines = window.findChild(ScriptList)
    assert isinstance(lines, ScriptList)
    QCoreApplication.sendEvent(lines, typed)
    speech.save_sound(SpeechFile(sound, (SynthesisRequest(window.document.script.lines[0].text),)))
