"""Starts the window. Qt is imported only here and below, and only when a window is wanted."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from app.errors import AppError, InternalError
from app.language import language, localized, read_in_window, set_language
from app.log import log_path, log_words, start_log
from app.own_folder import check_home
from app.own_program import start_window
from app.settings import LanguageChoice, TextSize, load_settings
from app.terminal import report_failure
from app.ui.settings.known_backend import with_known_backend
from app.ui.shell.single_instance import take_place
from app.ui.workarounds.import_hook import restore_import
from app.ui.workarounds.thread_switching import switch_soon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.ui.widgets.banner import Banner


def main() -> int:
    """Opens the window with the files it was started with, and waits until it is closed; returns the exit code."""
    start_log()
    try:
        check_display()
    except AppError as error:
        report_failure(error)
        return error.exit_code
    try:
        check_home(writes=True)
        return _run([Path(argument) for argument in sys.argv[1:] if not argument.startswith("-")])
    except AppError as error:
        return _refuse(error)
    except Exception as error:
        logging.getLogger("koebako").error("unexpected error before the window was built", exc_info=error)
        return _refuse(_unexpected())


def _run(files: list[Path]) -> int:
    """Runs from reading the settings until the window is closed."""
    lock = take_place(files)
    if lock is None:
        return 0
    settings, notice = load_settings()
    log_words(settings.log_words)
    environment = dict(os.environ)  # as it was: a program that is started again chooses its language for itself
    use_language(settings.language)
    kept = settings
    settings, notice = with_known_backend(settings, notice)
    app = make_application(settings.text_size)
    from app.ui.shell.open_requests import Opening
    from app.ui.shell.unix_signals import Interrupt
    from app.ui.shell.window import MainWindow
    from app.ui.synthesis.controller import SpeechController

    window = MainWindow(settings, SpeechController(), notice)
    window.settings.kept = kept
    _report_to(window.banner)
    Interrupt(window.leaving.close_now, window)
    window.theme_switcher.show()
    window.start()
    Opening(window, window.incoming.take_files)
    window.incoming.take_files(files)
    code = app.exec()
    lock.release()
    if window.is_restarting:
        start_window(environment)
    return code


def _refuse(error: AppError) -> int:
    """Shows in a message box why there is no window: on Windows the program has no console."""
    report_failure(error)
    try:
        make_application()
    except AppError:
        return error.exit_code
    except RuntimeError:  # there is one already, so the fault came after it
        pass
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QMessageBox

    from app.ui.shell.unix_signals import Interrupt

    words = "\n\n".join(filter(None, (error.message, error.hint)))
    box = QMessageBox(QMessageBox.Icon.Critical, "Koebako", words, QMessageBox.StandardButton.Close)
    box.setTextFormat(Qt.TextFormat.PlainText)
    Interrupt(box.reject, box)
    box.exec()
    return error.exit_code


def _unexpected() -> InternalError:
    message = localized("予期しないエラーが発生しました。", "An unexpected error occurred.")
    return InternalError(message, localized(f"詳細なログ: {log_path()}", f"See the log for details: {log_path()}"))


def use_language(choice: LanguageChoice) -> None:
    """The language of the window, and of the programs it starts, whose hints name menus rather than options."""
    if choice != "system":
        set_language(choice)
    os.environ["KOEBAKO_LANG"] = language()
    read_in_window()


def check_display() -> None:
    """Raises InternalError where Qt would end the process: no display, or a library missing that Qt's X11 part needs."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return
    wayland = os.environ.get("WAYLAND_DISPLAY")
    if not os.environ.get("DISPLAY") and not wayland:
        raise InternalError(
            localized("ディスプレイがないため、ウィンドウを表示できません。", "There is no display to open a window on."),
            localized(
                "デスクトップ環境で起動するか、コマンドラインを使ってください: koebako speak …",
                "Start it in a desktop session, or use the command line: koebako speak …",
            ),
        )
    if not wayland:
        try:
            ctypes.CDLL("libxcb-cursor.so.0")
        except OSError as exc:
            raise InternalError(
                localized(
                    "libxcb-cursor0 がないため、ウィンドウを表示できません。",
                    "The window requires the library libxcb-cursor0, which is missing.",
                ),
                localized("Debian、Ubuntu の場合: apt install libxcb-cursor0", "On Debian and Ubuntu: apt install libxcb-cursor0"),
            ) from exc


def make_application(text_size: TextSize = "usual") -> QApplication:
    """Qt's application with our style, fonts and language; InternalError where Qt's own libraries are missing."""
    gc.disable()  # what is imported stays, so that searching it for garbage takes time and finds nothing; `GarbageCollection` collects later
    try:
        from PySide6.QtCore import QLibraryInfo, QTranslator

        restore_import()
        switch_soon()
        from PySide6.QtWidgets import QApplication

        from app.ui.theme.theme import apply_fonts
        from app.ui.workarounds.gui_thread_gc import GarbageCollection
    except ImportError as exc:
        raise InternalError(
            localized(f"Qt を読み込めません。（{exc}）", f"Qt could not be loaded. ({exc})"),
            localized(
                "Debian、Ubuntu の場合: apt install libegl1 libgl1 libxkbcommon0",
                "On Debian and Ubuntu: apt install libegl1 libgl1 libxkbcommon0",
            ),
        ) from exc
    app = QApplication(sys.argv[:1])
    GarbageCollection(app)
    app.setApplicationName("Koebako")
    app.setStyle("Fusion")
    apply_fonts(app, language() == "ja", text_size)
    translator = QTranslator(app)
    if language() == "ja":
        from app.ui.workarounds.qt_words import MissingWords

        app.installTranslator(MissingWords(app))
    if language() == "ja" and translator.load("qtbase_ja", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)  # the words of Qt's own menus and dialogs
    return app


def _report_to(banner: Banner) -> None:
    """Errors nobody expected go to the log and into the window; a windowed program has no console to show them."""

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        logging.getLogger("koebako").error("unexpected error in the window", exc_info=(kind, error, trace))
        banner.show_message(
            "error",
            localized("予期しないエラーが発生しました。", "An unexpected error occurred."),
            localized(f"詳細なログ: {log_path()}", f"See the log for details: {log_path()}"),
            details=f"{kind.__name__}: {error}\n{log_path()}",
        )

    sys.excepthook = report


if __name__ == "__main__":
    sys.exit(main())
