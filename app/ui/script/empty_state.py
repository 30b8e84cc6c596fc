"""What the list of lines shows while it is empty: how to begin, in a frame where text can be dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QIcon, QPainter, QPalette, QPen

from app.language import localized
from app.ui.script.card import RADIUS
from app.ui.theme.icons import icon

INSET = 2.0
PICTURE = 40.0
TITLE_SCALE = 1.25  # of the font of the lines
GAP, BLOCK_GAP = 8.0, 22.0
CAP_PADDING, CAP_RADIUS = 7.0, 5.0

Keys = Sequence[tuple[str, str]]  # the key, and what it does


class EmptyState:
    """Paints frame, words and keys.

    Attributes:
        taught: gives the keys that are named, and what they do.
    """

    def __init__(self) -> None:
        self.taught: Callable[[], Keys] = tuple
        self._picture, self._color = QIcon(), QColor()

    def paint(self, painter: QPainter, room: QRectF, font: QFont, palette: QPalette, focused: bool) -> None:
        """Fills the room; the frame shows whether keys are heard."""
        muted = palette.color(QPalette.ColorRole.PlaceholderText)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight if focused else QPalette.ColorRole.Mid), 1.5, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(room.adjusted(INSET, INSET, -INSET, -INSET), RADIUS, RADIUS)
        title, more = lesson()
        large, small = QFont(font), QFont(font)
        large.setPointSizeF(font.pointSizeF() * TITLE_SCALE)
        large.setWeight(QFont.Weight.DemiBold)
        small.setPointSizeF(font.pointSizeF() * 0.85)
        row = QFontMetricsF(small).height()
        tall, taller, cap = QFontMetricsF(large).height(), row * len(more.split("\n")), row + 6
        top = room.center().y() - (PICTURE + GAP + tall + GAP + taller + BLOCK_GAP + cap) / 2
        self._drawn(muted).paint(painter, QRectF(room.center().x() - PICTURE / 2, top, PICTURE, PICTURE).toRect())
        top += PICTURE + GAP
        for words, shown, color, height in ((title, large, palette.color(QPalette.ColorRole.Text), tall), (more, small, muted, taller)):
            painter.setFont(shown)
            painter.setPen(color)
            painter.drawText(QRectF(room.left(), top, room.width(), height), Qt.AlignmentFlag.AlignCenter, words)
            top += height + GAP
        _paint_keys(painter, QPointF(room.center().x(), top - GAP + BLOCK_GAP), cap, palette, self.taught())

    def _drawn(self, color: QColor) -> QIcon:
        """The picture, read once for each colour."""
        if color != self._color:
            self._picture, self._color = icon("script", color), color
        return self._picture


def lesson() -> tuple[str, str]:
    """What the empty list teaches: first what to do, then what else can be done."""
    return (
        localized("ここにテキストを入力してください", "Type Japanese text here"),
        localized(
            "テキストや .txt .csv .md ファイルをドラッグ＆ドロップすると、1 行ずつ追加されます。\n声のファイルもドラッグ＆ドロップで追加できます。",
            "Or drop text or a .txt, .csv or .md file: each line is added to the script.\nYou can also drop voice files here.",
        ),
    )


def _paint_keys(painter: QPainter, middle: QPointF, height: float, palette: QPalette, keys: Keys) -> None:
    """Caps with what they do beside them, in one row around `middle`, its upper edge."""
    metrics = QFontMetricsF(painter.font())
    widths = [(metrics.horizontalAdvance(key) + 2 * CAP_PADDING, metrics.horizontalAdvance(label)) for key, label in keys]
    left = middle.x() - (sum(cap + GAP + label for cap, label in widths) + BLOCK_GAP * (len(keys) - 1)) / 2
    for (key, label), (cap, wide) in zip(keys, widths, strict=True):
        box = QRectF(left, middle.y(), cap, height)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, CAP_RADIUS, CAP_RADIUS)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, key)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(QRectF(box.right() + GAP, box.top(), wide + 1, height), Qt.AlignmentFlag.AlignVCenter, label)
        left = box.right() + GAP + wide + BLOCK_GAP
