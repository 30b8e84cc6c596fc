"""The picture of a report, as large as its place."""

from __future__ import annotations

import math

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QImageWriter, QPainter, QPaintEvent, QPalette
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QScrollArea, QWidget

from app.bench.dark import DARK_OF, darkened
from app.bench.svg import PAPER
from app.errors import InternalError
from app.language import localized
from app.ui.theme.theme import is_theme_change

DARKEST_PAPER = 128  # lightness of 255: below it the theme is dark
MARGIN, RADIUS = 12, 8  # pixels
MOST_SCALE = 1.5  # beyond which lines only become thick
SHARP = 2  # pixels of an exported picture for each of the drawing
LONGEST_SIDE = 16_000  # pixels of an exported picture


class Picture(QScrollArea):
    """Shows an SVG as wide as the place; what is higher is scrolled to."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(localized("結果の図", "Picture of the results"))
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.drawing = _Drawing()
        self.setWidget(self.drawing)

    def show_svg(self, svg: str) -> None:
        """Another picture."""
        self.drawing.show_svg(svg)


class _Drawing(QWidget):
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
        self._renderer.load(QByteArray(in_theme(svg).encode("utf-8")))
        self.updateGeometry()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        if is_theme_change(self, event) and self._svg:
            self.show_svg(self._svg)
        super().changeEvent(event)

    def heightForWidth(self, width: int) -> int:
        return math.ceil(self._size(width).height()) + 2 * MARGIN

    def paintEvent(self, _event: QPaintEvent) -> None:
        size = self._size(self.width())
        if size.isEmpty():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(DARK_OF[PAPER] if is_dark() else PAPER))
        place = QRectF(QPointF((self.width() - size.width()) / 2, MARGIN), size)
        painter.drawRoundedRect(place.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN), RADIUS, RADIUS)
        self._renderer.render(painter, place)
        painter.end()

    def _size(self, width: int) -> QSizeF:
        """Of the picture, in a place of this width."""
        size = QSizeF(self._renderer.defaultSize())
        return size * min(MOST_SCALE, max(0, width - 2 * MARGIN) / max(1.0, size.width()))


def is_dark() -> bool:
    """Whether the theme in use is."""
    return QGuiApplication.palette().color(QPalette.ColorRole.Base).lightness() < DARKEST_PAPER


def in_theme(svg: str) -> str:
    """A picture that was drawn for paper, in the colours of the theme in use."""
    return darkened(svg) if is_dark() else svg


def as_png(svg: str) -> bytes:
    """The picture in fine pixels, as it stands; InternalError where it cannot be drawn."""
    renderer = QSvgRenderer(QByteArray(svg.encode("utf-8")))
    size = renderer.defaultSize()
    scale = min(SHARP, LONGEST_SIDE / max(1, size.width(), size.height()))
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
    raise InternalError(localized("図を描けません。", "The picture cannot be drawn."))
