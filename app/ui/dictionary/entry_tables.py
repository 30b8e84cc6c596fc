"""Tables of entries: those of a dictionary, and what a file would change in it, shown before anything is written."""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

from app.common.language import localize
from app.core.text.dictionary_entries import DICTIONARY_ENTRY_KINDS, DictionaryComparison, DictionaryEntry
from app.core.text.pronunciation import convert_to_katakana, split_moras
from app.ui.display_names import format_word_kind
from app.ui.widgets.controls import (
    DIALOG_MARGINS,
    Index,
    PlainLabel,
    RowTableModel,
    create_button,
    escape_tip,
    fill_box,
    select_single_row,
    set_up_row_table,
)
from app.ui.widgets.dialogs import ClosableDialog

FALL, FLAT = "＼", "￣"
ENTRY_CELL_MARGINS_PX = 44  # pixels around the text, with room for the sort arrow
READING, KIND, PRIORITY = 1, 2, 3
IMPORT_PREVIEW_SIZE = (960, 520)
ROW_MARGINS_PX = 10
PREVIEW_COLUMN_WIDTHS_PX = (120, 130, 220)
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


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One row of the table: a word, as it is now and as the file has it, and what that means."""

    surface: str
    present: str
    imported: str
    state: str


class ImportPreviewModel(RowTableModel):
    """A table model of everything that a file holds; what needs a decision comes first."""

    def __init__(self, comparison: DictionaryComparison) -> None:
        super().__init__()
        self.rows = list(_list_rows(comparison))
        self.columns = (localize("表記", "Word"), localize("現在", "Now"), localize("ファイル", "File"), localize("結果", "Result"))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title of a column."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return self.columns[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text or tooltip."""
        row = self.rows[index.row()]
        text = (row.surface, row.present, row.imported, row.state)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        return escape_tip(text) if role == Qt.ItemDataRole.ToolTipRole else None


class ImportPreviewDialog(ClosableDialog):
    """A dialog that asks what to do with the words of a file.

    Signals:
        import_requested(bool): The words are to be added; True keeps those that are there as they are.
    """

    import_requested = Signal(bool)

    def __init__(self, parent: QWidget, name: str, comparison: DictionaryComparison) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("読み込む単語の確認", "Words to import"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*IMPORT_PREVIEW_SIZE)
        self.summary = PlainLabel(f"{name}\n{_describe_comparison(comparison)}")
        self.summary.setWordWrap(True)
        self.table = _create_table(ImportPreviewModel(comparison))
        self.replace_button = create_button(
            localize("置き換えて読み込む", "Import and replace") if comparison.conflicts else localize("読み込む", "Import"),
            localize("登録済みの単語も、ファイルの内容に置き換えます。", "Words that are there become as they are in the file."),
            lambda: self._request_import(keep=False),
            style="primary",
        )
        text = localize("新しい単語だけ読み込む", "Import new words only")
        tip = localize("登録済みの単語は変更しません。", "Words that are there stay as they are.")
        self.keep_button = create_button(text, tip, lambda: self._request_import(keep=True))
        self.replace_button.setEnabled(bool(comparison.added or comparison.conflicts))
        self.keep_button.setVisible(bool(comparison.conflicts))
        self.keep_button.setEnabled(bool(comparison.added))
        text = localize("キャンセル", "Cancel")
        cancel = create_button(text, localize("何も読み込みません。（Esc）", "Imports nothing. (Esc)"), self.reject)
        buttons = fill_box(QHBoxLayout(), None, self.replace_button, self.keep_button, cancel)
        self.replace_button.setAutoDefault(True)
        fill_box(QVBoxLayout(self), self.summary, (self.table, 1), buttons, margins=DIALOG_MARGINS, spacing=10)

    def _request_import(self, *, keep: bool) -> None:
        self.import_requested.emit(keep)
        self.accept()


def _create_table(model: ImportPreviewModel) -> QTableView:
    table = QTableView()
    table.setModel(model)
    model.setParent(table)
    table.setObjectName("words")
    table.setAccessibleName(localize("読み込む単語", "Words of the file"))
    set_up_row_table(table, ROW_MARGINS_PX)
    table.horizontalHeader().setHighlightSections(False)
    # What is wrong with a line is a sentence, and has the room that words and readings leave.
    for column, width in enumerate(PREVIEW_COLUMN_WIDTHS_PX):
        table.setColumnWidth(column, width)
    table.horizontalHeader().setSectionResizeMode(len(PREVIEW_COLUMN_WIDTHS_PX), QHeaderView.ResizeMode.Stretch)
    return table


def _list_rows(comparison: DictionaryComparison) -> Iterator[PreviewRow]:
    for conflict in comparison.conflicts:
        present, imported = _format_difference(conflict.present, conflict.imported)
        yield PreviewRow(conflict.imported.surface, present, imported, localize("登録済みと異なります", "Differs from yours"))
    for conflict in comparison.duplicates:
        first, second = _format_difference(conflict.present, conflict.imported)
        last = localize("ファイル内で重複（最後を使用）", "Twice in the file; the last counts")
        yield PreviewRow(conflict.imported.surface, "", f"{first} / {second}", last)
    for error in comparison.rejected:
        yield PreviewRow("", "", "", f"{error.message} {error.hint}")
    for entry in comparison.added:
        yield PreviewRow(entry.surface, "", mark_accent(entry.reading, entry.accent), localize("追加します", "New"))
    for entry in comparison.unchanged:
        reading = mark_accent(entry.reading, entry.accent)
        yield PreviewRow(entry.surface, reading, reading, localize("登録済みと同じです", "Same as yours"))


def _format_difference(first: DictionaryEntry, second: DictionaryEntry) -> tuple[str, str]:
    """Return both entries by reading and accent; where those are equal, with part of speech and priority."""
    texts = tuple(mark_accent(entry.reading, entry.accent) for entry in (first, second))
    if texts[0] == texts[1]:
        texts = tuple(
            f"{text}  {format_word_kind(entry.kind)} {entry.priority}" for text, entry in zip(texts, (first, second), strict=True)
        )
    return texts[0], texts[1]


def _describe_comparison(comparison: DictionaryComparison) -> str:
    counts = (
        (len(comparison.added), "新しい単語", "new"),
        (len(comparison.conflicts), "登録済みと異なる単語", "different from yours"),
        (len(comparison.unchanged), "登録済みと同じ単語", "same as yours"),
        (len(comparison.duplicates), "ファイル内の重複", "twice in the file"),
        (len(comparison.rejected), "読み込めない行", "rejected"),
    )
    return "   ".join(localize(f"{ja} {count:,}", f"{count:,} {en}") for count, ja, en in counts if count) or localize(
        "単語がありません。", "There are no words."
    )
