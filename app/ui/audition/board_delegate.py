"""A delegate that draws a cell: star and rating at the left, state or length at the right, a corner for a note."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core.takes import HIGHEST_RATING
from app.ui.audition.board_cells import CellPhase, CellState
from app.ui.audition.board_model import SHOWN_ROLE, STATE_ROLE, Index
from app.ui.script.card_layout import format_card_seconds
from app.ui.theme.themed_icons import draw_icon

ICON, EDGE, CORNER, DOT = 16, 8, 9, 5  # pixels
EMPTY_CELL_OPACITY = 0.35


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
        place = QRectF(option.rect).adjusted(2, 2, -2, -2)
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
        painter.drawRoundedRect(place, 6, 6)
        self._paint_marks(painter, place, state, accent, colors.color(QPalette.ColorRole.Text))
        self._paint_state(painter, place, state, colors, accent)
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
