"""A view of a report's picture that fits its width."""

from __future__ import annotations

import math

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QImageWriter, QPainter, QPaintEvent, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QScrollArea, QWidget

from app.bench.dark_colors import DARK_COLORS, convert_to_dark
from app.bench.svg_picture import PAPER
from app.common.errors import InternalError
from app.common.language import localize
from app.ui.theme.theme import is_theme_change_event

# On Qt's lightness scale of 0 to 255, a base colour below this means a dark theme.
DARK_THEME_LIGHTNESS = 128
MARGIN, RADIUS = 12, 8  # pixels
# Beyond this scale lines only become thicker.
MAX_PICTURE_SCALE = 1.5
# Exported pixels for each pixel of the drawing, so that text stays sharp.
PNG_SCALE = 2
MAX_PNG_SIDE_PX = 16_000


class ReportPicture(QScrollArea):
    """A scroll area that shows an SVG as wide as the view; a higher picture scrolls."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(localize("結果の図", "Picture of the results"))
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.drawing = _PictureWidget()
        self.setWidget(self.drawing)

    def show_svg(self, svg: str) -> None:
        """Show another picture."""
        self.drawing.show_svg(svg)


class _PictureWidget(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("side")
        self._renderer = QSvgRenderer()
        self._svg = ""
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_svg(self, svg: str) -> None:
        self._svg = svg
        self._renderer.load(QByteArray(apply_theme(svg).encode("utf-8")))
        self.updateGeometry()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        if is_theme_change_event(self, event) and self._svg:
            self.show_svg(self._svg)
        super().changeEvent(event)

    def heightForWidth(self, width: int) -> int:
        return math.ceil(self._compute_size(width).height()) + 2 * MARGIN

    def paintEvent(self, _event: QPaintEvent) -> None:
        size = self._compute_size(self.width())
        if size.isEmpty():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(DARK_COLORS[PAPER] if is_dark_theme() else PAPER))
        place = QRectF(QPointF((self.width() - size.width()) / 2, MARGIN), size)
        painter.drawRoundedRect(place.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN), RADIUS, RADIUS)
        self._renderer.render(painter, place)
        painter.end()

    def _compute_size(self, width: int) -> QSizeF:
        """Return the size (pixels) of the picture in a view of this width."""
        size = QSizeF(self._renderer.defaultSize())
        return size * min(MAX_PICTURE_SCALE, max(0, width - 2 * MARGIN) / max(1.0, size.width()))


def is_dark_theme() -> bool:
    """Return whether the current theme is dark."""
    return QGuiApplication.palette().color(QPalette.ColorRole.Base).lightness() < DARK_THEME_LIGHTNESS


def apply_theme(svg: str) -> str:
    """Return a picture, drawn for paper, in the colours of the current theme."""
    return convert_to_dark(svg) if is_dark_theme() else svg


def render_png(svg: str) -> bytes:
    """Render a picture as PNG in its own colours. Raise InternalError where that fails."""
    renderer = QSvgRenderer(QByteArray(svg.encode("utf-8")))
    size = renderer.defaultSize()
    # A very long picture is scaled down: Qt makes a null image where the size is too large.
    scale = min(PNG_SCALE, MAX_PNG_SIDE_PX / max(1, size.width(), size.height()))
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if renderer.isValid() and not image.isNull():
        image.fill(QColor(PAPER))
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        if QImageWriter(buffer, QByteArray(b"PNG")).write(image):
            return bytes(buffer.data().data())
    raise InternalError(localize("図を描けません。", "The picture cannot be drawn."))
