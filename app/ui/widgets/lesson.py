"""What the list of lines shows while it is empty: how to begin, in a frame where text can be dropped."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPalette, QPen

from app.language import say
from app.ui.widgets.line_card import RADIUS

INSET, MARGIN = 2.0, 24.0


def paint_lesson(painter: QPainter, room: QRectF, font: QFont, palette: QPalette, focused: bool) -> None:
    """Frame and words; the frame tells whether keys are heard."""
    edge = palette.color(QPalette.ColorRole.Highlight if focused else QPalette.ColorRole.Mid)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(edge, 1.5, Qt.PenStyle.DashLine))
    painter.drawRoundedRect(room.adjusted(INSET, INSET, -INSET, -INSET), RADIUS, RADIUS)
    painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
    painter.setFont(font)
    words = room.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    painter.drawText(words, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, lesson())


def lesson() -> str:
    """What the empty list teaches."""
    return say(
        "ここに文章を入力してください。\n\nShift+Enter で行を追加、Ctrl+Enter で再生します。\n\n"
        "文章を貼り付けるか、.txt .csv .md のファイルを\nここへドラッグすると、一行ずつのカードになります。",
        "Type Japanese text here.\n\nShift+Enter adds a line, Ctrl+Enter speaks it.\n\n"
        "Paste text, or drop a .txt, .csv or .md file here:\nevery line becomes a card.",
    )
