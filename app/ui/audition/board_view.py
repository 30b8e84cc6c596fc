"""The table of a board, which turns keys and clicks into commands, and its keys: one table for the view, its hint line and its menu."""

from PySide6.QtCore import QItemSelectionModel, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from app.audition.board import BoardCell
from app.common.language import localize
from app.core.script.project import HIGHEST_RATING
from app.ui.audition.board_cells import CellPhase, CellState
from app.ui.audition.board_model import PART_SEPARATOR, SHOWN_ROLE, STATE_ROLE, BoardModel, Index, convert_to_cell
from app.ui.script.card_layout import format_card_seconds
from app.ui.theme.theme import draw_icon

ICON, EDGE, CORNER, DOT = 16, 8, 9, 5  # pixels
EMPTY_CELL_OPACITY = 0.35

Key, Held = Qt.Key, Qt.KeyboardModifier
BOARD_KEYS: dict[Qt.Key, str] = {
    Key.Key_Left: "left",
    Key.Key_Right: "right",
    Key.Key_Up: "up",
    Key.Key_Down: "down",
    Key.Key_Home: "first",
    Key.Key_End: "last",
    Key.Key_Return: "apply",
    Key.Key_Enter: "apply",
    Key.Key_Space: "play",
    Key.Key_S: "star",
    Key.Key_N: "note",
    Key.Key_P: "through",
    Key.Key_C: "scene",
    Key.Key_Escape: "stop",
} | {Qt.Key(Key.Key_0.value + number): f"rate {number}" for number in range(HIGHEST_RATING + 1)}
SHIFTED_COMMANDS = {"through": "shuffled", "apply": "character"}  # what keys do with Shift, by what they do without it
MOVE_COMMANDS = frozenset({"left", "right", "up", "down", "first", "last"})


def find_command(key: int, modifiers: Qt.KeyboardModifier) -> str:
    """Return the command of a key; empty where the board has none for it."""
    # Digits and arrows of the number pad carry this modifier and mean the same.
    modifiers &= ~Held.KeypadModifier
    try:
        command = BOARD_KEYS.get(Qt.Key(key), "")
    # `Qt.Key` raises for a key that this Qt version has no name for.
    except ValueError:
        return ""
    if modifiers == Held.ShiftModifier:
        return SHIFTED_COMMANDS.get(command, "")
    return command if modifiers == Held.NoModifier else ""


def list_key_hints(*, is_of_casts: bool) -> tuple[tuple[str, str], ...]:
    """Return the keys and what they do, as the window shows them."""
    return (
        ("↑↓←→", localize("移動して再生", "move and play")),
        ("Space", localize("再生／停止", "play / stop")),
        ("Enter", localize("配役を適用", "apply the cast") if is_of_casts else localize("行に適用", "apply to the line")),
        ("S", localize("スター", "star")),
        ("1–5", localize("評価（0 で消去）", "rate (0 clears)")),
        ("N", localize("メモ", "note")),
        ("P", localize("連続再生", "play from here")),
        ("Shift+P", localize("シャッフル再生", "shuffle")),
        ("C", localize("場面を再生", "play the scene")),
        ("Esc", localize("停止／閉じる", "stop / close")),
    )


class BoardDelegate(QStyledItemDelegate):
    """Draws cells in the palette's colours, so that another theme needs no notice."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._icons: dict[tuple[str, str], QIcon] = {}

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return an empty size."""
        # The headers set the sizes; measuring a thousand cells would be wasted time.
        return QSize(0, 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        state: CellState = index.data(STATE_ROLE)
        colors = option.palette
        accent = colors.color(QPalette.ColorRole.Highlight)
        focused = index == self._view.currentIndex()
        cell_rect = QRectF(option.rect).adjusted(2, 2, -2, -2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not index.data(SHOWN_ROLE):
            painter.setOpacity(EMPTY_CELL_OPACITY)
        ground = QColor(accent) if state.is_playing else colors.color(QPalette.ColorRole.Midlight)
        if state.is_playing:
            ground.setAlphaF(0.28)
        elif state.phase is CellPhase.EMPTY and not (option.state & QStyle.StateFlag.State_MouseOver):
            ground.setAlphaF(0.35)
        painter.setBrush(ground)
        painter.setPen(QPen(accent, 2) if focused else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(cell_rect, 6, 6)
        self._paint_marks(painter, cell_rect, state, accent, colors.color(QPalette.ColorRole.Text))
        self._paint_state(painter, cell_rect, state, colors, accent)
        painter.restore()

    def _paint_marks(self, painter: QPainter, rect: QRectF, state: CellState, accent: QColor, text: QColor) -> None:
        take = state.take
        if take is None:
            return
        middle = rect.center().y()
        left = rect.left() + EDGE
        if take.starred:
            self._draw_icon(painter, "star", accent, left, middle)
        left += ICON + 6
        if take.rating:
            painter.setPen(Qt.PenStyle.NoPen)
            for number in range(HIGHEST_RATING):
                color = QColor(text)
                color.setAlphaF(0.85 if number < take.rating else 0.2)
                painter.setBrush(color)
                painter.drawEllipse(QPointF(left + number * (DOT + 3) + DOT / 2, middle), DOT / 2, DOT / 2)
        if take.note:
            corner = QPointF(rect.right() - 1, rect.top() + 1)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawPolygon(QPolygonF([corner, corner - QPointF(CORNER, 0), corner + QPointF(0, CORNER)]))

    def _paint_state(self, painter: QPainter, rect: QRectF, state: CellState, colors: QPalette, accent: QColor) -> None:
        muted = colors.color(QPalette.ColorRole.PlaceholderText)
        right, middle = rect.right() - EDGE, rect.center().y()
        if state.phase is CellPhase.FAILED:
            self._draw_icon(painter, "error", colors.color(QPalette.ColorRole.Text), right - ICON, middle)
        elif state.phase is CellPhase.MAKING or (state.is_playing and state.phase is CellPhase.EMPTY):
            self._draw_icon(painter, "waiting", accent, right - ICON, middle)
        elif state.phase is CellPhase.READY and state.take is not None:
            painter.setPen(accent if state.is_playing else colors.color(QPalette.ColorRole.Text))
            painter.drawText(
                rect.adjusted(0, 0, -EDGE, 0),
                Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight,
                format_card_seconds(state.take.length_s),
            )
        else:
            self._draw_icon(painter, "play", muted, right - ICON, middle)

    def _draw_icon(self, painter: QPainter, name: str, color: QColor, left: float, middle: float) -> None:
        drawn = self._icons.setdefault((name, color.name()), draw_icon(name, color))
        drawn.paint(painter, QRect(round(left), round(middle - ICON / 2), ICON, ICON))


HEADER_PADDING_PX = 8


def shorten_parts(words: str, width: int, metrics: QFontMetrics) -> str:
    """Return a header's line in at most `width` pixels, with a voice shortened before its speaker; beginning and end of each stay."""
    parts = words.split(PART_SEPARATOR)
    room = width - metrics.horizontalAdvance(PART_SEPARATOR) * (len(parts) - 1)
    # The shortest parts are settled first: what they leave of their share goes to the longer ones.
    order = sorted(range(len(parts)), key=lambda index: metrics.horizontalAdvance(parts[index]))
    for settled, index in enumerate(order):
        share = room // (len(parts) - settled)
        if metrics.horizontalAdvance(parts[index]) > share:
            parts[index] = metrics.elidedText(parts[index], Qt.TextElideMode.ElideMiddle, share)
        room -= metrics.horizontalAdvance(parts[index])
    return PART_SEPARATOR.join(parts)


class BoardHeader(QHeaderView):
    """A header that emphasises the row or column of the focused cell."""

    def __init__(self, orientation: Qt.Orientation, view: QTableView) -> None:
        super().__init__(orientation, view)
        self._view = view
        self.setSectionsClickable(False)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Draw the section; the second line is muted, and so is the first unless the section has the focused cell."""
        across = self.orientation() == Qt.Orientation.Horizontal
        index = self._view.currentIndex()
        focused = section == (index.column() if across else index.row())
        colors = self.palette()
        painter.save()
        painter.fillRect(rect, colors.color(QPalette.ColorRole.Base))
        painter.setPen(colors.color(QPalette.ColorRole.Midlight))
        if across:
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        else:
            painter.drawLine(rect.topRight(), rect.bottomRight())
        lines = str(self.model().headerData(section, self.orientation()) or "").split("\n")
        height = self.fontMetrics().height()
        top = rect.center().y() + 1 - height * len(lines) // 2
        for number, words in enumerate(lines):
            bright = focused and not number
            painter.setPen(colors.color(QPalette.ColorRole.Text if bright else QPalette.ColorRole.PlaceholderText))
            text = shorten_parts(words, rect.width() - 2 * HEADER_PADDING_PX, self.fontMetrics())
            line = QRect(rect.left() + HEADER_PADDING_PX, top + number * height, rect.width() - 2 * HEADER_PADDING_PX, height)
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


CELL, NARROWEST = (132, 42), 110  # pixels
HEAD, NAMES, WIDE_NAMES, WIDEST_NAMES = 44, 168, 224, 300


class BoardView(QTableView):
    """A table view that draws only the visible cells, however many there are.

    Signals:
        command_requested(str): A command of `BOARD_KEYS` was entered.
        cell_clicked(BoardCell): The cell was clicked.
        cell_double_clicked(BoardCell): The cell was double-clicked.
        cell_dragged(BoardCell): The cell is dragged to another program.
    """

    command_requested = Signal(str)
    cell_clicked = Signal(object)
    cell_double_clicked = Signal(object)
    cell_dragged = Signal(object)

    def __init__(self, model: BoardModel) -> None:
        super().__init__()
        self.setObjectName("board")
        self.setModel(model)
        self.setAccessibleName(localize("オーディションの一覧", "Audition board"))
        self.setAccessibleDescription(localize("矢印キーで移動すると再生します。", "Arrow keys move and play."))
        self.setItemDelegate(BoardDelegate(self))
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        # Qt would paint a selection behind the cells; only the current cell counts.
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self._press_position: QPoint | None = None
        self._narrowest_names = NAMES
        self.setMouseTracking(True)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        across, down = BoardHeader(Qt.Orientation.Horizontal, self), BoardHeader(Qt.Orientation.Vertical, self)
        self.setHorizontalHeader(across)
        self.setVerticalHeader(down)
        across.setDefaultSectionSize(CELL[0])
        across.setMinimumSectionSize(NARROWEST)
        two_lines = 2 * self.fontMetrics().lineSpacing()  # in both headers
        across.setFixedHeight(max(HEAD, two_lines + 4))
        down.setDefaultSectionSize(max(CELL[1], two_lines + 2))
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        down.setFixedWidth(NAMES)
        self.clicked.connect(lambda index: self.cell_clicked.emit(convert_to_cell(index)))
        self.doubleClicked.connect(lambda index: self.cell_double_clicked.emit(convert_to_cell(index)))
        model.modelReset.connect(self.fit_columns)

    @property
    def current_cell(self) -> BoardCell | None:
        index = self.currentIndex()
        return convert_to_cell(index) if index.isValid() else None

    def show_wide_names(self, *, is_wide: bool) -> None:
        """Make room for the names of casts, which say who speaks, or of single voices."""
        self._narrowest_names = WIDE_NAMES if is_wide else NAMES
        self.fit_columns()

    def focus_cell(self, cell: BoardCell) -> None:
        index = self.model().index(cell.column, cell.row)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        self.scrollTo(index)
        # The headers emphasise the focused row and column, and Qt by itself repaints only the two cells.
        for widget in (self.viewport(), self.horizontalHeader().viewport(), self.verticalHeader().viewport()):
            widget.update()

    def hide_empty_sections(self, shown: frozenset[BoardCell]) -> None:
        """Hide the rows and columns in which no cell passes the filter."""
        ways, lines = {cell.column for cell in shown}, {cell.row for cell in shown}
        for row in range(self.model().rowCount()):
            self.setRowHidden(row, row not in ways)
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, column not in lines)

    @Slot()
    def fit_columns(self) -> None:
        """Share the width among the names and the columns, down to the width that a cell needs."""
        header, names, model = self.horizontalHeader(), self.verticalHeader(), self.model()
        labels = (str(model.headerData(row, Qt.Orientation.Vertical) or "") for row in range(model.rowCount()))
        needed = max((names.fontMetrics().horizontalAdvance(line) for label in labels for line in label.split("\n")), default=0)
        # Names get what the cells leave.
        free = self.width() - model.columnCount() * CELL[0]
        width = max(self._narrowest_names, min(needed + 2 * HEADER_PADDING_PX, free, WIDEST_NAMES))
        if width != names.maximumWidth():
            names.setFixedWidth(width)
            # Qt places the cells next to the names when the table is resized, and not yet where only the names are.
            self.updateGeometries()
        room = self.viewport().width() // max(1, self.model().columnCount())
        header.setDefaultSectionSize(max(CELL[0], min(room, 2 * CELL[0])))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the columns to the new width."""
        super().resizeEvent(event)
        self.fit_columns()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a drag may begin."""
        self._press_position = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the pressed cell once the mouse has moved far enough."""
        start = self._press_position
        if start is None or not event.buttons() & Qt.MouseButton.LeftButton:
            super().mouseMoveEvent(event)
        elif (event.position().toPoint() - start).manhattanLength() >= QApplication.startDragDistance():
            self._press_position = None
            index = self.indexAt(start)
            if index.isValid():
                self.cell_dragged.emit(convert_to_cell(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit our own keys as commands; only moves repeat while a key is held."""
        wish = find_command(event.key(), event.modifiers())
        if not wish:
            # Qt would take letters for its keyboard search and jump to a row.
            event.ignore()
            return
        event.accept()
        if wish in MOVE_COMMANDS or not event.isAutoRepeat():
            self.command_requested.emit(wish)
