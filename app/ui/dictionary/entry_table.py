"""A table of the entries of the user dictionary."""

import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.common.language import localize
from app.core.text.dictionary_entries import DICTIONARY_ENTRY_KINDS, DictionaryEntry
from app.core.text.pronunciation import convert_to_katakana, split_moras
from app.ui.display_names import format_word_kind
from app.ui.widgets.controls import escape_tip
from app.ui.widgets.row_table_setup import Index, RowTableModel, select_single_row

FALL, FLAT = "＼", "￣"
ENTRY_CELL_MARGINS_PX = 44  # pixels around the text, with room for the sort arrow
READING, KIND, PRIORITY = 1, 2, 3
COLUMN_SORT_KEYS: tuple[Callable[[DictionaryEntry], Any], ...] = (
    lambda word: word.surface.casefold(),
    lambda word: word.reading,
    lambda word: word.kind,
    lambda word: word.priority,
)


class EntryTableModel(RowTableModel):
    """A table model with one row for each entry that matches the search, sorted by one column.

    Qt's own sort and filter model calls Python for each cell that it compares: the window froze for 0.3 s with 3,000 entries.
    """

    def __init__(self) -> None:
        super().__init__()
        self.columns = COLUMN_SORT_KEYS
        self.words: Sequence[DictionaryEntry] = ()
        self.rows: list[DictionaryEntry] = []
        self._searchable: list[str] = []
        self._query = ""
        self._order = READING, Qt.SortOrder.AscendingOrder

    def show_entries(self, entries: Sequence[DictionaryEntry]) -> None:
        """Show other entries."""
        self.words = entries
        self._searchable = [_fold_searched_text(f"{word.surface} {word.reading}") for word in entries]
        self._update_rows()

    def search_entries(self, text: str) -> None:
        """Show only the entries that contain the text in their surface or reading."""
        self._query = _fold_searched_text(text.strip())
        self._update_rows()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the shown entries by a column."""
        self._order = column, order
        self._update_rows()

    def _update_rows(self) -> None:
        column, order = self._order
        self.beginResetModel()
        matches = [word for word, text in zip(self.words, self._searchable, strict=True) if self._query in text]
        self.rows = sorted(matches, key=COLUMN_SORT_KEYS[column], reverse=order == Qt.SortOrder.DescendingOrder)
        self.endResetModel()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title or the alignment of a column."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = (
                localize("表記", "Word"),
                localize("読みとアクセント", "Reading and accent"),
                localize("品詞", "Part of speech"),
                localize("優先度", "Priority"),
            )
            return names[section]
        return _choose_alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, tooltip or alignment."""
        word = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return (word.surface, mark_accent(word.reading, word.accent), format_word_kind(word.kind), word.priority)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() <= READING:
            return escape_tip(f"{word.surface}  {mark_accent(word.reading, word.accent)}")
        return _choose_alignment(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None


class EntryTable(QTableView):
    """A table view of the entries, sorted by any column.

    Signals:
        entries_selected(): Other entries are selected.
    """

    entries_selected = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = EntryTableModel()
        self.setModel(self.words)
        self.setObjectName("words")
        self.setAccessibleName(localize("登録した単語", "Words"))
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
        for column, widest in (
            (KIND, max(map(format_word_kind, DICTIONARY_ENTRY_KINDS), key=len)),
            (PRIORITY, localize("優先度", "Priority")),
        ):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, self.fontMetrics().horizontalAdvance(widest) + ENTRY_CELL_MARGINS_PX)
        self.selectionModel().selectionChanged.connect(lambda *_: self.entries_selected.emit())

    @property
    def selected_entries(self) -> list[DictionaryEntry]:
        """Return the selected entries."""
        return [self.words.rows[index.row()] for index in self.selectionModel().selectedRows()]

    def show_entries(self, entries: Sequence[DictionaryEntry], selected_surfaces: Collection[str]) -> None:
        """Show these entries, and select the first one with one of these surfaces."""
        self.words.show_entries(entries)
        row = next((row for row, word in enumerate(self.words.rows) if word.surface in selected_surfaces), None)
        if row is not None:
            select_single_row(self, self.words.index(row, 0))
            self.scrollTo(self.words.index(row, 0))


def mark_accent(reading: str, accent: int) -> str:
    """Mark the accent of a reading: a fall after the accented mora, or a bar after a flat word."""
    moras = split_moras(reading)
    return "".join([*moras[:accent], FALL, *moras[accent:]]) if accent else reading + FLAT


def _fold_searched_text(text: str) -> str:
    """Return a text as it is searched: hiragana finds katakana, and neither width nor case of letters matters."""
    return convert_to_katakana(unicodedata.normalize("NFKC", text)).casefold()


def _choose_alignment(column: int) -> Qt.AlignmentFlag:
    across = Qt.AlignmentFlag.AlignRight if column == PRIORITY else Qt.AlignmentFlag.AlignLeft
    return across | Qt.AlignmentFlag.AlignVCenter
