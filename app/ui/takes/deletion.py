"""Deleting the takes of a script at once: what was said in them is the user's own, and is to be gone when they say so."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMessageBox, QWidget

from app.language import localized
from app.ui.takes.shelf import TakeShelf
from app.ui.widgets.question import Answer, Role, ask


class TakesDeletion(QObject):
    """Asks first, for there is no way back.

    Attributes:
        question: what the user is asked now; None where nothing is.

    Args:
        action: asks; it can be used while there are takes.
    """

    def __init__(self, parent: QWidget, shelf: TakeShelf, action: QAction) -> None:
        super().__init__(parent)
        self._parent, self._shelf, self._action = parent, shelf, action
        self.question: QMessageBox | None = None
        shelf.book.changed.connect(self._look)
        self._look()

    @Slot()
    def ask(self) -> None:
        """Which takes are to go."""
        takes = self._shelf.book.takes
        starred = sum(take.starred for take in takes)
        answers = [Answer(localized("すべて削除", "Delete all"), Role.DestructiveRole, lambda: self._shelf.delete(starred=True))]
        if 0 < starred < len(takes):
            words = localized("スター付き以外を削除", "Keep starred")
            answers.insert(0, Answer(words, Role.DestructiveRole, lambda: self._shelf.delete(starred=False)))
        text = localized(f"この台本のテイク {len(takes)} 個を削除しますか？", f"Delete the {len(takes)} takes of this script?")
        if len(takes) == 1:
            text = localized("この台本のテイク 1 個を削除しますか？", "Delete the take of this script?")
        hint = localized("元に戻せません。", "This cannot be undone.")
        if self._shelf.has_file:
            hint += localized(
                " 音声のファイルは、プロジェクトを保存したときに消えます。", " Their sound files go when the project is saved."
            )
        self.question = ask(self._parent, self._action.iconText().rstrip("…"), (text, hint), answers)
        self.question.finished.connect(self._on_answered)

    def close(self) -> None:
        """Nothing is asked any more."""
        if self.question is not None:
            self.question.reject()

    @Slot()
    def _on_answered(self) -> None:
        self.question = None

    @Slot()
    def _look(self) -> None:
        self._action.setEnabled(bool(self._shelf.book.takes))
