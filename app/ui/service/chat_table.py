"""The table of comments: the one that is read, those that wait, and what became of the last ones. Strangers wrote them: nothing is shown as HTML."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QBrush, QContextMenuEvent, QFont, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from app.common.language import localize
from app.service.chat.chat_protocol import ChatTalk
from app.service.chat.chat_queue import ChatOutcome, ChatSnapshot
from app.ui.theme.theme import ThemedWidget
from app.ui.widgets.controls import Index, RowTableModel, select_single_row, set_up_row_table, wrap_tip

COLUMNS = WRITER, WORDS, READER, STATE = range(4)
ROW_MARGINS = 12
HIGHLIGHT_ALPHA = 48  # of 255, of the accent behind the comment that is read
WRITER_PX, READER_PX, CELL_MARGINS = 130, 150, 22  # pixels: the widths of two columns, and what is added to the width of a text


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A comment with what becomes of it."""

    talk: ChatTalk
    place: int | None  # 0 for the comment that is read, then its place among those that wait; None once it is over
    outcome: ChatOutcome | None = None

    @property
    def has_reader(self) -> bool:
        """Return whether somebody reads it, or has begun to."""
        return self.outcome in (None, ChatOutcome.READ, ChatOutcome.SKIPPED, ChatOutcome.FAILED)


def list_chat_rows(snapshot: ChatSnapshot) -> list[ChatRow]:
    """Return the rows of a queue: what is read, what waits, and what is over, the newest first."""
    waiting = [ChatRow(talk, place) for place, talk in enumerate(snapshot.waiting, 1)]
    current = [ChatRow(snapshot.current, 0)] if snapshot.current is not None else []
    return [*current, *waiting, *(ChatRow(record.talk, None, record.outcome) for record in snapshot.finished)]


def describe_writer(talk: ChatTalk) -> str:
    """Return the name before a comment, or the number that came with it."""
    return talk.writer or (localize(f"番号 {talk.voice}", f"Number {talk.voice}") if talk.voice > 0 else "–")


def _describe_state(row: ChatRow) -> str:
    if row.outcome is None:
        return localize("読み上げ中", "Being read") if row.place == 0 else localize(f"待機 {row.place}", f"Waiting {row.place}")
    return {
        ChatOutcome.READ: localize("読み上げ済み", "Read"),
        ChatOutcome.SKIPPED: localize("スキップ", "Skipped"),
        ChatOutcome.FAILED: localize("エラー", "Failed"),
        ChatOutcome.REMOVED: localize("待機から削除", "Removed"),
        ChatOutcome.LINK: localize("省略：URL のみ", "Left out: link only"),
        ChatOutcome.REPEAT: localize("省略：同じコメント", "Left out: repeat"),
        ChatOutcome.OVERFLOW: localize("省略：待ち件数の上限", "Left out: too many"),
        ChatOutcome.REPLACED: localize("省略：新しいコメント", "Left out: newer one"),
        ChatOutcome.MUTED: localize("省略：ミュート中", "Left out: muted"),
    }[row.outcome]


class ChatTableModel(RowTableModel):
    """A row for each comment.

    Args:
        describe_reader: returns who reads a comment; asked for what is visible alone.
    """

    columns = COLUMNS
    rows: Sequence[ChatRow] = ()

    def __init__(self, describe_reader: Callable[[ChatTalk], str], find_palette: Callable[[], QPalette]) -> None:
        super().__init__()
        self._describe_reader, self._find_palette = describe_reader, find_palette

    def show_rows(self, rows: Sequence[ChatRow]) -> None:
        """Show other rows."""
        if len(rows) == len(self.rows):
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, STATE))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the titles of the columns."""
        if orientation != Qt.Orientation.Horizontal or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.TextAlignmentRole):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        names = localize("投稿者", "Viewer"), localize("コメント", "Comment"), localize("声", "Voice"), localize("状態", "State")
        return names[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a cell; the accessible text of the first one is that of the whole row."""
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._format_cell(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return wrap_tip(self._format_cell(row, column))
        if role == Qt.ItemDataRole.AccessibleTextRole and column == WRITER:
            return localize("、", ", ").join(self._format_cell(row, number) for number in (WRITER, WORDS, READER, STATE))
        if role == Qt.ItemDataRole.FontRole and row.place == 0:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and row.place is None:
            return QBrush(self._find_palette().color(QPalette.ColorRole.PlaceholderText))
        return None

    def _format_cell(self, row: ChatRow, column: int) -> str:
        if column == STATE:
            return _describe_state(row)
        if column == READER:
            return self._describe_reader(row.talk) or localize("選択中の声", "Selected voice") if row.has_reader else ""
        return describe_writer(row.talk) if column == WRITER else row.talk.words


class ChatRowDelegate(QStyledItemDelegate):
    """Marks the comment that is read, whose background the style sheet would leave out."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a cell."""
        model = index.model()
        if isinstance(model, ChatTableModel) and model.rows[index.row()].place == 0:
            color = option.palette.color(QPalette.ColorRole.Highlight)
            color.setAlpha(HIGHLIGHT_ALPHA)
            painter.fillRect(option.rect, color)
        super().paint(painter, option, index)


class ChatTable(ThemedWidget, QTableView):
    """A table of comments, one of which is selected.

    Signals:
        chosen(): another comment is selected, or it has another state.
        removal_requested(): a key asks for it.
        menu_requested(QPoint): the menu of the selected comment is wanted, at this place of the screen.
    """

    chosen = Signal()
    removal_requested = Signal()
    menu_requested = Signal(QPoint)

    def __init__(self, describe_reader: Callable[[ChatTalk], str]) -> None:
        super().__init__()
        self.comments = ChatTableModel(describe_reader, self.palette)
        self.setModel(self.comments)
        self.setItemDelegate(ChatRowDelegate(self))
        self.setObjectName("queue")
        self.setAccessibleName(localize("コメント", "Comments"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        set_up_row_table(self, ROW_MARGINS)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(WORDS, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(WRITER, WRITER_PX)
        header.resizeSection(READER, READER_PX)
        widest = localize("省略：待ち件数の上限", "Left out: newer one")
        header.resizeSection(STATE, self.fontMetrics().horizontalAdvance(widest) + CELL_MARGINS)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())

    @property
    def current(self) -> ChatRow | None:
        """Return the selected comment, or None."""
        selected = self.selectionModel().selectedRows()
        return self.comments.rows[selected[0].row()] if selected else None

    def show_rows(self, rows: Sequence[ChatRow]) -> None:
        """Show other rows; the comment that was selected stays so, wherever it is now, and the table where it was scrolled to."""
        selected, scrolled = self.current, self.verticalScrollBar().value()
        self.comments.show_rows(rows)
        if selected is not None:
            place = next((place for place, row in enumerate(rows) if row.talk.number == selected.talk.number), None)
            if place is None:
                self.clearSelection()
            elif self.current is None or self.current.talk.number != selected.talk.number:
                select_single_row(self, self.comments.index(place, WORDS))
        self.verticalScrollBar().setValue(scrolled)
        self.chosen.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the comment under the mouse, or of the selected one."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.visualRect(self.currentIndex()).bottomLeft()
        else:
            index = self.indexAt(event.pos())
            if not index.isValid():
                return
            select_single_row(self, index)
            place = event.pos()
        if self.current is not None:
            self.menu_requested.emit(self.viewport().mapToGlobal(place))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove the selected comment by Del."""
        if event.key() == Qt.Key.Key_Delete and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.removal_requested.emit()
        else:
            super().keyPressEvent(event)

    def draw_in_theme(self) -> None:
        """Draw the rows in other colours."""
        self.viewport().update()
