"""The words of the user's dictionary as a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.core.dictionary import Entry
from app.core.moras import split_moras
from app.language import say
from app.ui.names import kind_name

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
FALL, FLAT = "＼", "￣"
READING, PRIORITY = 1, 3


class WordModel(QAbstractTableModel):
    """A row for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.words: Sequence[Entry] = ()

    def show(self, words: Sequence[Entry]) -> None:
        """Shows other words."""
        self.beginResetModel()
        self.words = words
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """One for each word."""
        return 0 if parent.isValid() else len(self.words)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Surface, reading, kind, priority."""
        return 0 if parent.isValid() else 4

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = (say("表記", "Word"), say("読みとアクセント", "Reading and accent"), say("品詞", "Kind"), say("優先度", "Priority"))
            return names[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the word is."""
        word = self.words[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (word.surface, marked(word.reading, word.accent), kind_name(word.kind), word.priority)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() <= READING:
            return f"{word.surface}  {marked(word.reading, word.accent)}"
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
        self._shown = QSortFilterProxyModel(self)
        self._shown.setSourceModel(self.words)
        self._shown.setFilterKeyColumn(-1)
        self._shown.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._shown)
        self.setObjectName("words")
        self.setAccessibleName(say("登録した単語", "Words"))
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
        for column in (READING + 1, PRIORITY):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())

    @property
    def selected(self) -> list[Entry]:
        """The words that are selected."""
        return [self.words.words[self._shown.mapToSource(index).row()] for index in self.selectionModel().selectedRows()]

    @Slot(str)
    def search(self, text: str) -> None:
        """Shows the words that hold this text anywhere."""
        self._shown.setFilterFixedString(text.strip())

    def show_words(self, words: Sequence[Entry], chosen: Collection[str]) -> None:
        """Shows these words, and selects those with these surfaces."""
        self.words.show(words)
        row = next((row for row, word in enumerate(words) if word.surface in chosen), None)
        place = self._shown.mapFromSource(self.words.index(row, 0)) if row is not None else QModelIndex()
        if place.isValid():
            self.selectRow(place.row())
            self.scrollTo(place)


def marked(reading: str, accent: int) -> str:
    """A reading with its accent: a fall behind the last high mora, or a line above a flat word."""
    moras = split_moras(reading)
    return "".join([*moras[:accent], FALL, *moras[accent:]]) if accent else reading + FLAT


def _alignment(column: int) -> Qt.AlignmentFlag:
    across = Qt.AlignmentFlag.AlignRight if column == PRIORITY else Qt.AlignmentFlag.AlignLeft
    return across | Qt.AlignmentFlag.AlignVCenter
