"""Every window of the program, for tests of what all of them share."""

from collections.abc import Callable

from PySide6.QtCore import QDeadlineTimer
from PySide6.QtWidgets import QApplication, QDialog

from app.service.chat.chat_protocol import ChatTalk
from app.service.chat.chat_queue import ChatSnapshot
from app.ui.audition.blind_test_dialog import BlindTestDialog
from app.ui.dictionary.dictionary_dialog import DictionaryDialog
from app.ui.help.user_guide import UserGuideDialog
from app.ui.projects.missing_voices_dialog import MissingVoicesDialog
from app.ui.projects.project_document import MissingVoice
from app.ui.service.chat_window import ChatWindow, ChatWindowState, ViewerChoices
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
    "chat": lambda window: _chat(window),
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


def _chat(window: WindowDriver) -> QDialog:
    viewers = ViewerChoices(
        describe_reader=lambda _talk: "", list_voices=lambda: (), find_voice=lambda _who: "", is_muted=lambda _writer: False
    )
    chat = ChatWindow(window, viewers)
    waiting = ChatTalk("太郎：やあ", writer="太郎", name_length=3, number=1)
    chat.show_state(ChatWindowState(ChatSnapshot(waiting=(waiting,)), "Listening", ("127.0.0.1:50001",), "http://127.0.0.1:50080/captions"))
    return chat


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
