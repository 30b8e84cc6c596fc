"""Watches the clipboard while the user wants it, and reports the texts that the rules let through."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.common.errors import InputError
from app.settings.user_settings import Settings
from app.ui.read_aloud.clipboard_reader import read_clipboard
from app.ui.read_aloud.clipboard_rules import ClipboardRules, parse_program_names


def build_rules(settings: Settings) -> ClipboardRules:
    """Return the rules that the settings hold."""
    return ClipboardRules(
        settings.read_shortest, settings.read_longest, settings.read_skip_links, parse_program_names(settings.read_skipped_programs)
    )


class ClipboardWatcher(QObject):
    """Reads the clipboard after each change while it is on.

    Signals:
        copied(str): a text was copied that is to be read.

    Args:
        find_program: returns the name of the program that is used now, or an empty text.
    """

    copied = Signal(str)

    def __init__(self, parent: QObject, find_program: Callable[[], str]) -> None:
        super().__init__(parent)
        self.find_program = find_program
        self._rules = ClipboardRules()
        self._is_on = False
        self._last_text = ""

    def set_watching(self, is_on: bool, rules: ClipboardRules) -> None:
        """Watch by these rules, or stop; what lies on the clipboard already is not read."""
        self._rules = rules
        if is_on == self._is_on:
            return
        self._is_on = is_on
        clipboard = QGuiApplication.clipboard()
        if is_on:
            clipboard.dataChanged.connect(self._check_clipboard)
        else:
            clipboard.dataChanged.disconnect(self._check_clipboard)

    @Slot()
    def _check_clipboard(self) -> None:
        # What our own window copies, such as a line, is not read aloud.
        if QGuiApplication.clipboard().ownsClipboard():
            return
        try:
            text = read_clipboard()
        except InputError:
            return
        if self._rules.should_read_text(text, self.find_program(), self._last_text):
            self._last_text = text
            self.copied.emit(text)
