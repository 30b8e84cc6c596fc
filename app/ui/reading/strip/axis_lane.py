"""The rows under a line that share one axis: their playhead, and of those that keys shape their cells, highlights and focus."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.common.language import localize
from app.ui.reading.strip.strip_shape import StripAxis, StripCell, StripShape, is_emoji_cell
from app.ui.theme.theme import Theme

PLAYHEAD_WIDTH_PX = 2


class AxisRow(QWidget):
    """A row of a fixed height, as wide as its axis."""

    def __init__(self, theme: Theme, height_px: int, name: str) -> None:
        super().__init__()
        self._theme, self._axis = theme, StripAxis()
        self._played_s: float | None = None
        self.setFixedHeight(height_px)
        self.setAccessibleName(name)

    def set_theme(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Return the width of the axis and the height of the row."""
        return QSize(round(self._axis.width), self.height())

    def move_playhead(self, played_s: float | None) -> None:
        """Move the playhead, or hide it if None; only its old and new places are repainted."""
        for second in (self._played_s, played_s) if played_s != self._played_s else ():
            if second is not None:
                x = round(self._axis.convert_seconds_to_x(second)) - PLAYHEAD_WIDTH_PX - 1
                self.update(QRect(x, 0, 2 * PLAYHEAD_WIDTH_PX + 3, self.height()))
        self._played_s = played_s

    def _paint_playhead(self, painter: QPainter) -> None:
        if self._played_s is not None and self._axis.is_timed:
            painter.setPen(QPen(QColor(self._theme.text), PLAYHEAD_WIDTH_PX))
            x = self._axis.convert_seconds_to_x(self._played_s)
            painter.drawLine(QPointF(x, 1), QPointF(x, self.height() - 1))


@dataclass(frozen=True, slots=True)
class LaneHighlights:
    """The highlighted cells by index, -1 for none."""

    current: int = -1  # where the keys go
    playing: int = -1  # what sounds now
    hovered: int = -1  # hovered, edge: under the mouse; `edge` is the cell whose right edge can be dragged
    edge: int = -1
    cut: int = -1  # the cell before a place where phrases are split or joined
    dragged: int = -1  # what the mouse holds
    focused: bool = False

    @property
    def cells(self) -> tuple[int, ...]:
        return self.current, self.playing, self.hovered, self.edge, self.cut, self.dragged


class AxisLane(AxisRow):
    """A row of cells that takes mouse and keys, and describes the current one to screen readers.

    Signals:
        current_changed(): the keys go to another cell.
        moved(float): the cell that the user has moved to is at this pixel.
    """

    current_changed = Signal()
    moved = Signal(float)

    def __init__(self, theme: Theme, height_px: int, name: str, repaint_margin_px: int) -> None:
        super().__init__(theme, height_px, name)
        self.highlights = LaneHighlights()
        self._strip: StripShape | None = None
        self._cells: Sequence[StripCell] = ()
        self._repaint_margin_px = repaint_margin_px  # around a cell, the area that changes with it
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self._update_description()

    @property
    def current(self) -> StripCell | None:
        """Return the cell that keys go to, or None."""
        return self._cells[self.current_index] if 0 <= self.current_index < len(self._cells) else None

    @property
    def current_index(self) -> int:
        return self.highlights.current

    def select_cell(self, index: int) -> None:
        """Make a cell the current one."""
        if 0 <= index < len(self._cells):
            self._change_highlights(current=index)
            self.moved.emit(self._cells[index].middle)

    def show_played(self, played_s: float | None) -> bool:
        """Highlight the cell that sounds now; return True if that is another cell than before."""
        playing = -1
        if played_s is not None and self._strip is not None and self._axis.is_timed:
            playing = next((index for index, cell in enumerate(self._cells) if cell.start_s <= played_s < cell.end_s), -1)
            if playing >= 0 and is_emoji_cell(self._strip, self._cells[playing]):  # nothing of it can be read along
                playing = -1
        is_other = playing != self.highlights.playing
        self._change_highlights(playing=playing)
        return is_other and playing >= 0

    def leaveEvent(self, _event: QEvent) -> None:
        """Clear the highlight under the mouse."""
        self._change_highlights(hovered=-1, edge=-1, cut=-1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the cell that keys go to."""
        super().focusInEvent(event)
        self._change_highlights(current=max(0, self.current_index), focused=True)
        self._update_description()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the mark of the cell that keys went to."""
        super().focusOutEvent(event)
        self._change_highlights(focused=False)

    def _show_cells(self, strip: StripShape | None, cells: Sequence[StripCell]) -> None:
        axis = strip.axis if strip is not None else StripAxis()
        is_other_axis = axis is not self._axis
        self._strip, self._cells, self._axis = strip, cells, axis
        if is_other_axis:
            self.updateGeometry()
        self._update_description()
        self.update()

    def _change_highlights(self, **highlights: Any) -> None:
        """Change highlights by name, and repaint the cells that they leave and come to, with the number under them and the gap behind them."""
        former, self.highlights = self.highlights, replace(self.highlights, **highlights)
        if self.highlights.current != former.current:
            self._update_description()
            self.current_changed.emit()
        if self.highlights.focused != former.focused:
            self.update()
        indexes = zip(former.cells, self.highlights.cells, strict=True)
        for index in {index for old, new in indexes if old != new for index in (old, new)}:
            if 0 <= index < len(self._cells):
                cell, margin = self._cells[index], self._repaint_margin_px
                self.update(QRect(round(cell.left) - margin, 0, round(cell.right - cell.left) + 2 * margin, self.height()))

    def _describe_cell(self, cell: StripCell) -> str:
        raise NotImplementedError

    def _update_description(self) -> None:
        """Update what screen readers say; Qt would read out the tip's tags else."""
        cell = self.current
        self.setAccessibleDescription(localize("読みはまだありません。", "No reading yet.") if cell is None else self._describe_cell(cell))
