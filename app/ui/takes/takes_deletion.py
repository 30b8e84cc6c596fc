"""Deletes the takes of a script at once: they are recordings of the user's own text, and must be gone when the user says so."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMessageBox, QWidget

from app.common.language import localize
from app.ui.takes.take_repository import TakeRepository
from app.ui.widgets.question_box import ButtonRole, DialogButton, show_question


class TakesDeletionController(QObject):
    """Asks before deleting, as this cannot be undone.

    Attributes:
        question: the open question, or None.

    Args:
        action: opens the question; enabled while there are takes.
    """

    def __init__(self, parent: QWidget, shelf: TakeRepository, action: QAction) -> None:
        super().__init__(parent)
        self._parent, self._shelf, self._action = parent, shelf, action
        self.question: QMessageBox | None = None
        shelf.book.changed.connect(self._update_action)
        self._update_action()

    @Slot()
    def ask_which_takes(self) -> None:
        """Ask which takes to delete."""
        takes = self._shelf.book.takes
        starred = sum(take.starred for take in takes)
        answers = [
            DialogButton(localize("すべて削除", "Delete all"), ButtonRole.DestructiveRole, lambda: self._shelf.delete_takes(starred=True))
        ]
        if 0 < starred < len(takes):
            words = localize("スター付き以外を削除", "Keep starred")
            answers.insert(0, DialogButton(words, ButtonRole.DestructiveRole, lambda: self._shelf.delete_takes(starred=False)))
        text = localize(f"この台本のテイク {len(takes)} 個を削除しますか？", f"Delete the {len(takes)} takes of this script?")
        if len(takes) == 1:
            text = localize("この台本のテイク 1 個を削除しますか？", "Delete the take of this script?")
        hint = localize("元に戻せません。", "This cannot be undone.")
        if self._shelf.has_file:
            hint += localize(
                " 音声のファイルは、プロジェクトを保存したときに消えます。", " Their sound files go when the project is saved."
            )
        self.question = show_question(self._parent, self._action.iconText().rstrip("…"), (text, hint), answers)
        self.question.finished.connect(self._apply_answer)

    def close(self) -> None:
        """Close an open question."""
        if self.question is not None:
            self.question.reject()

    @Slot()
    def _apply_answer(self) -> None:
        self.question = None

    @Slot()
    def _update_action(self) -> None:
        self._action.setEnabled(bool(self._shelf.book.takes))
