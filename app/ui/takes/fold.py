"""Whether the list of takes is open: by its button above the strip, by a key or the menu, and remembered. It takes no room while it is closed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language import localized
from app.ui.reading.strip.panel import StripPanel
from app.ui.settings.store import SettingsStore
from app.ui.takes.book import TITLE
from app.ui.takes.controller import TakesController
from app.ui.widgets.fold_button import FoldButton
from app.ui.widgets.scroll_frame import ScrollFrame

if TYPE_CHECKING:
    from app.ui.takes.panel import TakePanel


class TakesButton(FoldButton):
    """Says how many takes the selected line has."""

    def __init__(self, tip: str) -> None:
        super().__init__(localized(*TITLE), tip)

    @Slot(int)
    def show_count(self, count: int) -> None:
        """Shows it; none is no number."""
        words = localized(*TITLE)
        self.setText(f"{words} {count}" if count else words)
        self.setAccessibleName(self.text())


class TakesFold(QObject):
    """Keeps button, action and settings in step; the panel is made when it is opened first.

    Attributes:
        button: in the header of the strip.

    Signals:
        folded(): the list of lines is lower or higher now.

    Args:
        strip: what Tab reaches before the panel.
        frame: with the strip, what the panel lies under; `below` is the layout with both.
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
        action.toggled.connect(self._on_toggled)
        takes.counted.connect(self.button.show_count)
        takes.panel_requested.connect(action.setChecked)

    @Slot()
    def restore(self) -> None:
        """Opens it where it was open last; once the window is seen."""
        self._action.setChecked(self._settings.value.takes_open)

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self.button.setChecked(is_open)
        panel = self._takes.panel or (self._made() if is_open else None)
        if panel is not None:
            focused = panel.window().focusWidget()
            panel.setVisible(is_open)
            self._takes.show()
            if focused is not None and panel.isAncestorOf(focused):  # else the keys would go nowhere
                self.button.setFocus()
        self._settings.change(takes_open=is_open)
        self.folded.emit()

    def _made(self) -> TakePanel:
        panel = self._takes.make_panel()
        frame = ScrollFrame(panel)
        self._below.insertWidget(self._below.indexOf(self._frame) + 1, frame)
        frame.show()  # a layout would do so a moment later
        stops: tuple[QWidget, ...] = (self._strip.strip, *panel.stops)
        for before, after in itertools.pairwise(stops):
            QWidget.setTabOrder(before, after)
        return panel
