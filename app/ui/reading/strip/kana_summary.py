"""The reading of a line in one row of kana: what is left of the strip while it is folded."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.common.language import localize
from app.ui.reading.strip.strip_axis import CellKind
from app.ui.reading.strip.strip_shape import StripShape, find_cell_text

MAX_SUMMARY_CHARS = 400  # characters; no window is wider


class KanaSummary(QWidget):
    """As much of the reading as there is room for."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setToolTip(
            localize(
                "この行の読み。開くとアクセントと音の長さを調整できます。",
                "The reading of this line; open it to adjust accent and lengths.",
            )
        )

    def show_shape(self, shape: StripShape | None) -> None:
        """Shows the reading of a line."""
        text = format_kana_summary(shape) if shape is not None else ""
        if text != self.text:
            self.text = text
            self.setAccessibleName(localize(f"読み: {text}", f"Reading: {text}"))
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


def format_kana_summary(shape: StripShape) -> str:
    """Kana, with a space between accent phrases."""
    begins = {phrase.start for phrase in shape.phrases}
    parts: list[str] = []
    after_mora = False
    for cell in shape.axis.cells:
        is_mora = cell.kind is CellKind.MORA
        if is_mora and after_mora and cell.index in begins:
            parts.append(" ")
        parts.append(find_cell_text(shape, cell))
        after_mora = is_mora
        if len(parts) > MAX_SUMMARY_CHARS:
            break
    return "".join(parts)
