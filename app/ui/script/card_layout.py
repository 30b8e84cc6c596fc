"""The layout of a line's card, and its height: the same for drawing, for the mouse and for the editor."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QTextLayout, QTextOption

from app.common.language import localize

GAP, INSET = 8.0, 10.0
CARD_SPACE_BELOW_PX = 6.0  # between two cards
AVATAR, BUTTON, HANDLE = 26.0, 30.0, 24.0
CARD_RADIUS_PX = 8.0
CARD_TEXT_SCALE = 1.2
DONE_MARK_WIDTH_PX = 16.0  # next to the seconds
MAX_CACHED_HEIGHTS = 100_000  # lines of the longest script
CHIP_MARGINS_PX, NAME_MARGIN_PX = 4.0, 1.0
COLOUR_BAR_WIDTH_PX, COLOUR_BAR_INSET_PX = 4.0, 4.0
MIN_TEXT_WIDTH_PX = 200  # pixels kept for the words; voice and style are shown if they fit next to them


@dataclass(frozen=True, slots=True)
class CardRects:
    """Rectangles within the list's viewport."""

    card: QRectF
    number: QRectF
    avatar: QRectF
    text: QRectF
    chip: QRectF  # of voice and style on a line without a character; `low_chip` has its place under a name
    low_chip: QRectF
    name: QRectF  # of the character, above voice and style; where the card has no room for both, in place of them
    bar: QRectF  # of the character's colour
    length: QRectF
    handle: QRectF  # what the line is dragged by to other programs
    button: QRectF


class CardLayout:
    """Measures for one font: `font` is that of the text, `small` that of everything else."""

    def __init__(self, font: QFont) -> None:
        self.font, self.small = QFont(font), QFont(font)
        self.font.setPointSizeF(font.pointSizeF() * CARD_TEXT_SCALE)
        self.small.setPointSizeF(font.pointSizeF() * 0.9)
        self._metrics = QFontMetricsF(self.font)
        small = QFontMetricsF(self.small)
        self._number = small.horizontalAdvance("0000")
        self._length = max(small.horizontalAdvance(format_card_seconds(length)) for length in (59.9, 5999.9)) + DONE_MARK_WIDTH_PX
        self._chip, self._chip_height = small.horizontalAdvance("テンション高め") + 20, small.height() + CHIP_MARGINS_PX
        self._widest = max(self._metrics.maxWidth(), self._metrics.height())
        self._heights: dict[tuple[str, float], float] = {}

    def compute_text_width(self, width: float) -> float:
        chip = self._compute_chip_width(width)
        return max(80.0, width - self._width_beside_text - (GAP + chip if chip else 0.0))

    @property
    def _width_beside_text(self) -> float:
        before_text = INSET + self._number + GAP + AVATAR + GAP
        return before_text + GAP + self._length + GAP + HANDLE + BUTTON + INSET

    def _compute_chip_width(self, width: float) -> float:
        """Return the width of the chip, 0 on a narrow card, where the text takes it all."""
        return self._chip if width - self._width_beside_text - GAP - self._chip >= MIN_TEXT_WIDTH_PX else 0.0

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
        return max(height, AVATAR, BUTTON) + 2 * INSET + CARD_SPACE_BELOW_PX

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
        card = row.adjusted(1, 1, -1, -CARD_SPACE_BELOW_PX + 1)
        middle = card.top() + INSET + max(AVATAR, BUTTON) / 2

        def build_rect(x: float, width: float, height: float) -> QRectF:
            return QRectF(x, middle - height / 2, width, height)

        number = build_rect(card.left() + INSET, self._number, AVATAR)
        avatar = build_rect(number.right() + GAP, AVATAR, AVATAR)
        button = build_rect(card.right() - INSET - BUTTON, BUTTON, BUTTON)
        handle = build_rect(button.left() - HANDLE, HANDLE, AVATAR)
        length = build_rect(handle.left() - GAP - self._length, self._length, AVATAR)
        wide = self._compute_chip_width(row.width())
        chip = build_rect(length.left() - GAP - wide, wide, self._chip_height)
        name, low_chip = self._divide_chip(chip, card)
        bar = QRectF(card.left() + COLOUR_BAR_INSET_PX, card.top() + INSET, COLOUR_BAR_WIDTH_PX, card.height() - 2 * INSET)
        top = middle - self._metrics.height() / 2
        text = QRectF(avatar.right() + GAP, top, self.compute_text_width(row.width()), card.bottom() - (top - card.top()) - top)
        return CardRects(card, number, avatar, text, chip, low_chip, name, bar, length, handle, button)

    def _divide_chip(self, chip: QRectF, card: QRectF) -> tuple[QRectF, QRectF]:
        """Return the places of a name and, below it, of voice and style; the second is empty where there is no room for both."""
        name_height = self._chip_height - CHIP_MARGINS_PX
        below = min(self._chip_height, 2 * (chip.center().y() - card.top()) - 2 * NAME_MARGIN_PX - name_height)
        if below < name_height:
            return chip, QRectF()
        name = QRectF(chip.left(), chip.center().y() - (name_height + below) / 2, chip.width(), name_height)
        return name, QRectF(chip.left(), name.bottom(), chip.width(), below)


def format_card_seconds(length_s: float) -> str:
    """Return a length such as 2.4 s, or 1:02.4 from a minute on."""
    minutes, seconds = divmod(round(length_s, 1), 60)
    return f"{minutes:.0f}:{seconds:04.1f}" if minutes else localize(f"{seconds:.1f} 秒", f"{seconds:.1f} s")
