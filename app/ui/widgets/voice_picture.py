"""The picture of a voice: its own icon, or its first letter on a colour of its own."""

from __future__ import annotations

import zlib
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QImageReader, QPainter, QPainterPath, QPalette, QPixmap
from PySide6.QtWidgets import QWidget

HUES = (212, 152, 28, 280, 340, 186, 48, 96)
LARGEST_ICON_BYTES = 16 << 20
LARGEST_ICON_EDGE = 8192


def voice_picture(name: str, icon: Path | None, edge: int, scale: float, palette: QPalette) -> QPixmap:
    """A round picture, `edge` logical pixels wide, for a screen of this scale."""
    size = round(edge * scale)
    picture = QPixmap(size, size)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    place = QRectF(0, 0, edge, edge)
    image = _read(icon, size) if icon is not None else None
    if image is None:
        _draw_letter(painter, place, name, palette)
    else:
        circle = QPainterPath()
        circle.addEllipse(place)
        painter.setClipPath(circle)
        painter.drawImage(place, image)
    painter.end()
    return picture


def voice_icon(name: str, icon: Path | None, edge: int, widget: QWidget) -> QIcon:
    """The same in a list: for the screen and the look of a widget, and as it is where Qt would tint what is selected."""
    picture = voice_picture(name, icon, edge, widget.devicePixelRatioF(), widget.palette())
    drawn = QIcon(picture)
    drawn.addPixmap(picture, QIcon.Mode.Selected)
    return drawn


def letter_colors(name: str, dark: bool) -> tuple[QColor, QColor]:
    """Ground and letter of a voice without an icon."""
    hue = HUES[zlib.crc32(name.encode("utf-8", "replace")) % len(HUES)]
    return QColor.fromHsl(hue, 110, 70 if dark else 225), QColor.fromHsl(hue, 160, 220 if dark else 70)


def _draw_letter(painter: QPainter, place: QRectF, name: str, palette: QPalette) -> None:
    ground, letter = letter_colors(name, palette.color(QPalette.ColorRole.Window).lightness() < 128)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawEllipse(place)
    font = painter.font()
    font.setPixelSize(round(place.height() * 0.46))
    painter.setFont(font)
    painter.setPen(letter)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name[:1].upper() or "…")


def _read(icon: Path, size: int) -> QImage | None:
    """The middle square of an image; None where it is none, or larger than an icon has to be."""
    try:
        if icon.stat().st_size > LARGEST_ICON_BYTES:
            return None
    except OSError:
        return None
    reader = QImageReader(str(icon))
    whole = reader.size()
    if not whole.isValid() or max(whole.width(), whole.height()) > LARGEST_ICON_EDGE:
        return None
    reader.setScaledSize(whole.scaled(QSize(size, size), Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    image = reader.read()
    if image.isNull():
        return None
    return image.copy((image.width() - size) // 2, (image.height() - size) // 2, size, size)
