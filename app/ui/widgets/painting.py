"""Painting that several rooms need: the picture of a voice, which is its icon or its first letter on a colour of its own, and hatched areas."""

import zlib
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QImageReader, QImageWriter, QPainter, QPainterPath, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QWidget

LETTER_HUES = (212, 152, 28, 280, 340, 186, 48, 96)
MAX_DRAWN_ICON_BYTES = 16 << 20
MAX_ICON_EDGE_PX = 8192
PORTRAIT_EDGE_PX = 96


def draw_voice_picture(name: str, icon: Path | None, edge: int, scale: float, palette: QPalette) -> QPixmap:
    """Return a round picture, `edge` logical pixels wide, for a screen of this scale."""
    image = _read_icon_square(icon, round(edge * scale)) if icon is not None else None
    if image is not None:
        return _draw_round_picture(image, edge, scale)
    picture = _create_pixmap(edge, scale)
    painter, area = QPainter(picture), QRectF(0, 0, edge, edge)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ground, letter = choose_letter_colors(name, palette.color(QPalette.ColorRole.Window).lightness() < 128)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawEllipse(area)
    font = painter.font()
    font.setPixelSize(round(area.height() * 0.46))
    painter.setFont(font)
    painter.setPen(letter)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name[:1].upper() or "…")
    painter.end()
    return picture


def _create_pixmap(edge: int, scale: float) -> QPixmap:
    picture = QPixmap(round(edge * scale), round(edge * scale))
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _draw_round_picture(image: QImage, edge: int, scale: float) -> QPixmap:
    picture = _create_pixmap(edge, scale)
    painter, circle = QPainter(picture), QPainterPath()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    circle.addEllipse(QRectF(0, 0, edge, edge))
    painter.setClipPath(circle)
    painter.drawImage(QRectF(0, 0, edge, edge), image)
    painter.end()
    return picture


def read_portrait(file: Path) -> str:
    """Return the middle square of a picture as the portrait of a character, empty for a file that is no picture, or too large for one."""
    image = _read_icon_square(file, PORTRAIT_EDGE_PX)
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if image is None or not QImageWriter(buffer, QByteArray(b"PNG")).write(image):
        return ""
    return content.toBase64().toStdString()


class PortraitPictures:
    """Round pictures of portraits, `edge` logical pixels wide, each drawn once for the screen of a widget."""

    def __init__(self, widget: QWidget, edge: int) -> None:
        self._widget, self._edge = widget, edge
        self._pictures: dict[tuple[str, float], QPixmap | None] = {}

    def find_picture(self, portrait: str) -> QPixmap | None:
        """Return the picture; None where there is none, or a stranger's project has something else in its place."""
        if not portrait:
            return None
        key = (portrait, self._widget.devicePixelRatioF())
        if key not in self._pictures:
            image = _decode_portrait(portrait)
            self._pictures[key] = None if image is None else _draw_round_picture(image, self._edge, key[1])
        return self._pictures[key]


def _decode_portrait(portrait: str) -> QImage | None:
    """Return the image; None for what is none, or larger than we write it."""
    data = QByteArray.fromBase64(portrait.encode("ascii", "replace"))
    buffer = QBuffer()
    buffer.setData(data)
    reader = QImageReader(buffer, QByteArray(b"PNG"))
    size = reader.size()
    if not size.isValid() or max(size.width(), size.height()) > PORTRAIT_EDGE_PX:
        return None
    image = reader.read()
    return None if image.isNull() else image


def create_voice_icon(name: str, icon: Path | None, edge: int, widget: QWidget) -> QIcon:
    """Return the picture as an icon for a list, in the scale and palette of a widget."""
    picture = draw_voice_picture(name, icon, edge, widget.devicePixelRatioF(), widget.palette())
    drawn = QIcon(picture)
    # Qt tints the icon of a selected row unless a pixmap for that mode exists.
    drawn.addPixmap(picture, QIcon.Mode.Selected)
    return drawn


def choose_letter_colors(name: str, is_dark: bool) -> tuple[QColor, QColor]:
    """Return the colours of ground and letter for a voice without an icon."""
    # A CRC is the same in every process, while Python's own `hash` of a string is not.
    hue = LETTER_HUES[zlib.crc32(name.encode("utf-8", "replace")) % len(LETTER_HUES)]
    return QColor.fromHsl(hue, 110, 70 if is_dark else 225), QColor.fromHsl(hue, 160, 220 if is_dark else 70)


def _read_icon_square(icon: Path, size: int) -> QImage | None:
    """Return the middle square of an image, or None if the file is no image, above 16 MiB, or above 8192 px in an edge."""
    try:
        if icon.stat().st_size > MAX_DRAWN_ICON_BYTES:
            return None
    except OSError:
        return None
    reader = QImageReader(str(icon))
    size_px = reader.size()
    if not size_px.isValid() or max(size_px.width(), size_px.height()) > MAX_ICON_EDGE_PX:
        return None
    reader.setScaledSize(size_px.scaled(QSize(size, size), Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    image = reader.read()
    if image.isNull():
        return None
    return image.copy((image.width() - size) // 2, (image.height() - size) // 2, size, size)


def paint_hatch(painter: QPainter, rect: QRectF, color: QColor, step: float = 6.0, radius: float = 0.0) -> None:
    """Draw lines every `step` pixels along the upper edge of a rectangle with round corners."""
    # Qt's own hatch pattern is made of device pixels, too fine to be seen on a high-resolution screen.
    area = QPainterPath()
    area.addRoundedRect(rect, radius, radius)
    painter.save()
    painter.setClipPath(area, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(color, 1.2))
    count = int((rect.width() + rect.height()) / step) + 1
    lefts = (rect.left() - rect.height() + (at + 0.5) * step for at in range(count))
    painter.drawLines([QLineF(left, rect.bottom(), left + rect.height(), rect.top()) for left in lefts])
    painter.restore()


def paint_cache_mark(painter: QPainter, rect: QRectF, color: QColor) -> None:
    """Draw the mark of cached values: a hatched square with an edge."""
    paint_hatch(painter, rect, color, step=3.5)
    painter.setPen(QPen(color, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)
