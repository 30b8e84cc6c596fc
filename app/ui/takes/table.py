"""The list of takes, with its keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.language import localized
from app.ui.takes.model import DIFFERS, LENGTH, NOTE, NUMBER, SEED, STAR, Row, TakeModel

ROW_MARGINS, CELL_MARGINS = 6, 24  # pixels
ROWS, FEW_ROWS, FEWEST_ROWS = 5, 3, 2  # in sight
HIGH_WINDOW, LOW_WINDOW = 900, 760  # pixels below which the script needs the room
NOTE_SHARE = 0.4  # of what the figures leave; the rest says what differs
KEYS = {
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
    """One row is current; keys and buttons act on it.

    Signals:
        chosen(): another row is current.
        asked(str): a key, a double click or the star wants this done: play, compare, star, note, restore, keep, delete.
    """

    chosen = Signal()
    asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.takes = TakeModel()
        self.setModel(self.takes)
        self.setObjectName("takes")
        self.setAccessibleName(localized("この行のテイク", "Takes of this line"))
        self.setToolTip(
            localized(
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
        self.clicked.connect(self._on_clicked)
        self.doubleClicked.connect(self._on_double_clicked)

    @property
    def current(self) -> Row | None:
        """The row that keys act on."""
        rows = self.selectionModel().selectedRows()
        return self.takes.rows[rows[0].row()] if rows else None

    def show_rows(self, rows: Sequence[Row], wanted: str = "") -> None:
        """Shows others; the row of the wanted take is current, or else the one that was, or its neighbour."""
        before = self.current.take.id if self.current else ""
        place = next((place for place, row in enumerate(self.takes.rows) if row.take.id == before), 0)
        self.takes.show_rows(rows)
        found = {row.take.id: place for place, row in enumerate(rows)}
        chosen = found.get(wanted, found.get(before, min(place, len(rows) - 1)))
        if rows:
            self.selectRow(chosen)
            self.scrollTo(self.takes.index(chosen, 0))
        self.chosen.emit()

    def fit(self, window_height: int) -> None:
        """As high as so many rows."""
        rows = ROWS if window_height >= HIGH_WINDOW else FEW_ROWS if window_height >= LOW_WINDOW else FEWEST_ROWS
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows * self.verticalHeader().defaultSectionSize() + 4)

    def write_note(self) -> None:
        """Opens the note of the current row."""
        rows = self.selectionModel().selectedRows(NOTE)
        if rows and self.takes.flags(rows[0]) & Qt.ItemFlag.ItemIsEditable:
            self.setCurrentIndex(rows[0])
            self.edit(rows[0])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The words share what the figures leave."""
        header = self.horizontalHeader()
        left = self.viewport().width() - sum(header.sectionSize(column) for column in (STAR, NUMBER, LENGTH, SEED))
        header.resizeSection(NOTE, max(0, round(NOTE_SHARE * left)))
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """One key for each thing that can be done."""
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        name = KEYS.get(Qt.Key(event.key()), "") if plain else ""
        if name and self.current is not None:
            self.asked.emit(name)
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == STAR:
            self.asked.emit("star")

    @Slot(QModelIndex)
    def _on_double_clicked(self, index: QModelIndex) -> None:
        if index.column() == NOTE:
            self.write_note()
        elif index.column() != STAR:
            self.asked.emit("play")

    def _lay_out_columns(self) -> None:
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        header.setHighlightSections(False)
        widest = {
            STAR: "★",
            NUMBER: "▶ " + localized("未保存", "not saved"),
            LENGTH: localized("999.99 秒", "999.99 s"),
            SEED: "4294967295",
        }
        for column, words in widest.items():
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, metrics.horizontalAdvance(words) + CELL_MARGINS)
        header.setSectionResizeMode(NOTE, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(DIFFERS, QHeaderView.ResizeMode.Stretch)
