"""Every window of the program, for tests of what all of them share."""

from collections.abc import Callable

from PySide6.QtCore import QDeadlineTimer
from PySide6.QtWidgets import QApplication, QDialog

from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.dictionary.dictionary_dialog import DictionaryDialog
from app.ui.help.user_guide import UserGuideDialog
from app.ui.projects.missing_voices_dialog import MissingVoicesDialog
from app.ui.projects.project_document import MissingVoice
from app.ui.service.service_controller import ServiceDialog
from app.ui.voices.voice_dialogs import MissingBertDialog, VoiceAddressDialog
from app.ui.voices.voice_library_dialog import VoiceLibraryDialog
from app.ui.widgets.text_dialog import ask_for_licence, show_text
from app.voices.required_bert import SBV2_BERT_ID
from tests.ui.conftest import WAIT_MS
from tests.ui.window_driver import WindowDriver

DIALOGS: dict[str, Callable[[WindowDriver], QDialog]] = {
    "settings": lambda window: _triggered(window, "settings"),
    "find_command": lambda window: _triggered(window, "find_command"),
    "diagnose": lambda window: _triggered(window, "diagnose"),
    "show_log": lambda window: _triggered(window, "show_log"),
    "about": lambda window: _triggered(window, "about"),
    "user_guide": UserGuideDialog,
    "export": lambda window: _exporting(window),
    "voice_library": lambda window: VoiceLibraryDialog(window, window.catalog),
    "audition": lambda window: _board(window),
    "lab": lambda window: _lab(window),
    "dictionary": DictionaryDialog,
    "missing_voices": lambda window: MissingVoicesDialog(
        window, [MissingVoice("x", "花子", 3, "https://example.com")], window.catalog.voices
    ),
    "add_address": VoiceAddressDialog,
    "bert_offer": lambda window: MissingBertDialog(window, "声", SBV2_BERT_ID, may_force=True),
    "licence": lambda window: ask_for_licence(window, "声", "利用条件\n" * 50),
    "text": lambda window: show_text(window, "題", "文\n" * 50),
    "cast": lambda window: _cast(window),
    "service": ServiceDialog,
    "blind_test": lambda window: _blind_test(window),
}


def _exporting(window: WindowDriver) -> QDialog:
    window.window_actions["export"].trigger()
    assert window.export.dialog is not None
    return window.export.dialog


def _triggered(window: WindowDriver, action: str) -> QDialog:
    window.window_actions[action].trigger()
    assert window.dialogs.shown is not None
    return window.dialogs.shown


def _board(window: WindowDriver) -> QDialog:
    window.window_actions["audition"].trigger()
    assert window.board is not None
    assert window.board.window is not None
    return window.board.window


def _cast(window: WindowDriver) -> QDialog:
    window.window_actions["show_cast"].trigger()
    assert window.cast.window is not None
    return window.cast.window


def _blind_test(window: WindowDriver) -> QDialog:
    dialog = BlindTestDialog(window, window.controller, lambda _name: None)
    dialog.show_setup(("A", "B"), [("0" * 64, "1" * 64)])
    return dialog


def _lab(window: WindowDriver) -> QDialog:
    window.window_actions["lab"].trigger()
    lab = window.lab.window
    assert lab is not None
    deadline = QDeadlineTimer(WAIT_MS)
    while not lab.pages and not deadline.hasExpired():
        QApplication.processEvents()
    return lab
