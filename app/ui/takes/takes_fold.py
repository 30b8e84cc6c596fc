"""Opens and closes the panel of takes by its button, a key or the menu, and deletes the takes of a script at once.

The panel's state is remembered; closed, it takes no room. Takes are recordings of the user's own text, and must be gone when the user says so.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMessageBox, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.reading.strip_panel import StripPanel
from app.ui.settings.settings_store import SettingsStore
from app.ui.takes.take_repository import TAKES_TITLE, TakeRepository
from app.ui.takes.takes_controller import TakesController
from app.ui.widgets.containers import FoldButton, ScrollFrame
from app.ui.widgets.dialogs import ButtonRole, DialogButton, OpenDialog, show_question

if TYPE_CHECKING:
    from app.ui.takes.take_panel import TakePanel


class TakesButton(FoldButton):
    """Shows how many takes the selected line has."""

    def __init__(self, tip: str) -> None:
        super().__init__(localize(*TAKES_TITLE), tip)

    @Slot(int)
    def show_count(self, count: int) -> None:
        """Show the number of takes; zero is not written."""
        title = localize(*TAKES_TITLE)
        self.setText(f"{title} {count}" if count else title)
        self.setAccessibleName(self.text())


class TakesFold(QObject):
    """Keeps button, action and settings in step; the panel is created when it is first opened.

    Signals:
        folded(): the height of the list of lines has changed.

    Args:
        frame: the frame with the strip, below which the panel is put; `below` is the layout of both.
    """

    folded = Signal()

    def __init__(
        self, takes: TakesController, action: QAction, settings: SettingsStore, strip: StripPanel, frame: QWidget, below: QVBoxLayout
    ) -> None:
        super().__init__(takes)
        self._takes, self._action, self._settings = takes, action, settings
        self._strip, self._frame, self._below = strip, frame, below
        self.button = TakesButton(action.toolTip())
        strip.add_tool(self.button)
        self.button.toggled.connect(action.setChecked)
        action.toggled.connect(self._show_panel)
        takes.counted.connect(self.button.show_count)
        takes.panel_requested.connect(action.setChecked)

    @Slot()
    def restore_fold(self) -> None:
        """Open the panel if it was open last; called after the first paint."""
        self._action.setChecked(self._settings.value.takes_open)

    @Slot(bool)
    def _show_panel(self, is_open: bool) -> None:
        self.button.setChecked(is_open)
        panel = self._takes.panel or (self._ensure_panel() if is_open else None)
        if panel is not None:
            focused = panel.window().focusWidget()
            panel.setVisible(is_open)
            self._takes.show_takes()
            # Without this no widget would have the focus, and keys would have no effect.
            if focused is not None and panel.isAncestorOf(focused):
                self.button.setFocus()
        self._settings.change_settings(takes_open=is_open)
        self.folded.emit()

    def _ensure_panel(self) -> TakePanel:
        panel = self._takes.create_panel()
        frame = ScrollFrame(panel)
        self._below.insertWidget(self._below.indexOf(self._frame) + 1, frame)
        # The layout would show the frame only in a later turn of the event loop.
        frame.show()
        stops: tuple[QWidget, ...] = (self._strip.lane, *panel.stops)
        for before, after in itertools.pairwise(stops):
            QWidget.setTabOrder(before, after)
        return panel


class TakesDeletionController(QObject):
    """Asks before deleting, as this cannot be undone."""

    question: OpenDialog[QMessageBox] = OpenDialog()

    def __init__(self, parent: QWidget, shelf: TakeRepository, action: QAction) -> None:
        super().__init__(parent)
        self._parent, self._shelf, self._action = parent, shelf, action
        shelf.book.changed.connect(self._update_action)
        self._update_action()

    @Slot()
    def ask_which_takes(self) -> None:
        takes = self._shelf.book.takes
        starred = sum(take.starred for take in takes)
        answers = [
            DialogButton(localize("すべて削除", "Delete all"), ButtonRole.DestructiveRole, lambda: self._shelf.delete_takes(starred=True))
        ]
        if 0 < starred < len(takes):
            keep_starred = localize("スター付き以外を削除", "Keep starred")
            answers.insert(0, DialogButton(keep_starred, ButtonRole.DestructiveRole, lambda: self._shelf.delete_takes(starred=False)))
        text = localize(f"この台本のテイク {len(takes)} 個を削除しますか？", f"Delete the {len(takes)} takes of this script?")
        if len(takes) == 1:
            text = localize("この台本のテイク 1 個を削除しますか？", "Delete the take of this script?")
        hint = localize("元に戻せません。", "This cannot be undone.")
        if self._shelf.has_file:
            hint += localize(
                " 音声のファイルは、プロジェクトを保存したときに消えます。", " Their sound files go when the project is saved."
            )
        self.question = show_question(self._parent, self._action.iconText().rstrip("…"), (text, hint), answers)

    def close(self) -> None:
        """Close an open question."""
        if self.question is not None:
            self.question.reject()

    @Slot()
    def _update_action(self) -> None:
        self._action.setEnabled(bool(self._shelf.book.takes))
