"""Draws a shape: accent line, kana, pauses, and what is chosen or sounds now. Only what is in the exposed area is drawn."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.ui.reading.strip.axis_lane import LaneHighlights
from app.ui.reading.strip.strip_shape import PHRASE_GAP_PX, CellKind, StripCell, StripShape, find_cell_text, is_emoji_cell
from app.ui.theme.theme import Theme
from app.ui.widgets.hatch_painting import paint_hatch

HIGH, LOW = 11.0, 29.0  # the two heights of the accent line
ACCENT_BOTTOM_PX = 39.0
KANA_BOTTOM_PX = 67.0
STRIP_HEIGHT_PX = 83
ACCENT_DOT_RADIUS_PX = 3.6


def paint_strip(painter: QPainter, area: QRectF, shape: StripShape, theme: Theme, highlights: LaneHighlights) -> None:
    """Paint the part of a shape that is in `area`."""
    cells = shape.axis.cells
    if not cells:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    first, last = shape.axis.find_cell(area.left() - PHRASE_GAP_PX), shape.axis.find_cell(area.right() + PHRASE_GAP_PX)
    for index in range(first, last + 1):
        _paint_cell(painter, shape, index, theme, highlights)
    _paint_doubts(painter, shape, theme)
    _paint_accents(painter, area, shape, theme, highlights)
    if 0 <= highlights.cut < len(cells) - 1:
        x = (cells[highlights.cut].right + cells[highlights.cut + 1].left) / 2
        painter.setPen(QPen(QColor(theme.accent), 2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, 3), QPointF(x, ACCENT_BOTTOM_PX - 2))
    if 0 <= highlights.edge < len(cells):
        painter.setPen(QPen(QColor(theme.accent), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        x = cells[highlights.edge].right - 1
        painter.drawLine(QPointF(x, ACCENT_BOTTOM_PX + 5), QPointF(x, KANA_BOTTOM_PX - 5))


def _paint_cell(painter: QPainter, shape: StripShape, index: int, theme: Theme, highlights: LaneHighlights) -> None:
    cell = shape.axis.cells[index]
    box = QRectF(cell.left + 1, ACCENT_BOTTOM_PX, cell.right - cell.left - 2, KANA_BOTTOM_PX - ACCENT_BOTTOM_PX)
    playing = index == highlights.playing
    fill = QColor(theme.accent if playing else theme.faint if index == highlights.hovered else theme.window)
    painter.setPen(QPen(QColor(theme.accent), 2) if index == highlights.current and highlights.focused else Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawRoundedRect(box, 5, 5)
    if cell.kind is CellKind.MARK and not playing:
        paint_hatch(painter, box, QColor(theme.border), radius=5)
    font = QFont(painter.font())
    kana = find_cell_text(shape, cell)
    font.setPixelSize(16 if len(kana) < 2 else 13)
    font.setBold(False)
    painter.setFont(font)
    painter.setPen(QColor(theme.on_accent if playing else theme.muted if cell.kind is CellKind.MARK else theme.text))
    if cell.kind is CellKind.MARK:  # the glyph of most marks is in a corner of its square
        ink = QFontMetricsF(font).tightBoundingRect(kana)
        box.translate(QFontMetricsF(font).horizontalAdvance(kana) / 2 - ink.center().x(), 0)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, kana)
    if cell.is_exact or index in (highlights.edge, highlights.hovered) or (index == highlights.current and highlights.focused):
        _paint_length(painter, shape, cell, theme)


def _paint_doubts(painter: QPainter, shape: StripShape, theme: Theme) -> None:
    """Paint a dotted line under the kana of words whose reading is in doubt."""
    place = {cell.index: cell for cell in shape.axis.cells if cell.kind is CellKind.MORA}
    painter.setPen(QPen(QColor(theme.muted), 2, Qt.PenStyle.DotLine))
    for word in shape.reading.words:
        if word.other_reading and word.first_mora in place and word.end_mora - 1 in place:
            left, right = place[word.first_mora].left + 5, place[word.end_mora - 1].right - 5
            painter.drawLine(QPointF(left, KANA_BOTTOM_PX - 3), QPointF(right, KANA_BOTTOM_PX - 3))


def _paint_length(painter: QPainter, shape: StripShape, cell: StripCell, theme: Theme) -> None:
    known = cell.is_exact or (shape.times is not None and cell.end_s > cell.start_s)
    font = QFont(painter.font())
    font.setPixelSize(11)
    font.setBold(cell.is_exact)
    painter.setFont(font)
    painter.setPen(QColor(theme.accent if cell.is_exact else theme.muted))
    room = QRectF(cell.middle - 40, KANA_BOTTOM_PX + 1, 80, STRIP_HEIGHT_PX - KANA_BOTTOM_PX - 2)
    painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, str(round(cell.length_s * 1000)) if known else "–")


def _paint_accents(painter: QPainter, area: QRectF, shape: StripShape, theme: Theme, highlights: LaneHighlights) -> None:
    """Paint for each phrase a line through its morae, high or low, and a mark where the pitch falls."""
    edited = {edit.mora for edit in shape.overrides.moras if edit.tone is not None}
    place = {cell.index: cell for cell in shape.axis.cells if cell.kind is CellKind.MORA}
    for phrase in shape.phrases:
        if is_emoji_cell(shape, place[phrase.start]):
            continue
        if place[phrase.end - 1].right < area.left() or place[phrase.start].left > area.right():
            continue
        color = QColor(theme.accent if any(mora in edited for mora in range(phrase.start, phrase.end)) else theme.muted)
        points = [QPointF(place[phrase.start + at].middle, HIGH if tone else LOW) for at, tone in enumerate(phrase.tones)]
        painter.setPen(QPen(color, 2))
        painter.drawPolyline(points)
        for at, point in enumerate(points):
            falls = phrase.accent == at + 1
            painter.setPen(QPen(color, 2))
            painter.setBrush(color if falls else QColor(theme.surface))
            size = ACCENT_DOT_RADIUS_PX + 1.4 if falls else ACCENT_DOT_RADIUS_PX
            painter.drawEllipse(point, size, size)
