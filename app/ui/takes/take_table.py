"""The table of takes with its keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.common.language import localize
from app.ui.takes.take_model import DIFFERS, LENGTH, NOTE, NUMBER, SEED, STAR, TakeModel, TakeRow

# Pixels added to the height of the text, and to its width.
ROW_MARGINS, CELL_MARGINS = 6, 24
# Visible rows in a high, a lower and a low window.
ROWS, FEW_ROWS, FEWEST_ROWS = 5, 3, 2
# Window heights in pixels; below them the script needs the room.
HIGH_WINDOW, LOW_WINDOW = 900, 760
# Share of the width that the number columns leave; the differences get the rest.
NOTE_COLUMN_SHARE = 0.4
TAKE_TABLE_KEYS = {
    Qt.Key.Key_Space: "play",
    Qt.Key.Key_Return: "play",
    Qt.Key.Key_Enter: "play",
    Qt.Key.Key_A: "compare",
    Qt.Key.Key_S: "star",
    Qt.Key.Key_N: "note",
    Qt.Key.Key_F2: "note",
    Qt.Key.Key_R: "restore",
    Qt.Key.Key_K: "keep",
    Qt.Key.Key_Delete: "delete",
}


class TakeTable(QTableView):
    """A table with one current row, which keys and buttons act on.

    Signals:
        chosen(): another row is current.
        command_requested(str): a key, a double click or the star column: play, compare, star, note, restore, keep, delete.
    """

    chosen = Signal()
    command_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.takes = TakeModel()
        self.setModel(self.takes)
        self.setObjectName("takes")
        self.setAccessibleName(localize("この行のテイク", "Takes of this line"))
        self.setToolTip(
            localize(
                "Space：再生　A：現在の行と聞き比べ　S：スター　N：メモ　R：この設定に戻す　K：保存　Del：削除",
                "Space: play · A: compare with the line · S: star · N: note · R: restore settings · K: keep · Del: delete",
            )
        )
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + ROW_MARGINS)
        self._lay_out_columns()
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        self.clicked.connect(self._toggle_star)
        self.doubleClicked.connect(self._request_play)

    @property
    def current(self) -> TakeRow | None:
        """Return the current row, or None."""
        rows = self.selectionModel().selectedRows()
        return self.takes.rows[rows[0].row()] if rows else None

    def show_rows(self, rows: Sequence[TakeRow], wanted: str = "") -> None:
        """Show other rows and select `wanted`, else the take that was current, else its neighbour."""
        before = self.current.take.id if self.current else ""
        place = next((place for place, row in enumerate(self.takes.rows) if row.take.id == before), 0)
        self.takes.show_rows(rows)
        found = {row.take.id: place for place, row in enumerate(rows)}
        chosen = found.get(wanted, found.get(before, min(place, len(rows) - 1)))
        if rows:
            self.selectRow(chosen)
            self.scrollTo(self.takes.index(chosen, 0))
        self.chosen.emit()

    def fit_height(self, window_height: int) -> None:
        """Set the height to 5, 3 or 2 rows, by the height of the window in pixels."""
        rows = ROWS if window_height >= HIGH_WINDOW else FEW_ROWS if window_height >= LOW_WINDOW else FEWEST_ROWS
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows * self.verticalHeader().defaultSectionSize() + 4)

    def edit_note(self) -> None:
        """Open the editor for the note of the current row."""
        rows = self.selectionModel().selectedRows(NOTE)
        if rows and self.takes.flags(rows[0]) & Qt.ItemFlag.ItemIsEditable:
            self.setCurrentIndex(rows[0])
            self.edit(rows[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the width that the number columns leave between differences and notes."""
        header = self.horizontalHeader()
        left = self.viewport().width() - sum(header.sectionSize(column) for column in (STAR, NUMBER, LENGTH, SEED))
        header.resizeSection(NOTE, max(0, round(NOTE_COLUMN_SHARE * left)))
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit the command of a key."""
        # Keys of the numeric keypad carry a modifier of their own, and its Enter counts too.
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        name = TAKE_TABLE_KEYS.get(Qt.Key(event.key()), "") if plain else ""
        if name and self.current is not None:
            self.command_requested.emit(name)
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _toggle_star(self, index: QModelIndex) -> None:
        if index.column() == STAR:
            self.command_requested.emit("star")

    @Slot(QModelIndex)
    def _request_play(self, index: QModelIndex) -> None:
        if index.column() == NOTE:
            self.edit_note()
        elif index.column() != STAR:
            self.command_requested.emit("play")

    def _lay_out_columns(self) -> None:
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        header.setHighlightSections(False)
        widest = {
            STAR: "★",
            NUMBER: "▶ " + localize("未保存", "not saved"),
            LENGTH: localize("999.99 秒", "999.99 s"),
            SEED: "4294967295",
        }
        for column, words in widest.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, metrics.horizontalAdvance(words) + CELL_MARGINS)
        header.setSectionResizeMode(NOTE, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(DIFFERS, QHeaderView.ResizeMode.Stretch)
