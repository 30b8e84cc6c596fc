"""The empty list of lines: how to begin, in a frame where text can be dropped."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QIcon, QPainter, QPalette, QPen

from app.common.language import localize
from app.ui.script.card_layout import CARD_RADIUS_PX
from app.ui.theme.theme import draw_icon

FRAME_INSET_PX = 2.0
EMPTY_PICTURE_PX = 40.0
EMPTY_TITLE_SCALE = 1.25  # of the font of the lines
GAP, BLOCK_GAP = 8.0, 22.0
CAP_PADDING, CAP_RADIUS = 7.0, 5.0

KeyHints = Sequence[tuple[str, str]]  # the key, and what it does


class EmptyStatePainter:
    """Paints frame, words, and the keys that `list_keys` returns with what they do."""

    def __init__(self) -> None:
        self.list_keys: Callable[[], KeyHints] = tuple
        self._picture, self._color = QIcon(), QColor()

    def paint_empty_state(self, painter: QPainter, area: QRectF, font: QFont, palette: QPalette, is_focused: bool) -> None:
        """Paint the empty list into `area`; the frame shows whether the list has the focus."""
        muted = palette.color(QPalette.ColorRole.PlaceholderText)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(palette.color(QPalette.ColorRole.Highlight if is_focused else QPalette.ColorRole.Mid), 1.5, Qt.PenStyle.DashLine)
        )
        painter.drawRoundedRect(
            area.adjusted(FRAME_INSET_PX, FRAME_INSET_PX, -FRAME_INSET_PX, -FRAME_INSET_PX), CARD_RADIUS_PX, CARD_RADIUS_PX
        )
        title, more = describe_first_steps()
        large, small = QFont(font), QFont(font)
        large.setPointSizeF(font.pointSizeF() * EMPTY_TITLE_SCALE)
        large.setWeight(QFont.Weight.DemiBold)
        small.setPointSizeF(font.pointSizeF() * 0.85)
        row = QFontMetricsF(small).height()
        tall, taller, cap = QFontMetricsF(large).height(), row * len(more.split("\n")), row + 6
        top = area.center().y() - (EMPTY_PICTURE_PX + GAP + tall + GAP + taller + BLOCK_GAP + cap) / 2
        if muted != self._color:
            self._picture, self._color = draw_icon("script", muted), muted
        picture_area = QRectF(area.center().x() - EMPTY_PICTURE_PX / 2, top, EMPTY_PICTURE_PX, EMPTY_PICTURE_PX)
        self._picture.paint(painter, picture_area.toRect())
        top += EMPTY_PICTURE_PX + GAP
        for text, text_font, color, height in ((title, large, palette.color(QPalette.ColorRole.Text), tall), (more, small, muted, taller)):
            painter.setFont(text_font)
            painter.setPen(color)
            painter.drawText(QRectF(area.left(), top, area.width(), height), Qt.AlignmentFlag.AlignCenter, text)
            top += height + GAP
        _paint_keys(painter, QPointF(area.center().x(), top - GAP + BLOCK_GAP), cap, palette, self.list_keys())


def describe_first_steps() -> tuple[str, str]:
    """Return what the empty list teaches: first what to do, then what else can be done."""
    return (
        localize("ここにテキストを入力してください", "Type Japanese text here"),
        localize(
            "テキストや .txt .csv .md ファイルをドラッグ＆ドロップすると、1 行ずつ追加されます。\n声のファイルもドラッグ＆ドロップで追加できます。",
            "Or drop text or a .txt, .csv or .md file: each line is added to the script.\nYou can also drop voice files here.",
        ),
    )


def _paint_keys(painter: QPainter, middle: QPointF, height: float, palette: QPalette, keys: KeyHints) -> None:
    """Paint keys, each with its effect next to it, in one row; `middle` is the middle of its upper edge."""
    metrics = QFontMetricsF(painter.font())
    widths = [(metrics.horizontalAdvance(key) + 2 * CAP_PADDING, metrics.horizontalAdvance(label)) for key, label in keys]
    x = middle.x() - (sum(cap + GAP + label for cap, label in widths) + BLOCK_GAP * (len(keys) - 1)) / 2
    for (key, label), (cap, wide) in zip(keys, widths, strict=True):
        box = QRectF(x, middle.y(), cap, height)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, CAP_RADIUS, CAP_RADIUS)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, key)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(QRectF(box.right() + GAP, box.top(), wide + 1, height), Qt.AlignmentFlag.AlignVCenter, label)
        x = box.right() + GAP + wide + BLOCK_GAP
