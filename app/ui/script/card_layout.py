"""The layout of a line's card, and its height: the same for drawing, for the mouse and for the editor."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QTextLayout, QTextOption

from app.common.language import localize

GAP, INSET, INSET_ABOVE_PX = 8.0, 10.0, 5.0
CARD_SPACE_BELOW_PX = 4.0  # between two cards
AVATAR, BUTTON, HANDLE, FIRST_ROW_PX = 28.0, 28.0, 24.0, 30.0
CARD_RADIUS_PX = 8.0
CARD_TEXT_SCALE = 1.2
WHO_SCALE = 0.82  # of the two rows behind the disc, compared with the usual text
DONE_MARK_WIDTH_PX = 16.0  # next to the seconds
MAX_CACHED_HEIGHTS = 100_000  # lines of the longest script
WHO_SHARE, WIDEST_WHO = 0.09, 2.5  # of a card's width, for the names; at most so many times their usual width
MIN_TEXT_WIDTH_PX = 200  # pixels kept for the words; the names of who speaks are shown if they fit next to them


@dataclass(frozen=True, slots=True)
class CardRects:
    """Rectangles within the list's viewport."""

    card: QRectF
    number: QRectF
    avatar: QRectF
    name: QRectF  # of the character, else of the speaker; empty on a narrow card, as `style` then is
    style: QRectF  # below the name
    text: QRectF
    length: QRectF
    handle: QRectF  # what the line is dragged by to other programs
    button: QRectF

    @property
    def who(self) -> QRectF:
        """Return where the card says who speaks."""
        return self.avatar | self.name | self.style


class CardLayout:
    """Measures for one font: `font` is that of the text, `who` that of the names behind the disc, `small` that of everything else."""

    def __init__(self, font: QFont) -> None:
        self.font, self.small, self.who = QFont(font), QFont(font), QFont(font)
        self.font.setPointSizeF(font.pointSizeF() * CARD_TEXT_SCALE)
        self.small.setPointSizeF(font.pointSizeF() * 0.9)
        self.who.setPointSizeF(font.pointSizeF() * WHO_SCALE)
        self._metrics = QFontMetricsF(self.font)
        small, who = QFontMetricsF(self.small), QFontMetricsF(self.who)
        self._number = small.horizontalAdvance("0000")
        self._length = max(small.horizontalAdvance(format_card_seconds(length)) for length in (59.9, 5999.9)) + DONE_MARK_WIDTH_PX
        self._who_width, self._who_height = who.horizontalAdvance("あいうえおか"), round(who.ascent() + who.descent() / 2)
        self._widest = max(self._metrics.maxWidth(), self._metrics.height())
        self._heights: dict[tuple[str, float], float] = {}

    def compute_text_width(self, width: float) -> float:
        who = self._compute_who_width(width)
        return max(80.0, width - self._width_beside_text - (GAP + who if who else 0.0))

    @property
    def _width_beside_text(self) -> float:
        before_text = INSET + self._number + GAP + AVATAR + GAP
        return before_text + GAP + self._length + GAP + HANDLE + BUTTON + INSET

    def _compute_who_width(self, width: float) -> float:
        """Return the width of the names, 0 on a narrow card, where the text takes it all."""
        if width - self._width_beside_text - GAP - self._who_width < MIN_TEXT_WIDTH_PX:
            return 0.0
        return min(max(self._who_width, WHO_SHARE * width), WIDEST_WHO * self._who_width)

    def compute_row_height(self, text: str, width: float) -> float:
        """Return the height of a whole row, with the space below the card."""
        room = self.compute_text_width(width)
        if len(text) * self._widest < room and "\n" not in text:  # sure to fit: most lines are never measured
            height = self._metrics.height()
        else:
            key = (text, room)
            if key not in self._heights:
                if len(self._heights) > MAX_CACHED_HEIGHTS:
                    self._heights.clear()
                self._heights[key] = sum(layout.boundingRect().height() for layout in self.build_text_layouts(text, room))
            height = self._heights[key]
        return height + self._first_row_height - self._metrics.height() + 2 * INSET_ABOVE_PX + CARD_SPACE_BELOW_PX

    @property
    def _first_row_height(self) -> float:
        return max(self._metrics.height(), FIRST_ROW_PX, 2 * self._who_height)

    def build_text_layouts(self, text: str, width: float) -> list[QTextLayout]:
        """Return the text wrapped to a width, a layout for each paragraph, broken as the editor breaks it."""
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layouts, top = [], 0.0
        for paragraph in text.split("\n"):
            layout = QTextLayout(paragraph, self.font)
            layout.setTextOption(option)
            layout.beginLayout()
            height = 0.0
            while (line := layout.createLine()).isValid():
                line.setLineWidth(width)
                line.setPosition(QPointF(0, height))
                height += line.height()
            layout.endLayout()
            layout.setPosition(QPointF(0, top))
            top += height
            layouts.append(layout)
        return layouts

    def compute_rects(self, row: QRectF) -> CardRects:
        """Return the rectangles of the card's parts in a row of the list."""
        card = row.adjusted(1, 0, -1, -CARD_SPACE_BELOW_PX)
        middle = card.top() + INSET_ABOVE_PX + self._first_row_height / 2

        def build_rect(x: float, width: float, height: float) -> QRectF:
            return QRectF(x, middle - height / 2, width, height)

        number = build_rect(card.left() + INSET, self._number, AVATAR)
        avatar = build_rect(number.right() + GAP, AVATAR, AVATAR)
        who = build_rect(avatar.right() + GAP, self._compute_who_width(row.width()), 2 * self._who_height)
        name = QRectF(who.left(), who.top(), who.width(), who.height() / 2)
        button = build_rect(card.right() - INSET - BUTTON, BUTTON, BUTTON)
        handle = build_rect(button.left() - HANDLE, HANDLE, AVATAR)
        length = build_rect(handle.left() - GAP - self._length, self._length, AVATAR)
        top = middle - self._metrics.height() / 2
        left = who.right() + GAP if who.width() else who.left()
        text = QRectF(left, top, self.compute_text_width(row.width()), card.bottom() - (top - card.top()) - top)
        return CardRects(card, number, avatar, name, name.translated(0, name.height()), text, length, handle, button)


def format_card_seconds(length_s: float) -> str:
    """Return a length such as 2.4 s, or 1:02.4 from a minute on."""
    minutes, seconds = divmod(round(length_s, 1), 60)
    return f"{minutes:.0f}:{seconds:04.1f}" if minutes else localize(f"{seconds:.1f} 秒", f"{seconds:.1f} s")
