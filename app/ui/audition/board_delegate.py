"""Draws a cell: its star and rating at the left, its state or length at the right, a corner for a note."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.core.takes import HIGHEST_RATING
from app.ui.audition.board_cells import CellState, Phase
from app.ui.audition.board_model import SHOWN_ROLE, STATE_ROLE, Index
from app.ui.script.card import seconds
from app.ui.theme.icons import icon

ICON, EDGE, CORNER, DOT = 16, 8, 9, 5  # pixels
FAINT = 0.35


class BoardDelegate(QStyledItemDelegate):
    """Colours come from the palette, so that another theme needs no word to it."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._icons: dict[tuple[str, str], QIcon] = {}

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """As the headers have it; nothing is measured for a thousand cells."""
        return QSize(0, 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One cell."""
        state: CellState = index.data(STATE_ROLE)
        colors = option.palette
        accent = colors.color(QPalette.ColorRole.Highlight)
        focused = index == self._view.currentIndex()
        place = QRectF(option.rect).adjusted(2, 2, -2, -2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not index.data(SHOWN_ROLE):
            painter.setOpacity(FAINT)
        ground = QColor(accent) if state.playing else colors.color(QPalette.ColorRole.Midlight)
        if state.playing:
            ground.setAlphaF(0.28)
        elif state.phase is Phase.EMPTY and not (option.state & QStyle.StateFlag.State_MouseOver):
            ground.setAlphaF(0.35)
        painter.setBrush(ground)
        painter.setPen(QPen(accent, 2) if focused else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(place, 6, 6)
        self._paint_marks(painter, place, state, accent, colors.color(QPalette.ColorRole.Text))
        self._paint_state(painter, place, state, colors, accent)
        painter.restore()

    def _paint_marks(self, painter: QPainter, place: QRectF, state: CellState, accent: QColor, text: QColor) -> None:
        take = state.take
        if take is None:
            return
        middle = place.center().y()
        left = place.left() + EDGE
        if take.starred:
            self._draw(painter, "star", accent, left, middle)
        left += ICON + 6
        if take.rating:
            painter.setPen(Qt.PenStyle.NoPen)
            for number in range(HIGHEST_RATING):
                color = QColor(text)
                color.setAlphaF(0.85 if number < take.rating else 0.2)
                painter.setBrush(color)
                painter.drawEllipse(QPointF(left + number * (DOT + 3) + DOT / 2, middle), DOT / 2, DOT / 2)
        if take.note:
            corner = QPointF(place.right() - 1, place.top() + 1)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawPolygon(QPolygonF([corner, corner - QPointF(CORNER, 0), corner + QPointF(0, CORNER)]))

    def _paint_state(self, painter: QPainter, place: QRectF, state: CellState, colors: QPalette, accent: QColor) -> None:
        muted = colors.color(QPalette.ColorRole.PlaceholderText)
        right, middle = place.right() - EDGE, place.center().y()
        if state.phase is Phase.FAILED:
            self._draw(painter, "error", colors.color(QPalette.ColorRole.Text), right - ICON, middle)
        elif state.phase is Phase.MAKING or (state.playing and state.phase is Phase.EMPTY):
            self._draw(painter, "waiting", accent, right - ICON, middle)
        elif state.phase is Phase.READY and state.take is not None:
            painter.setPen(accent if state.playing else colors.color(QPalette.ColorRole.Text))
            painter.drawText(
                place.adjusted(0, 0, -EDGE, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, seconds(state.take.length_s)
            )
        else:
            self._draw(painter, "play", muted, right - ICON, middle)

    def _draw(self, painter: QPainter, name: str, color: QColor, left: float, middle: float) -> None:
        drawn = self._icons.setdefault((name, color.name()), icon(name, color))
        drawn.paint(painter, QRect(round(left), round(middle - ICON / 2), ICON, ICON))
