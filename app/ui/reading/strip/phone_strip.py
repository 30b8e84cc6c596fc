"""The strip itself: morae with their accents and pauses, shaped with the mouse or the keys. Every change is emitted, none is made here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QGuiApplication, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from app.common.language import localize
from app.core.sound.accent_edits import find_phrase, may_toggle_phrase, set_accent, toggle_phrase
from app.core.synthesis_types import Overrides
from app.ui.reading.strip.strip_keys import StripKeyTarget, press_key
from app.ui.reading.strip.strip_painting import ACCENT_BOTTOM_PX, STRIP_HEIGHT_PX, StripHighlights, paint_strip
from app.ui.reading.strip.strip_shape import (
    PX_PER_S,
    CellKind,
    StripCell,
    StripShape,
    build_shape,
    change_cell_length,
    describe_cell,
    find_mora_index,
    is_emoji_cell,
)
from app.ui.theme.theme import Theme

EDGE_REACH_PX = 5.0  # pixels around an edge that belong to it


@dataclass(frozen=True, slots=True)
class StripHit:
    """Cells by index, -1 for none: under the mouse; whose right edge it can drag; before a place to split or join."""

    hovered: int = -1
    edge: int = -1
    cut: int = -1


@dataclass(frozen=True, slots=True)
class StripDrag:
    """The mouse is held down.

    Attributes:
        original: the shape before.
        index: cell that is dragged.
        start_x: pixel where.
    """

    kind: Literal["accent", "length", "sound"]
    original: StripShape
    index: int
    start_x: float

    def compute_overrides(self, x: float) -> Overrides:
        """Return the edits that letting the mouse go here would make."""
        kept, cell = self.original, self.original.axis.cells[self.index]
        if self.kind == "length":
            return change_cell_length(kept, cell, (cell.right - cell.left + x - self.start_x) / PX_PER_S)
        if self.kind == "sound" or cell.kind is not CellKind.MORA:
            return kept.overrides
        phrase = find_phrase(kept.phrases, cell.index)
        under = kept.axis.cells[kept.axis.find_cell(x)]
        mora = under.index if under.kind is CellKind.MORA else kept.reading.marks[under.index].moras_before - 1
        accent = min(max(mora, phrase.start), phrase.end - 1) - phrase.start + 1
        if accent == phrase.accent and abs(x - self.start_x) < EDGE_REACH_PX:
            accent = 0  # a click on the fall takes it away
        return set_accent(kept.reading, kept.overrides, cell.index, accent)


def find_hit(shape: StripShape | None, point: QPointF) -> StripHit:
    """Return what is under the mouse."""
    if shape is None or not shape.axis.cells:
        return StripHit()
    hovered = shape.axis.find_cell(point.x())
    if point.y() >= ACCENT_BOTTOM_PX:
        edge = shape.axis.find_edge(point.x(), EDGE_REACH_PX)
        return StripHit(hovered, edge=-1 if edge is None else edge)
    return StripHit(hovered, cut=next((index for index in (hovered - 1, hovered) if _is_gap(shape, index, point.x())), -1))


def _is_gap(shape: StripShape, index: int, x: float) -> bool:
    """Return whether x lies between this cell and the next, where phrases can be split or joined."""
    cells = shape.axis.cells
    if not 0 <= index < len(cells) - 1:
        return False
    here, there = cells[index], cells[index + 1]
    between = here.right - EDGE_REACH_PX <= x <= there.left + EDGE_REACH_PX
    return between and here.kind is there.kind is CellKind.MORA and may_toggle_phrase(shape.reading, there.index)


def create_cell_menu(strip: StripKeyTarget, shape: StripShape, cell: StripCell, fixed_lengths_reason: str, parent: QWidget) -> QMenu:
    """Return the context menu of one cell.

    Args:
        fixed_lengths_reason: why lengths cannot be changed; empty when they can.
    """
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    is_mora = cell.kind is CellKind.MORA
    menu.addAction(localize("ここから再生", "Play from here"), strip.play_current)
    menu.addSeparator()
    word = menu.addAction(localize("読みを変更…", "Change reading…"), lambda: strip.request_word(cell))
    word.setEnabled(is_mora)
    split = menu.addAction(
        localize("この前でアクセント句を分割・結合", "Split or join phrases before this"), lambda: strip.toggle_phrase_break(cell.index)
    )
    split.setEnabled(is_mora and may_toggle_phrase(shape.reading, cell.index))
    menu.addSeparator()
    length = menu.addAction(localize("長さを自動に戻す", "Reset length"), lambda: strip.set_length(cell, None))
    length.setEnabled(not fixed_lengths_reason and cell.is_exact)
    length.setToolTip(fixed_lengths_reason)
    menu.addAction(
        localize("アクセント句をリセット", "Reset accent phrase"), lambda: strip.reset_requested.emit(find_mora_index(shape, cell))
    )
    return menu


CELL_REPAINT_MARGIN_PX = 42  # pixels beside a cell that change with it


class PhoneStrip(QWidget):
    """Shows a shape.

    Attributes:
        highlights: the cells that are drawn otherwise: the current one, the one that sounds, what the mouse is on.
        lengths_fixed: why lengths cannot be changed; empty when they can.
        add_melody_commands: fills the part of the context menu that is about the melody.

    Signals:
        edited(str, Overrides): what was done, for the undo menu, and what came of it.
        reset_requested(int): the edits of this mora's phrase are to be taken back.
        word_requested(int): the reading of this mora's word is to be typed.
        place_selected(float): second of the sound to play from.  cell_selected(StripCell): the same where it has no sound yet.
        moved(float): the current cell is at this pixel.  cell_changed(int): the cell of this index is the current one now.
    """

    edited = Signal(str, object)
    reset_requested = Signal(int)
    word_requested = Signal(int)
    place_selected = Signal(float)
    cell_selected = Signal(object)
    moved = Signal(float)
    cell_changed = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shape: StripShape | None = None
        self.highlights = StripHighlights()
        self._drag: StripDrag | None = None
        self.lengths_fixed = ""
        self.add_melody_commands: Callable[[QMenu], None] = lambda _menu: None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFixedHeight(STRIP_HEIGHT_PX)
        self.setAccessibleName(localize("読みとアクセント", "Reading and accent"))
        self._update_description()
        self._click = QTimer(self)
        self._click.setSingleShot(True)
        self._click.setInterval(QGuiApplication.styleHints().mouseDoubleClickInterval())  # a second click means the word, not the sound
        self._click.timeout.connect(self.play_current)

    @property
    def shape(self) -> StripShape | None:
        """Return what is shown."""
        return self._shape

    @property
    def current(self) -> StripCell | None:
        """Return the cell that keys go to, or None."""
        cells = self._shape.axis.cells if self._shape else ()
        return cells[self.highlights.current] if 0 <= self.highlights.current < len(cells) else None

    def set_theme(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        self._theme = theme
        self.update()

    def show_shape(self, shape: StripShape | None) -> None:
        """Show another shape; a drag in progress is dropped."""
        self._drag = None
        self._set_shape(shape)
        count = len(shape.axis.cells) if shape else 0
        self._set_highlights(replace(self.highlights, current=min(self.highlights.current, count - 1), hovered=-1, edge=-1, cut=-1))

    def select_first_cell(self) -> None:
        """Move the keys to the first mora, after another line was shown."""
        self._set_highlights(StripHighlights(current=0 if self._shape and self._shape.axis.cells else -1, focused=self.hasFocus()))

    def show_played(self, played_s: float | None) -> bool:
        """Highlight the cell that sounds now; return True if that is another cell than before."""
        playing = -1
        if played_s is not None and self._shape is not None and self._shape.axis.is_timed:
            cells = self._shape.axis.cells
            playing = next((index for index, cell in enumerate(cells) if cell.start_s <= played_s < cell.end_s), -1)
            playing = -1 if playing >= 0 and is_emoji_cell(self._shape, cells[playing]) else playing  # nothing of it can be read along
        changed = playing != self.highlights.playing
        self._set_highlights(replace(self.highlights, playing=playing))
        return changed and playing >= 0

    def sizeHint(self) -> QSize:
        """Return the width of the axis and the height of the strip."""
        return QSize(round(self._shape.axis.width) if self._shape else 0, STRIP_HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the exposed part."""
        if self._shape is not None:
            paint_strip(QPainter(self), QRectF(event.rect()), self._shape, self._theme, self.highlights)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show the effect of a click."""
        place = event.position()
        if self._drag is not None:
            self._show_drag(place.x())
            return
        pointed = find_hit(self._shape, place)
        self._set_highlights(replace(self.highlights, hovered=pointed.hovered, edge=pointed.edge, cut=pointed.cut))
        sideways = pointed.edge >= 0 and not self.lengths_fixed
        self.setCursor(Qt.CursorShape.SplitHCursor if sideways else Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag, or split or join phrases at once."""
        if event.button() != Qt.MouseButton.LeftButton or self._shape is None or not self._shape.axis.cells:
            return
        place, pointed = event.position(), find_hit(self._shape, event.position())
        if pointed.cut >= 0:
            self.toggle_phrase_break(self._cells[pointed.cut + 1].index)
            return
        index = pointed.edge if pointed.edge >= 0 else pointed.hovered
        self.select_cell(index)
        if pointed.edge >= 0 and self.lengths_fixed:
            QToolTip.showText(event.globalPosition().toPoint(), self.lengths_fixed, self)
        elif pointed.edge >= 0:
            self._drag = StripDrag("length", self._shape, index, place.x())
        elif place.y() >= ACCENT_BOTTOM_PX:
            self._drag = StripDrag("sound", self._shape, index, place.x())
        else:
            self._drag = StripDrag("accent", self._shape, index, place.x())
            self._show_drag(place.x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Emit the dragged edit; after a click on a kana, play from there."""
        drag, self._drag = self._drag, None
        if drag is not None and drag.kind == "sound":
            self._click.start()
        elif drag is not None and self._shape is not None and self._shape.overrides != drag.original.overrides:
            self.submit_edit(self._shape.overrides, localize("長さを変更", "Change length") if drag.kind == "length" else "")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Request another reading for a word; on an edge, restore the voice's own length."""
        self._click.stop()
        pointed = find_hit(self._shape, event.position())
        if pointed.cut >= 0:
            self.mousePressEvent(event)
        elif pointed.edge >= 0:
            self.set_length(self._cells[pointed.edge], None)
        elif pointed.hovered >= 0 and event.position().y() >= ACCENT_BOTTOM_PX:
            self.request_word(self._cells[pointed.hovered])

    def leaveEvent(self, _event: QEvent) -> None:
        """Clear the highlight under the mouse."""
        self._set_highlights(replace(self.highlights, hovered=-1, edge=-1, cut=-1))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the cell under the mouse, or of the cell that keys go to."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        if not by_key:
            self.select_cell(find_hit(self._shape, QPointF(event.pos())).hovered)
        cell = self.current
        if cell is not None and self._shape is not None:
            place = self.mapToGlobal(QPointF(cell.middle, STRIP_HEIGHT_PX)).toPoint() if by_key else event.globalPos()
            menu = create_cell_menu(self, self._shape, cell, self.lengths_fixed, self)
            self.add_melody_commands(menu.addMenu(localize("イントネーション", "Melody")))
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle arrows, and the few keys that the tip names."""
        cell = self.current
        if cell is None or self._shape is None or not press_key(self, event, self._shape, cell):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the cell that keys go to."""
        super().focusInEvent(event)
        self._set_highlights(replace(self.highlights, current=max(0, self.highlights.current), focused=True))
        self._update_description()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the mark of the cell that keys went to."""
        super().focusOutEvent(event)
        self._set_highlights(replace(self.highlights, focused=False))

    @property
    def is_dragging(self) -> bool:
        """Return whether the mouse is dragging something."""
        return self._drag is not None

    @property
    def current_index(self) -> int:
        """Return where the current cell stands."""
        return self.highlights.current

    @property
    def _cells(self) -> tuple[StripCell, ...]:
        return self._shape.axis.cells if self._shape else ()

    def _show_drag(self, x: float) -> None:
        """Show the effect of letting the mouse go here."""
        assert self._drag is not None
        kept = self._drag.original
        self._set_shape(build_shape(kept.reading, self._drag.compute_overrides(x), kept.times))

    def toggle_phrase_break(self, mora: int) -> None:
        """Split or join phrases before a mora."""
        if self._shape is not None:
            self.submit_edit(
                toggle_phrase(self._shape.reading, self._shape.overrides, mora),
                localize("アクセント句を変更", "Split or join accent phrases"),
            )

    def set_length(self, cell: StripCell, length_s: float | None) -> None:
        """Set the length of a cell, or leave it to the voice if None; report the reason if that is not possible."""
        if self.lengths_fixed:
            QToolTip.showText(self.mapToGlobal(QPointF(cell.middle, STRIP_HEIGHT_PX)).toPoint(), self.lengths_fixed, self)
        elif self._shape is not None:
            self.submit_edit(change_cell_length(self._shape, cell, length_s), localize("長さを変更", "Change length"))

    def submit_edit(self, overrides: Overrides, label: str = "") -> None:
        """Emit the edits that were made."""
        self.edited.emit(label or localize("アクセントを変更", "Change accent"), overrides)

    def request_word(self, cell: StripCell) -> None:
        """Ask the user for the reading of a word."""
        if cell.kind is CellKind.MORA:
            self.word_requested.emit(cell.index)

    @Slot()
    def play_current(self) -> None:
        """Play from the current cell."""
        cell = self.current
        if cell is not None and cell.end_s > cell.start_s:
            self.place_selected.emit(cell.start_s)
        elif cell is not None:
            self.cell_selected.emit(cell)

    def select_cell(self, index: int) -> None:
        """Make a cell the current one."""
        if 0 <= index < len(self._cells):
            self._set_highlights(replace(self.highlights, current=index))
            self.moved.emit(self._cells[index].middle)

    def select_mora(self, mora: int) -> None:
        """Make the cell of a mora the current one."""
        cells = self._cells
        index = next((at for at, cell in enumerate(cells) if cell.kind is CellKind.MORA and cell.index == mora), -1)
        self.select_cell(index)

    def _set_shape(self, shape: StripShape | None) -> None:
        self._shape = shape
        self.updateGeometry()
        self._update_description()
        self.update()

    def _set_highlights(self, highlights: StripHighlights) -> None:
        if highlights != self.highlights:
            before, self.highlights = self.highlights, highlights
            if highlights.current != before.current:
                self._update_description()
                self.cell_changed.emit(highlights.current)
            if highlights.focused != before.focused:
                self.update()
            for old, new in zip(before.cells, highlights.cells, strict=True):
                for index in {old, new} - {-1} if old != new else ():
                    self._update_cell(index)

    def _update_cell(self, index: int) -> None:
        """Repaint only a cell, the number under it and the gap behind it."""
        if index < len(self._cells):
            cell = self._cells[index]
            self.update(
                QRect(
                    round(cell.left) - CELL_REPAINT_MARGIN_PX,
                    0,
                    round(cell.right - cell.left) + 2 * CELL_REPAINT_MARGIN_PX,
                    STRIP_HEIGHT_PX,
                )
            )

    def _update_description(self) -> None:
        """Update what screen readers say: the current cell, or that there is none; Qt would read out the tip's tags else."""
        cell = self.current
        if cell is not None and self._shape is not None:
            self.setAccessibleDescription(describe_cell(self._shape, cell))
        else:
            self.setAccessibleDescription(localize("読みはまだありません。", "No reading yet."))
