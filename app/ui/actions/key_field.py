"""A field for one key combination."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit

from app.common.language import localize
from app.ui.actions.key_bindings import convert_key_sequence


class KeyField(QKeySequenceEdit):
    """A field that stands for no key when it is empty.

    Signals:
        chosen(): The field has other keys than before.
    """

    chosen = Signal()

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self._keys: tuple[str, ...] = ()
        self.setMaximumSequenceLength(1)
        self.setClearButtonEnabled(True)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.keySequenceChanged.connect(self._accept_keys)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys: the shown combination, with its companions as long as it is unchanged."""
        return self._keys

    def show_keys(self, keys: tuple[str, ...]) -> None:
        """Show the first of these keys."""
        self._keys = keys
        self.setKeySequence(QKeySequence(keys[0] if keys else ""))
        self._clear_placeholder()

    @Slot(QKeySequence)
    def _accept_keys(self, pressed: QKeySequence) -> None:
        # The field shows one of several keys, such as Return with Enter: compared alone, the others are not lost.
        if convert_key_sequence(pressed)[:1] != self._keys[:1]:
            self._keys = convert_key_sequence(pressed)
            self.chosen.emit()
        self._clear_placeholder()

    def _clear_placeholder(self) -> None:
        """Replace the placeholder "Press shortcut" in all line edits of the field."""
        # Qt sets its own prompt in every field, and again after each change.
        for field in self.findChildren(QLineEdit):
            field.setPlaceholderText(localize("なし", "none"))
