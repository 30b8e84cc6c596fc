"""The window of the audition board: the chooser at the left, the table at the right, the buttons below the table."""

from __future__ import annotations

import itertools
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.audition.board_bar import BoardBar, BoardFilter
from app.ui.audition.board_chooser import BoardChooser
from app.ui.audition.board_model import BoardModel
from app.ui.audition.board_view import BoardView, list_key_hints
from app.ui.plain_text import PlainLabel
from app.ui.theme.dialog_margins import DIALOG_MARGINS
from app.ui.widgets.box_layout import fill_box

SIZE, CHOOSER_WIDTH, NARROWEST_CHOOSER = (1100, 640), 280, 272
WORD_JOINER = "\u2060"  # Qt breaks Japanese text in spite of `nowrap`
SCREEN_MARGINS_PX = (40, 80)  # these pixels of the screen stay free, for the title bar and the desktop's panels


class BoardWindow(QDialog):
    """Shows the board and emits commands; the controllers decide what follows.

    Signals:
        command_requested(str): A command of `BOARD_KEYS` was chosen.
    """

    command_requested = Signal(str)

    def __init__(self, parent: QWidget, model: BoardModel) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("オーディション", "Audition"))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.chooser, self.filter, self.bar = BoardChooser(), BoardFilter(), BoardBar()
        self.view = BoardView(model)
        self.empty = PlainLabel("", "muted", wraps=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.view)
        self.pages.addWidget(self.empty)
        self.hints = QLabel(wordWrap=True)
        self.hints.setObjectName("muted")
        self.reason = PlainLabel("", "error", wraps=True)
        self.reason.hide()
        self.view.command_requested.connect(self.command_requested)
        self.bar.command_requested.connect(self.command_requested)
        self.bar.note.leave_requested.connect(self.view.setFocus)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.show_targets(is_of_casts=False, character="")
        self._lay_out_widgets()
        chooser = self.chooser
        choices = (chooser.take_lines_button, chooser.tabs, chooser.search, chooser.tree, *chooser.strengths.values(), chooser.presets)
        stops = (self.filter.starred, self.filter.rating, self.filter.compare_button, *choices, self.view)
        # Qt's order follows creation: Tab would leave the filter for the bar and reach the table late.
        for before, after in itertools.pairwise(stops):
            self.setTabOrder(before, after)
        room = self.screen().availableSize()
        self.resize(min(SIZE[0], room.width() - SCREEN_MARGINS_PX[0]), min(SIZE[1], room.height() - SCREEN_MARGINS_PX[1]))

    def show_targets(self, *, is_of_casts: bool, character: str) -> None:
        """Show what can be applied to whom; see `BoardBar.show_targets`."""
        hints = list_key_hints(is_of_casts=is_of_casts)
        words = ((keys, WORD_JOINER.join(description)) for keys, description in hints)
        self.hints.setText(
            " &nbsp; ".join(f"<span style='white-space: nowrap'><b>{keys}</b> {description}</span>" for keys, description in words)
        )
        self.view.show_wide_names(is_wide=is_of_casts)
        self.bar.show_targets(is_of_casts=is_of_casts, character=character)

    def show_empty(self, reason: str) -> None:
        """Show why there is no table; an empty reason shows the table."""
        self.empty.setText(reason)
        self.pages.setCurrentWidget(self.empty if reason else self.view)

    def show_failure_reason(self, reason: str) -> None:
        """Show why the focused cell failed, for users who do not hover it; an empty reason hides the text."""
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc stop playback before it closes the window, and leave Enter to the table."""
        if event.key() == Qt.Key.Key_Escape:
            self.command_requested.emit("stop")
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    @Slot(QPoint)
    def _show_menu(self, position: QPoint) -> None:
        if not self.view.indexAt(position).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        bar = self.bar
        for command, button in bar.buttons.items():
            if not button.isHidden():
                menu.addAction(button.text()).triggered.connect(partial(self._request_command, command))
        menu.addSeparator()
        marks = {"star": bar.star_button.accessibleName(), "note": bar.note.accessibleName()}
        marks |= {f"rate {number}": rating.accessibleName() for number, rating in enumerate(bar.ratings, 1)}
        marks["rate 0"] = localize("評価を消去", "Clear rating")
        for command, name in marks.items():
            menu.addAction(name).triggered.connect(partial(self._request_command, command))
        menu.popup(self.view.viewport().mapToGlobal(position))

    def _request_command(self, command: str, _is_checked: bool = False) -> None:
        self.command_requested.emit(command)

    def _lay_out_widgets(self) -> None:
        right = QWidget()
        fill_box(QVBoxLayout(right), self.filter, (self.pages, 1), self.reason, self.bar, self.hints, spacing=8)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setHandleWidth(16)
        splitter.setChildrenCollapsible(False)
        self.chooser.setMinimumWidth(NARROWEST_CHOOSER)
        splitter.addWidget(self.chooser)
        splitter.addWidget(right)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([CHOOSER_WIDTH, SIZE[0] - CHOOSER_WIDTH])
        fill_box(QHBoxLayout(self), splitter, margins=DIALOG_MARGINS)
