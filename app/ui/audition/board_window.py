"""The window of a board: what is compared at the left, the table at the right, what can be done below it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.language import localized
from app.ui.audition.board_bar import BoardBar, BoardFilter
from app.ui.audition.board_chooser import BoardChooser
from app.ui.audition.board_keys import hints
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_view import BoardView
from app.ui.plain_text import PlainLabel
from app.ui.theme.measures import DIALOG_MARGINS

SIZE, CHOOSER_WIDTH, NARROWEST_CHOOSER = (1100, 640), 280, 272
BESIDES = (40, 80)  # pixels of the screen that are left free


class BoardWindow(QDialog):
    """Shows; what is wanted is decided elsewhere.

    Signals:
        wanted(str): a wish of `board_keys`.
    """

    wanted = Signal(str)

    def __init__(self, parent: QWidget, model: BoardModel) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("オーディション", "Audition"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.chooser, self.filter, self.bar = BoardChooser(), BoardFilter(), BoardBar()
        self.view = BoardView(model)
        self.empty = PlainLabel()
        self.empty.setObjectName("muted")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.view)
        self.pages.addWidget(self.empty)
        self.hints = QLabel(" &nbsp; ".join(f"<span style='white-space: nowrap'><b>{keys}</b> {what}</span>" for keys, what in hints()))
        self.hints.setObjectName("muted")
        self.hints.setWordWrap(True)
        self.reason = PlainLabel()
        self.reason.setObjectName("error")
        self.reason.setWordWrap(True)
        self.reason.hide()
        self.view.wanted.connect(self.wanted)
        self.bar.wanted.connect(self.wanted)
        self.bar.note.left.connect(self.view.setFocus)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self._lay_out()
        chosen = (self.chooser.take_lines, self.chooser.search, self.chooser.tree, *self.chooser.strengths.values(), self.chooser.presets)
        stops = (self.filter.starred, self.filter.rating, self.filter.compare, *chosen, self.view)
        for before, after in itertools.pairwise(stops):  # from the top down, and then on to the table
            self.setTabOrder(before, after)
        room = self.screen().availableSize()
        self.resize(min(SIZE[0], room.width() - BESIDES[0]), min(SIZE[1], room.height() - BESIDES[1]))

    def show_empty(self, why: str) -> None:
        """Instead of the table, why there is none; empty shows it."""
        self.empty.setText(why)
        self.pages.setCurrentWidget(self.empty if why else self.view)

    def show_reason(self, why: str) -> None:
        """Why the focused cell failed, for those who do not point at it; empty where it did not."""
        self.reason.setText(why)
        self.reason.setVisible(bool(why))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc stops what is heard first; Enter is the table's alone."""
        if event.key() == Qt.Key.Key_Escape:
            self.wanted.emit("stop")
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    @Slot(QPoint)
    def _show_menu(self, place: QPoint) -> None:
        if not self.view.indexAt(place).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        bar = self.bar
        for button, wish in ((bar.play, "play"), (bar.through, "through"), (bar.shuffled, "shuffled"), (bar.apply, "apply")):
            menu.addAction(button.text()).triggered.connect(self._emitter(wish))
        menu.addSeparator()
        marks = {"star": bar.star.accessibleName(), "note": bar.note.accessibleName()}
        marks |= {f"rate {number}": rating.accessibleName() for number, rating in enumerate(bar.ratings, 1)}
        marks["rate 0"] = localized("評価を消去", "Clear rating")
        for wish, name in marks.items():
            menu.addAction(name).triggered.connect(self._emitter(wish))
        menu.popup(self.view.viewport().mapToGlobal(place))

    def _emitter(self, wish: str) -> Callable[[], None]:
        return lambda: self.wanted.emit(wish)

    def _lay_out(self) -> None:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.filter)
        column.addWidget(self.pages, 1)
        column.addWidget(self.reason)
        column.addWidget(self.bar)
        column.addWidget(self.hints)
        both = QSplitter(Qt.Orientation.Horizontal)
        both.setHandleWidth(16)
        both.setChildrenCollapsible(False)
        self.chooser.setMinimumWidth(NARROWEST_CHOOSER)
        both.addWidget(self.chooser)
        both.addWidget(right)
        both.setStretchFactor(1, 1)
        both.setSizes([CHOOSER_WIDTH, SIZE[0] - CHOOSER_WIDTH])
        row = QHBoxLayout(self)
        row.setContentsMargins(*DIALOG_MARGINS)
        row.addWidget(both)
