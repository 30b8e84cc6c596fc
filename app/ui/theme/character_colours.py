"""The colours of characters in both themes, and their names.

Each holds 4.5:1 against everything that a character's name is written on: windows, cards, selected and hovered rows. Neighbours in the order
are far apart in hue, because a cast gets its colours in this order.
"""

from functools import cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QWidget

from app.common.language import localize

CHARACTER_COLOURS_ON_LIGHT = (
    *("#0f64bf", "#b43b2c", "#00751d", "#864aae", "#935704", "#027071"),
    *("#972767", "#585802", "#045b74", "#5343ac", "#9f2346", "#046045"),
)
CHARACTER_COLOURS_ON_DARK = (
    *("#65a7fa", "#f48573", "#62b667", "#c48feb", "#e19237", "#03b7b7"),
    *("#ff95c9", "#bcbd46", "#23c6f7", "#b3b1ff", "#fe9baa", "#40cd9b"),
)
_SWATCH_MARGIN_SHARE, _HALF = 0.12, 0.5


def find_character_colour(number: int, theme_name: str) -> QColor:
    """Return the colour of a character on the theme "light" or "dark"; a number of a later version counts round."""
    colours = CHARACTER_COLOURS_ON_DARK if theme_name == "dark" else CHARACTER_COLOURS_ON_LIGHT
    return QColor(colours[number % len(colours)])


def list_colour_names() -> tuple[str, ...]:
    """Return the names of the colours, by number."""
    japanese = ("青", "赤", "緑", "紫", "橙", "青緑", "ピンク", "黄", "水色", "藤色", "紅", "翡翠色")
    english = ("blue", "red", "green", "purple", "orange", "teal", "pink", "yellow", "sky", "violet", "rose", "jade")
    return tuple(localize(ja, en) for ja, en in zip(japanese, english, strict=True))


def create_colour_icon(number: int, edge: int, widget: QWidget) -> QIcon:
    """Return a disc in the colour of a character, `edge` pixels wide, in the theme and in the scale of a widget."""
    # The widget's own palette may have a transparent ground by the style sheet.
    is_dark = QGuiApplication.palette().color(QPalette.ColorRole.Window).lightnessF() < _HALF
    return _draw_disc(find_character_colour(number, "dark" if is_dark else "light").name(), edge, widget.devicePixelRatioF())


# A list of sixty characters is filled with every change of the cast.
@cache
def _draw_disc(colour: str, edge: int, scale: float) -> QIcon:
    picture = QPixmap(round(edge * scale), round(edge * scale))
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    margin = edge * _SWATCH_MARGIN_SHARE
    painter.drawEllipse(QRectF(0, 0, edge, edge).adjusted(margin, margin, -margin, -margin))
    painter.end()
    drawn = QIcon(picture)
    # Qt tints the icon of a selected row unless a pixmap for that mode exists.
    drawn.addPixmap(picture, QIcon.Mode.Selected)
    return drawn
