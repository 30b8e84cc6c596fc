"""`--draw DRAWING.svg PICTURE.png`: turns a drawing into pixels, for the command line, which does without Qt."""

from __future__ import annotations

import sys

SCALE = 2  # pixels for each unit of the drawing
FAILED = 70


def main() -> int:
    """Writes the picture; returns 0, or 70 where that failed."""
    from PySide6.QtCore import QRectF, Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    source, target = sys.argv[-2:]
    app = QGuiApplication(sys.argv[:1])  # fonts need one
    renderer = QSvgRenderer(source)
    if not renderer.isValid():
        return FAILED
    size = renderer.defaultSize() * SCALE
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    written = image.save(target, "PNG")  # type: ignore[call-overload]
    app.quit()
    return 0 if written else FAILED


if __name__ == "__main__":
    sys.exit(main())
