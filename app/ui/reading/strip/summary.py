"""The reading of a line in one row of kana: what is left of the strip while it is folded."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language import localized
from app.ui.reading.strip.axis import Kind
from app.ui.reading.strip.shape import Shape, kana_of

LONGEST = 400  # characters; no window is wider


class KanaSummary(QWidget):
    """As much of the reading as there is room for."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setToolTip(
            localized(
                "この行の読み。開くとアクセントと音の長さを調整できます。",
                "The reading of this line; open it to adjust accent and lengths.",
            )
        )

    def show_shape(self, shape: Shape | None) -> None:
        """Shows the reading of a line."""
        text = reading_of(shape) if shape is not None else ""
        if text != self.text:
            self.text = text
            self.setAccessibleName(localized(f"読み: {text}", f"Reading: {text}"))
            self.update()

    def sizeHint(self) -> QSize:
        """A row of text; its width is what is left."""
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The beginning, with dots where there is more."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        shown = self.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
        painter.end()


def reading_of(shape: Shape) -> str:
    """Kana, with a space between accent phrases."""
    begins = {phrase.start for phrase in shape.phrases}
    parts: list[str] = []
    after_mora = False
    for cell in shape.axis.cells:
        is_mora = cell.kind is Kind.MORA
        if is_mora and after_mora and cell.index in begins:
            parts.append(" ")
        parts.append(kana_of(shape, cell))
        after_mora = is_mora
        if len(parts) > LONGEST:
            break
    return "".join(parts)
