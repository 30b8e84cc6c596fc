"""The strip itself: morae with their accents and pauses, shaped with the mouse or the keys. Every change is emitted, none is made here."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from app.core.accents import toggle_phrase
from app.core.types import Overrides
from app.language import localized
from app.ui.reading.strip.axis import Cell, Kind
from app.ui.reading.strip.context_menu import context_menu
from app.ui.reading.strip.keys import press_key
from app.ui.reading.strip.painting import ACCENT_BOTTOM, HEIGHT, Marked, paint_strip
from app.ui.reading.strip.pointing import Drag, pointed_at
from app.ui.reading.strip.shape import Shape, is_emoji, shape_of, with_length, words_for
from app.ui.theme.theme import Theme

AROUND = 42  # pixels beside a cell that change with it


class PhoneStrip(QWidget):
    """Shows a shape.

    Attributes:
        lengths_fixed: why lengths cannot be changed; empty when they can.

    Signals:
        edited(str, Overrides): what was done, for the undo menu, and what came of it.
        reset_requested(int): the edits of this mora's phrase are to be taken back.
        word_requested(int): the reading of this mora's word is to be typed.
        place_selected(float): second of the sound to play from.  cell_selected(Cell): the same where it has no sound yet.
        moved(float): the current cell is at this pixel.
    """

    edited = Signal(str, object)
    reset_requested = Signal(int)
    word_requested = Signal(int)
    place_selected = Signal(float)
    cell_selected = Signal(object)
    moved = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shape: Shape | None = None
        self._marked = Marked()
        self._drag: Drag | None = None
        self.lengths_fixed = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName(localized("読みとアクセント", "Reading and accent"))
        self._click = QTimer(self)
        self._click.setSingleShot(True)
        self._click.setInterval(QGuiApplication.styleHints().mouseDoubleClickInterval())  # a second click means the word, not the sound
        self._click.timeout.connect(self.play_current)

    @property
    def shape(self) -> Shape | None:
        """What is shown."""
        return self._shape

    @property
    def current(self) -> Cell | None:
        """The cell the keys go to."""
        cells = self._shape.axis.cells if self._shape else ()
        return cells[self._marked.current] if 0 <= self._marked.current < len(cells) else None

    def set_theme(self, theme: Theme) -> None:
        """Takes other colours."""
        self._theme = theme
        self.update()

    def show_shape(self, shape: Shape | None) -> None:
        """Shows another shape; what is being dragged is let go."""
        self._drag = None
        self._put(shape)
        count = len(shape.axis.cells) if shape else 0
        self._mark(replace(self._marked, current=min(self._marked.current, count - 1), hovered=-1, edge=-1, cut=-1))

    def start_at_first(self) -> None:
        """Another line: the keys begin at its first mora."""
        self._mark(Marked(current=0 if self._shape and self._shape.axis.cells else -1, focused=self.hasFocus()))

    def show_played(self, played_s: float | None) -> bool:
        """Lights up what sounds at this moment; True when that is another cell than before."""
        playing = -1
        if played_s is not None and self._shape is not None and self._shape.axis.timed:
            cells = self._shape.axis.cells
            playing = next((index for index, cell in enumerate(cells) if cell.start_s <= played_s < cell.end_s), -1)
            playing = -1 if playing >= 0 and is_emoji(self._shape, cells[playing]) else playing  # nothing of it can be read along
        changed = playing != self._marked.playing
        self._mark(replace(self._marked, playing=playing))
        return changed and playing >= 0

    def sizeHint(self) -> QSize:
        """As wide as the axis."""
        return QSize(round(self._shape.axis.width) if self._shape else 0, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The exposed part."""
        if self._shape is not None:
            paint_strip(QPainter(self), QRectF(event.rect()), self._shape, self._theme, self._marked)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drags, or shows what a click would do."""
        place = event.position()
        if self._drag is not None:
            self._drag_to(place.x())
            return
        pointed = pointed_at(self._shape, place)
        self._mark(replace(self._marked, hovered=pointed.hovered, edge=pointed.edge, cut=pointed.cut))
        sideways = pointed.edge >= 0 and not self.lengths_fixed
        self.setCursor(Qt.CursorShape.SplitHCursor if sideways else Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begins a drag, or splits and joins at once."""
        if event.button() != Qt.MouseButton.LeftButton or self._shape is None or not self._shape.axis.cells:
            return
        place, pointed = event.position(), pointed_at(self._shape, event.position())
        if pointed.cut >= 0:
            self.toggle(self._cells[pointed.cut + 1].index)
            return
        index = pointed.edge if pointed.edge >= 0 else pointed.hovered
        self.go_to(index)
        if pointed.edge >= 0 and self.lengths_fixed:
            QToolTip.showText(event.globalPosition().toPoint(), self.lengths_fixed, self)
        elif pointed.edge >= 0:
            self._drag = Drag("length", self._shape, index, place.x())
        elif place.y() >= ACCENT_BOTTOM:
            self._drag = Drag("sound", self._shape, index, place.x())
        else:
            self._drag = Drag("accent", self._shape, index, place.x())
            self._drag_to(place.x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Emits what was dragged; a click on a kana plays from there."""
        drag, self._drag = self._drag, None
        if drag is not None and drag.what == "sound":
            self._click.start()
        elif drag is not None and self._shape is not None and self._shape.overrides != drag.kept.overrides:
            self.submit(self._shape.overrides, localized("長さを変更", "Change length") if drag.what == "length" else "")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A word is to be read otherwise; on an edge the voice's own length comes back."""
        self._click.stop()
        pointed = pointed_at(self._shape, event.position())
        if pointed.cut >= 0:
            self.mousePressEvent(event)
        elif pointed.edge >= 0:
            self.set_length(self._cells[pointed.edge], None)
        elif pointed.hovered >= 0 and event.position().y() >= ACCENT_BOTTOM:
            self.want_word(self._cells[pointed.hovered])

    def leaveEvent(self, _event: QEvent) -> None:
        """Nothing is under the mouse any more."""
        self._mark(replace(self._marked, hovered=-1, edge=-1, cut=-1))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Names what can be done with the cell under the mouse, or with the one that the keys are at."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        if not by_key:
            self.go_to(pointed_at(self._shape, QPointF(event.pos())).hovered)
        cell = self.current
        if cell is not None and self._shape is not None:
            place = self.mapToGlobal(QPointF(cell.middle, HEIGHT)).toPoint() if by_key else event.globalPos()
            menu = context_menu(self, self._shape, cell, self.lengths_fixed, self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, and the few keys the tip names."""
        cell = self.current
        if cell is None or self._shape is None or not press_key(self, event, self._shape, cell):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows where the keys go."""
        super().focusInEvent(event)
        self._mark(replace(self._marked, current=max(0, self._marked.current), focused=True))
        self._describe()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keys go elsewhere."""
        super().focusOutEvent(event)
        self._mark(replace(self._marked, focused=False))

    @property
    def is_dragging(self) -> bool:
        """The mouse holds something."""
        return self._drag is not None

    @property
    def current_index(self) -> int:
        """Where the current cell stands."""
        return self._marked.current

    @property
    def _cells(self) -> tuple[Cell, ...]:
        return self._shape.axis.cells if self._shape else ()

    def _drag_to(self, x: float) -> None:
        """Shows what would come of letting go here."""
        assert self._drag is not None
        kept = self._drag.kept
        self._put(shape_of(kept.reading, self._drag.overrides_at(x), kept.times))

    def toggle(self, mora: int) -> None:
        """Splits or joins phrases before a mora."""
        if self._shape is not None:
            self.submit(
                toggle_phrase(self._shape.reading, self._shape.overrides, mora),
                localized("アクセント句を変更", "Split or join accent phrases"),
            )

    def set_length(self, cell: Cell, length_s: float | None) -> None:
        """Another length; None leaves it to the voice. Says why where that cannot be."""
        if self.lengths_fixed:
            QToolTip.showText(self.mapToGlobal(QPointF(cell.middle, HEIGHT)).toPoint(), self.lengths_fixed, self)
        elif self._shape is not None:
            self.submit(with_length(self._shape, cell, length_s), localized("長さを変更", "Change length"))

    def submit(self, overrides: Overrides, label: str = "") -> None:
        """Passes on what was done."""
        self.edited.emit(label or localized("アクセントを変更", "Change accent"), overrides)

    def want_word(self, cell: Cell) -> None:
        """Asks for the word to be typed."""
        if cell.kind is Kind.MORA:
            self.word_requested.emit(cell.index)

    @Slot()
    def play_current(self) -> None:
        """Plays from the current cell."""
        cell = self.current
        if cell is not None and cell.end_s > cell.start_s:
            self.place_selected.emit(cell.start_s)
        elif cell is not None:
            self.cell_selected.emit(cell)

    def go_to(self, index: int) -> None:
        """Makes a cell the current one."""
        if 0 <= index < len(self._cells):
            self._mark(replace(self._marked, current=index))
            self.moved.emit(self._cells[index].middle)

    def _put(self, shape: Shape | None) -> None:
        self._shape = shape
        self.updateGeometry()
        self._describe()
        self.update()

    def _mark(self, marked: Marked) -> None:
        if marked != self._marked:
            before, self._marked = self._marked, marked
            if marked.current != before.current:
                self._describe()
            if marked.focused != before.focused:
                self.update()
            for old, new in zip(before.cells, marked.cells, strict=True):
                for index in {old, new} - {-1} if old != new else ():
                    self._update_cell(index)

    def _update_cell(self, index: int) -> None:
        """Draws a cell again, with the number under it and the gap behind it, and nothing else."""
        if index < len(self._cells):
            cell = self._cells[index]
            self.update(QRect(round(cell.left) - AROUND, 0, round(cell.right - cell.left) + 2 * AROUND, HEIGHT))

    def _describe(self) -> None:
        """Says in words where the keys go."""
        cell = self.current
        if cell is not None and self._shape is not None:
            self.setAccessibleDescription(words_for(self._shape, cell))
