"""The words of the user's dictionary as a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.core.dictionary import KINDS, Entry
from app.core.moras import split_moras
from app.language import localized
from app.ui.labels import kind_name
from app.ui.plain_text import plain_tip

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
FALL, FLAT = "＼", "￣"
CELL_MARGINS = 44  # pixels beside the text, with room for the arrow that shows the order
READING, KIND, PRIORITY = 1, 2, 3
ORDERS: tuple[Callable[[Entry], Any], ...] = (
    lambda word: word.surface.casefold(),
    lambda word: word.reading,
    lambda word: word.kind,
    lambda word: word.priority,
)


class WordModel(QAbstractTableModel):
    """A row for each word that holds what is searched for, in the order of one column.

    Qt's own model for that asks Python for each cell that it compares, and the window stands still for 0.3 s with 3,000 words.

    Attributes:
        words: all there are.
        rows: those that are shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.words: Sequence[Entry] = ()
        self.rows: list[Entry] = []
        self._searched = ""
        self._order = READING, Qt.SortOrder.AscendingOrder

    def show(self, words: Sequence[Entry]) -> None:
        """Shows other words."""
        self.words = words
        self._arrange()

    def search(self, text: str) -> None:
        """Shows those alone that hold the text in their surface or reading."""
        self._searched = text.strip().casefold()
        self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Shows them in another order."""
        self._order = column, order
        self._arrange()

    def _arrange(self) -> None:
        column, order = self._order
        self.beginResetModel()
        found = [word for word in self.words if self._searched in f"{word.surface} {word.reading}".casefold()]
        self.rows = sorted(found, key=ORDERS[column], reverse=order == Qt.SortOrder.DescendingOrder)
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """One for each word that is shown."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Surface, reading, kind, priority."""
        return 0 if parent.isValid() else len(ORDERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = (
                localized("表記", "Word"),
                localized("読みとアクセント", "Reading and accent"),
                localized("品詞", "Part of speech"),
                localized("優先度", "Priority"),
            )
            return names[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the word is."""
        word = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (word.surface, marked(word.reading, word.accent), kind_name(word.kind), word.priority)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() <= READING:
            return plain_tip(f"{word.surface}  {marked(word.reading, word.accent)}")
        return _alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None


class WordTable(QTableView):
    """Words in the order of any column, those alone that hold what is searched for.

    Signals:
        chosen(): other words are selected.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = WordModel()
        self.setModel(self.words)
        self.setObjectName("words")
        self.setAccessibleName(localized("登録した単語", "Words"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setSortingEnabled(True)
        self.sortByColumn(READING, Qt.SortOrder.AscendingOrder)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column, widest in ((KIND, max(map(kind_name, KINDS), key=len)), (PRIORITY, localized("優先度", "Priority"))):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, self.fontMetrics().horizontalAdvance(widest) + CELL_MARGINS)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())

    @property
    def selected(self) -> list[Entry]:
        """The words that are selected."""
        return [self.words.rows[index.row()] for index in self.selectionModel().selectedRows()]

    def show_words(self, words: Sequence[Entry], chosen: Collection[str]) -> None:
        """Shows these words, and selects the first of those with these surfaces."""
        self.words.show(words)
        row = next((row for row, word in enumerate(self.words.rows) if word.surface in chosen), None)
        if row is not None:
            self.selectRow(row)
            self.scrollTo(self.words.index(row, 0))


def marked(reading: str, accent: int) -> str:
    """A reading with its accent: a fall behind the last high mora, or a line above a flat word."""
    moras = split_moras(reading)
    return "".join([*moras[:accent], FALL, *moras[accent:]]) if accent else reading + FLAT


def _alignment(column: int) -> Qt.AlignmentFlag:
    across = Qt.AlignmentFlag.AlignRight if column == PRIORITY else Qt.AlignmentFlag.AlignLeft
    return across | Qt.AlignmentFlag.AlignVCenter
