"""Starts the window.

Qt is imported only here and below, so that commands without a window do without it.
"""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from app.adapters.ort.device_placement import AUTO, parse_placement
from app.common.errors import AppError, BackendError, InternalError
from app.common.files.private_data_dir import check_data_dir
from app.common.language import get_language, localize, set_language, use_window_wording
from app.common.log import allow_words_in_log, find_log_path, start_log
from app.common.processes.launch import start_window
from app.common.processes.terminal import report_error
from app.settings.user_settings import LanguageChoice, Settings, TextSize, load_settings
from app.ui.shell.single_instance import acquire_window_lock
from app.ui.workarounds.import_hook import restore_import

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.ui.voices.first_voice import FirstVoicePreparation


def main() -> int:
    """Open the window with the files of the command line and wait until it is closed; return the exit code."""
    start_log()
    try:
        check_display()
    except AppError as error:
        report_error(error)
        return error.exit_code
    try:
        check_data_dir(must_be_writable=True)
        return _run_window([Path(argument) for argument in sys.argv[1:] if not argument.startswith("-")])
    except AppError as error:
        return _show_start_error(error)
    except Exception as error:
        logging.getLogger("koebako").error("unexpected error before the window was built", exc_info=error)
        return _show_start_error(InternalError(*_describe_unexpected_error()))


def replace_unknown_backend(settings: Settings, notice: AppError | None) -> tuple[Settings, AppError | None]:
    """Return the settings, with "auto" and a notice in place of an unknown backend, lest no voice opens before the user chooses another; an earlier notice stays."""
    try:
        parse_placement(settings.backend)
    except BackendError:
        message = localize(
            f"バックエンド「{settings.backend}」はないため、Auto に戻しました。",
            f"There is no backend “{settings.backend}”; it was reset to Auto.",
        )
        return replace(settings, backend=AUTO), notice or BackendError(message, "")
    return settings, notice


def _run_window(files: list[Path]) -> int:
    """Run from reading the settings until the window is closed; return the exit code."""
    lock = acquire_window_lock(files)
    if lock is None:
        return 0
    settings, notice = load_settings()
    allow_words_in_log(settings.log_words)
    # The unchanged environment, as a program that is restarted chooses its language for itself.
    environment = dict(os.environ)
    set_window_language(settings.language)
    stored = settings
    settings, notice = replace_unknown_backend(settings, notice)
    app = make_application(settings.text_size)
    first_voice = _prepare_first_voice(settings)
    from app.ui.shell.main_window import MainWindow
    from app.ui.shell.request_watcher import RequestWatcher, UnixSignalHandler
    from app.ui.synthesis.speech_controller import SpeechController

    if first_voice is not None:
        first_voice.wait_until_over()
    window = MainWindow(settings, SpeechController(), notice)
    window.settings.kept = stored
    _install_error_hook(window.show_unexpected_error)
    UnixSignalHandler(window.close_now, window)
    window.show_theme()
    if first_voice is not None:
        window.first_paint.painted.connect(window.begin_tour)
    window.show_and_start()
    RequestWatcher(window, window.show_in_front, window.open_files, window.read_request_aloud)
    window.open_files(files)
    code = app.exec()
    lock.release()
    if window.is_restarting:
        start_window(environment)
    return code


def _prepare_first_voice(settings: Settings) -> FirstVoicePreparation | None:
    """Begin to prepare the natural voice if this is the first start."""
    from app.ui.script.autosave import is_first_start

    if not is_first_start(settings):
        return None
    from app.ui.voices.first_voice import FirstVoicePreparation

    return FirstVoicePreparation()


def _show_start_error(error: AppError) -> int:
    """Show a start error in a message box and return the exit code."""
    # The message box is needed because the program has no console on Windows.
    report_error(error)
    try:
        make_application()
    except AppError:
        return error.exit_code
    # An application exists already, so the error came after its creation.
    except RuntimeError:
        pass
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QMessageBox

    from app.ui.shell.request_watcher import UnixSignalHandler

    text = "\n\n".join(filter(None, (error.message, error.hint)))
    box = QMessageBox(QMessageBox.Icon.Critical, "Koebako", text, QMessageBox.StandardButton.Close)
    box.setTextFormat(Qt.TextFormat.PlainText)
    UnixSignalHandler(box.reject, box)
    box.exec()
    return error.exit_code


def _describe_unexpected_error() -> tuple[str, str]:
    """Return a message and a hint."""
    message = localize("予期しないエラーが発生しました。", "An unexpected error occurred.")
    return message, localize(f"詳細なログ: {find_log_path()}", f"See the log for details: {find_log_path()}")


def set_window_language(choice: LanguageChoice) -> None:
    """Set the language of the window and of its child processes, whose hints then name menus rather than options."""
    if choice != "system":
        set_language(choice)
    os.environ["KOEBAKO_LANG"] = get_language()
    use_window_wording()


def check_display() -> None:
    """Check that Qt can open a window on Linux.

    Raises InternalError if there is no display or no libxcb-cursor, without which Qt would abort the process.
    """
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return
    wayland = os.environ.get("WAYLAND_DISPLAY")
    if not os.environ.get("DISPLAY") and not wayland:
        raise InternalError(
            localize("ディスプレイがないため、ウィンドウを表示できません。", "There is no display to open a window on."),
            localize(
                "デスクトップ環境で起動するか、コマンドラインを使ってください: koebako speak …",
                "Start it in a desktop session, or use the command line: koebako speak …",
            ),
        )
    if not wayland:
        try:
            ctypes.CDLL("libxcb-cursor.so.0")
        except OSError as exc:
            raise InternalError(
                localize(
                    "libxcb-cursor0 がないため、ウィンドウを表示できません。",
                    "The window requires the library libxcb-cursor0, which is missing.",
                ),
                localize("Debian、Ubuntu の場合: apt install libxcb-cursor0", "On Debian and Ubuntu: apt install libxcb-cursor0"),
            ) from exc


def make_application(text_size: TextSize = "usual") -> QApplication:
    """Create Qt's application with our style, fonts and language.

    Raises InternalError if Qt's own libraries are missing.
    """
    # Imported modules stay, so searching them for garbage costs time and finds nothing; `GuiThreadCollector` collects later.
    gc.disable()
    try:
        from PySide6.QtCore import QLibraryInfo, QTranslator

        restore_import()
        from PySide6.QtWidgets import QApplication

        from app.ui.theme.theme import apply_fonts
        from app.ui.workarounds.accessible_roles import install_accessible_roles
        from app.ui.workarounds.gui_thread_gc import GuiThreadCollector
    except ImportError as exc:
        raise InternalError(
            localize(f"Qt を読み込めません。（{exc}）", f"Qt could not be loaded. ({exc})"),
            localize(
                "Debian、Ubuntu の場合: apt install libegl1 libgl1 libxkbcommon0",
                "On Debian and Ubuntu: apt install libegl1 libgl1 libxkbcommon0",
            ),
        ) from exc
    app = QApplication(sys.argv[:1])
    GuiThreadCollector(app)
    install_accessible_roles()
    app.setApplicationName("Koebako")
    app.setStyle("Fusion")
    apply_fonts(app, get_language() == "ja", text_size)
    translator = QTranslator(app)
    if get_language() == "ja":
        from app.ui.workarounds.qt_translation_gaps import MissingTranslationsTranslator

        app.installTranslator(MissingTranslationsTranslator(app))
    if get_language() == "ja" and translator.load("qtbase_ja", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        # Translates the texts of Qt's own menus and dialogs.
        app.installTranslator(translator)
    return app


def _install_error_hook(show_error: Callable[[str, str, str], object]) -> None:
    """Log unexpected errors and show each with its message, hint and details."""

    def report_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logging.getLogger("koebako").error("unexpected error in the window", exc_info=(kind, error, trace))
        show_error(*_describe_unexpected_error(), f"{kind.__name__}: {error}\n{find_log_path()}")

    # Python's own hook prints to a console, and the built program has none.
    sys.excepthook = report_error


if __name__ == "__main__":
    sys.exit(main())
