"""Painting that several rooms need: the picture of a voice, which is its icon or its first letter on a colour of its own, and hatched areas."""

import zlib
from pathlib import Path

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QImageReader, QPainter, QPainterPath, QPalette, QPen, QPixmap
from PySide6.QtWidgets import QWidget

LETTER_HUES = (212, 152, 28, 280, 340, 186, 48, 96)
MAX_DRAWN_ICON_BYTES = 16 << 20
MAX_ICON_EDGE_PX = 8192


def draw_voice_picture(name: str, icon: Path | None, edge: int, scale: float, palette: QPalette) -> QPixmap:
    """Return a round picture, `edge` logical pixels wide, for a screen of this scale."""
    size = round(edge * scale)
    picture = QPixmap(size, size)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    area = QRectF(0, 0, edge, edge)
    image = _read_icon_square(icon, size) if icon is not None else None
    if image is None:
        ground, letter = choose_letter_colors(name, palette.color(QPalette.ColorRole.Window).lightness() < 128)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawEllipse(area)
        font = painter.font()
        font.setPixelSize(round(area.height() * 0.46))
        painter.setFont(font)
        painter.setPen(letter)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name[:1].upper() or "…")
    else:
        circle = QPainterPath()
        circle.addEllipse(area)
        painter.setClipPath(circle)
        painter.drawImage(area, image)
    painter.end()
    return picture


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
