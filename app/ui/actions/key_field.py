"""A field that takes one combination of keys."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit

from app.language import localized
from app.ui.actions.key_bindings import keys_of


class KeyField(QKeySequenceEdit):
    """Emptied, it stands for none.

    Signals:
        chosen(): it holds other keys than before.
    """

    chosen = Signal()

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self._keys: tuple[str, ...] = ()
        self.setMaximumSequenceLength(1)
        self.setClearButtonEnabled(True)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.keySequenceChanged.connect(self._on_pressed)

    @property
    def keys(self) -> tuple[str, ...]:
        """The combination, with others that were given along with it as long as it stays."""
        return self._keys

    def show_keys(self, keys: tuple[str, ...]) -> None:
        """Shows the first of these."""
        self._keys = keys
        self.setKeySequence(QKeySequence(keys[0] if keys else ""))
        self._show_empty()

    @Slot(QKeySequence)
    def _on_pressed(self, pressed: QKeySequence) -> None:
        if keys_of(pressed)[:1] != self._keys[:1]:
            self._keys = keys_of(pressed)
            self.chosen.emit()
        self._show_empty()

    def _show_empty(self) -> None:
        """Qt would call in every field, and again after each change, to press a key."""
        for field in self.findChildren(QLineEdit):
            field.setPlaceholderText(localized("なし", "none"))
