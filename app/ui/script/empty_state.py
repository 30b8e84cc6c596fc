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
WORDS_FLAGS = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)

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
        room = area.adjusted(BLOCK_GAP, 0, -BLOCK_GAP, 0)
        tall, taller = (
            QFontMetricsF(words_font).boundingRect(room, WORDS_FLAGS, words).height()
            for words, words_font in ((title, large), (more, small))
        )
        cap = QFontMetricsF(small).height() + 6
        rows = _wrap_keys(self.list_keys(), QFontMetricsF(small), room.width())
        picture, words, keys = EMPTY_PICTURE_PX + GAP, tall + GAP + taller, BLOCK_GAP + len(rows) * (cap + GAP) - GAP
        # In a low list the keys go first, then the picture: without the words nobody knows what to do.
        if picture + words + keys > area.height():
            rows, keys = [], 0.0
        if picture + words > area.height():
            picture = 0.0
        top = area.center().y() - (picture + words + keys) / 2
        if picture:
            self._paint_picture(painter, QPointF(area.center().x(), top), muted)
        top += picture
        for text, text_font, color, height in ((title, large, palette.color(QPalette.ColorRole.Text), tall), (more, small, muted, taller)):
            painter.setFont(text_font)
            painter.setPen(color)
            painter.drawText(QRectF(room.left(), top, room.width(), height), WORDS_FLAGS, text)
            top += height + GAP
        for number, row in enumerate(rows):
            _paint_keys(painter, QPointF(area.center().x(), top - GAP + BLOCK_GAP + number * (cap + GAP)), cap, palette, row)

    def _paint_picture(self, painter: QPainter, middle: QPointF, color: QColor) -> None:
        """Paint the picture; `middle` is the middle of its upper edge."""
        if color != self._color:
            self._picture, self._color = draw_icon("script", color), color
        self._picture.paint(painter, QRectF(middle.x() - EMPTY_PICTURE_PX / 2, middle.y(), EMPTY_PICTURE_PX, EMPTY_PICTURE_PX).toRect())


def describe_first_steps() -> tuple[str, str]:
    """Return what the empty list teaches: first what to do, then what else can be done."""
    return (
        localize("ここにテキストを入力してください", "Type Japanese text here"),
        localize(
            "テキストや .txt .csv .md ファイルをドラッグ＆ドロップすると、1 行ずつ追加されます。\n声のファイルもドラッグ＆ドロップで追加できます。",
            "Or drop text or a .txt, .csv or .md file: each line is added to the script.\nYou can also drop voice files here.",
        ),
    )


def _wrap_keys(keys: KeyHints, metrics: QFontMetricsF, width: float) -> list[KeyHints]:
    """Return the keys in rows of at most this width; a key that is wider has a row of its own."""
    rows: list[list[tuple[str, str]]] = []
    taken = width
    for key, label in keys:
        needed = metrics.horizontalAdvance(key) + 2 * CAP_PADDING + GAP + metrics.horizontalAdvance(label)
        if taken + BLOCK_GAP + needed > width:
            rows.append([])
            taken = -BLOCK_GAP
        rows[-1].append((key, label))
        taken += BLOCK_GAP + needed
    return list(rows)


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
