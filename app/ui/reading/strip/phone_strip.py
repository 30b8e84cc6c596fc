"""The strip itself: morae with their accents and pauses, shaped with the mouse or the keys. Every change is emitted, none is made here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from app.common.language import localize
from app.core.sound.line_edits import find_phrase, may_toggle_phrase, set_accent, toggle_phrase
from app.core.synthesis_types import Overrides
from app.ui.reading.strip.axis_lane import AxisLane, LaneHighlights
from app.ui.reading.strip.strip_shape import (
    PHRASE_GAP_PX,
    PX_PER_S,
    CellKind,
    StripCell,
    StripShape,
    build_shape,
    change_cell_length,
    change_pitch_fall,
    describe_cell,
    find_cell_text,
    find_mora_index,
    is_emoji_cell,
)
from app.ui.theme.theme import Theme
from app.ui.widgets.painting import paint_hatch

HIGH, LOW = 11.0, 29.0  # the two heights of the accent line
ACCENT_BOTTOM_PX = 39.0
KANA_BOTTOM_PX = 67.0
STRIP_HEIGHT_PX = 83
ACCENT_DOT_RADIUS_PX = 3.6
EDGE_REACH_PX = 5.0  # pixels around an edge that belong to it
CELL_REPAINT_MARGIN_PX = 42
LENGTH_STEP_S, BIG_LENGTH_STEP_S = 0.01, 0.05

Key = Qt.Key


def paint_strip(painter: QPainter, area: QRectF, shape: StripShape, theme: Theme, highlights: LaneHighlights) -> None:
    """Paint the part of a shape that is in `area`."""
    cells = shape.axis.cells
    if not cells:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    first, last = shape.axis.find_cell(area.left() - PHRASE_GAP_PX), shape.axis.find_cell(area.right() + PHRASE_GAP_PX)
    for index in range(first, last + 1):
        _paint_cell(painter, shape, index, theme, highlights)
    _paint_doubts(painter, shape, theme)
    _paint_accents(painter, area, shape, theme, highlights)
    if 0 <= highlights.cut < len(cells) - 1:
        x = (cells[highlights.cut].right + cells[highlights.cut + 1].left) / 2
        painter.setPen(QPen(QColor(theme.accent), 2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, 3), QPointF(x, ACCENT_BOTTOM_PX - 2))
    if 0 <= highlights.edge < len(cells):
        painter.setPen(QPen(QColor(theme.accent), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        x = cells[highlights.edge].right - 1
        painter.drawLine(QPointF(x, ACCENT_BOTTOM_PX + 5), QPointF(x, KANA_BOTTOM_PX - 5))


def _paint_cell(painter: QPainter, shape: StripShape, index: int, theme: Theme, highlights: LaneHighlights) -> None:
    cell = shape.axis.cells[index]
    box = QRectF(cell.left + 1, ACCENT_BOTTOM_PX, cell.right - cell.left - 2, KANA_BOTTOM_PX - ACCENT_BOTTOM_PX)
    playing = index == highlights.playing
    fill = QColor(theme.accent if playing else theme.faint if index == highlights.hovered else theme.window)
    painter.setPen(QPen(QColor(theme.accent), 2) if index == highlights.current and highlights.focused else Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawRoundedRect(box, 5, 5)
    if cell.kind is CellKind.MARK and not playing:
        paint_hatch(painter, box, QColor(theme.border), radius=5)
    font = QFont(painter.font())
    kana = find_cell_text(shape, cell)
    font.setPixelSize(16 if len(kana) < 2 else 13)
    font.setBold(False)
    painter.setFont(font)
    painter.setPen(QColor(theme.on_accent if playing else theme.muted if cell.kind is CellKind.MARK else theme.text))
    if cell.kind is CellKind.MARK:  # the glyph of most marks is in a corner of its square
        ink = QFontMetricsF(font).tightBoundingRect(kana)
        box.translate(QFontMetricsF(font).horizontalAdvance(kana) / 2 - ink.center().x(), 0)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, kana)
    if cell.is_exact or index in (highlights.edge, highlights.hovered) or (index == highlights.current and highlights.focused):
        _paint_length(painter, shape, cell, theme)


def _paint_doubts(painter: QPainter, shape: StripShape, theme: Theme) -> None:
    """Paint a dotted line under the kana of words whose reading is in doubt."""
    place = {cell.index: cell for cell in shape.axis.cells if cell.kind is CellKind.MORA}
    painter.setPen(QPen(QColor(theme.muted), 2, Qt.PenStyle.DotLine))
    for word in shape.reading.words:
        if word.other_reading and word.first_mora in place and word.end_mora - 1 in place:
            left, right = place[word.first_mora].left + 5, place[word.end_mora - 1].right - 5
            painter.drawLine(QPointF(left, KANA_BOTTOM_PX - 3), QPointF(right, KANA_BOTTOM_PX - 3))


def _paint_length(painter: QPainter, shape: StripShape, cell: StripCell, theme: Theme) -> None:
    known = cell.is_exact or (shape.times is not None and cell.end_s > cell.start_s)
    font = QFont(painter.font())
    font.setPixelSize(11)
    font.setBold(cell.is_exact)
    painter.setFont(font)
    painter.setPen(QColor(theme.edited if cell.is_exact else theme.muted))
    room = QRectF(cell.middle - 40, KANA_BOTTOM_PX + 1, 80, STRIP_HEIGHT_PX - KANA_BOTTOM_PX - 2)
    painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, str(round(cell.length_s * 1000)) if known else "–")


def _paint_accents(painter: QPainter, area: QRectF, shape: StripShape, theme: Theme, highlights: LaneHighlights) -> None:
    """Paint for each phrase a line through its morae, high or low, and a mark where the pitch falls."""
    edited = {edit.mora for edit in shape.overrides.moras if edit.tone is not None}
    place = {cell.index: cell for cell in shape.axis.cells if cell.kind is CellKind.MORA}
    for phrase in shape.phrases:
        if is_emoji_cell(shape, place[phrase.start]):
            continue
        if place[phrase.end - 1].right < area.left() or place[phrase.start].left > area.right():
            continue
        color = QColor(theme.edited if any(mora in edited for mora in range(phrase.start, phrase.end)) else theme.muted)
        points = [QPointF(place[phrase.start + at].middle, HIGH if tone else LOW) for at, tone in enumerate(phrase.tones)]
        painter.setPen(QPen(color, 2))
        painter.drawPolyline(points)
        for at, point in enumerate(points):
            falls = phrase.accent == at + 1
            painter.setBrush(color if falls else QColor(theme.surface))
            radius = ACCENT_DOT_RADIUS_PX + (1.4 if falls else 0.0)
            painter.drawEllipse(point, radius, radius)


@dataclass(frozen=True, slots=True)
class StripDrag:
    """The mouse is held down on the cell `index` of the `original` shape, since it was at the pixel `start_x`."""

    kind: Literal["accent", "length", "sound"]
    original: StripShape
    index: int
    start_x: float

    def compute_overrides(self, x: float) -> Overrides:
        """Return the edits that letting the mouse go here would make."""
        shape, cell = self.original, self.original.axis.cells[self.index]
        if self.kind == "length":
            return change_cell_length(shape, cell, (cell.right - cell.left + x - self.start_x) / PX_PER_S)
        if self.kind == "sound" or cell.kind is not CellKind.MORA:
            return shape.overrides
        phrase = find_phrase(shape.phrases, cell.index)
        under = shape.axis.cells[shape.axis.find_cell(x)]
        mora = under.index if under.kind is CellKind.MORA else shape.reading.marks[under.index].moras_before - 1
        accent = min(max(mora, phrase.start), phrase.end - 1) - phrase.start + 1
        if accent == phrase.accent and abs(x - self.start_x) < EDGE_REACH_PX:
            accent = 0  # a click on the fall takes it away
        return set_accent(shape.reading, shape.overrides, cell.index, accent)


def find_hit(shape: StripShape | None, point: QPointF) -> LaneHighlights:
    """Return what is under the mouse: a cell, the one whose right edge it can drag, or the one before a place to split or join."""
    if shape is None or not shape.axis.cells:
        return LaneHighlights()
    hovered = shape.axis.find_cell(point.x())
    if point.y() >= ACCENT_BOTTOM_PX:
        return LaneHighlights(hovered=hovered, edge=shape.axis.find_edge(point.x(), EDGE_REACH_PX))
    cut = next((index for index in (hovered - 1, hovered) if _is_gap(shape, index, point.x())), -1)
    return LaneHighlights(hovered=hovered, cut=cut)


def _is_gap(shape: StripShape, index: int, x: float) -> bool:
    """Return whether x is between this cell and the next, where phrases can be split or joined."""
    cells = shape.axis.cells
    if not 0 <= index < len(cells) - 1:
        return False
    cell, following = cells[index], cells[index + 1]
    is_between = cell.right - EDGE_REACH_PX <= x <= following.left + EDGE_REACH_PX
    return is_between and cell.kind is following.kind is CellKind.MORA and may_toggle_phrase(shape.reading, following.index)


def describe_strip_keys() -> str:
    """Return what keys and mouse do, for the tip."""
    return localize(
        "<p><b>上の段</b>：クリックまたはドラッグでアクセントの位置を変更、モーラの間をクリックでアクセント句を分"
        "割・結合。</p><p><b>下の段</b>：クリックでそこから再生、ダブルクリックで読みを変更、右端のドラッグで長さ"
        "を変更。</p><p>ショートカットキー：←→ 移動、↑↓ アクセント、Alt+←→ 長さ、/ アクセント句の分割・結合、"
        "Enter 読み、Space 再生、Del アクセント句をリセット</p>",
        "<p><b>Upper row</b>: click or drag to move the accent; click between two morae to split or join accent "
        "phrases.</p><p><b>Lower row</b>: click to play from there, double-click to change the reading, drag a "
        "right edge to change the length.</p><p>Shortcuts: ←→ move, ↑↓ accent, Alt+←→ length, / split or join, "
        "Enter reading, Space play, Del reset accent phrase</p>",
    )


class PhoneStrip(AxisLane):
    """Shows a shape.

    Signals:
        edited(str, Overrides): what was done, for the undo menu, and what came of it.
        reset_requested(int): the edits of this mora's phrase are to be taken back.
        word_requested(int): the reading of this mora's word is to be typed.
        place_selected(float): second of the sound to play from.  cell_selected(StripCell): the same where it has no sound yet.
    """

    edited = Signal(str, object)
    reset_requested = Signal(int)
    word_requested = Signal(int)
    place_selected = Signal(float)
    cell_selected = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, STRIP_HEIGHT_PX, localize("読みとアクセント", "Reading and accent"), CELL_REPAINT_MARGIN_PX)
        self.shape: StripShape | None = None  # what is shown
        self._drag: StripDrag | None = None
        self.lengths_fixed = ""  # why lengths cannot be changed; empty when they can
        # Fills the part of the context menu that is about the melody.
        self.add_melody_commands: Callable[[QMenu], None] = lambda _menu: None
        self.setToolTip(describe_strip_keys())
        # a second click means the word, not the sound
        self._click = QTimer(self, singleShot=True, interval=QApplication.doubleClickInterval())
        self._click.timeout.connect(self.play_current)

    @property
    def is_dragging(self) -> bool:
        """Return whether the mouse is dragging something."""
        return self._drag is not None

    def show_shape(self, shape: StripShape | None) -> None:
        """Show another shape; a drag in progress is dropped."""
        self._drag = None
        self._set_shape(shape)
        self._change_highlights(current=min(self.current_index, len(self._cells) - 1), hovered=-1, edge=-1, cut=-1)

    def _set_shape(self, shape: StripShape | None) -> None:
        self.shape = shape
        self._show_cells(shape, shape.axis.cells if shape is not None else ())

    def select_first_cell(self) -> None:
        """Move the keys to the first mora, after another line was shown."""
        self._change_highlights(current=0 if self._cells else -1, playing=-1, hovered=-1, edge=-1, cut=-1, focused=self.hasFocus())

    def select_mora(self, mora: int) -> None:
        """Make the cell of a mora the current one."""
        cells = enumerate(self._cells)
        self.select_cell(next((index for index, cell in cells if cell.kind is CellKind.MORA and cell.index == mora), -1))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the exposed part."""
        if self.shape is not None:
            paint_strip(QPainter(self), QRectF(event.rect()), self.shape, self._theme, self.highlights)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show the effect of a click."""
        if self._drag is not None:
            self._show_drag(self._drag, event.position().x())
            return
        pointed = find_hit(self.shape, event.position())
        self._change_highlights(hovered=pointed.hovered, edge=pointed.edge, cut=pointed.cut)
        is_draggable = pointed.edge >= 0 and not self.lengths_fixed
        self.setCursor(Qt.CursorShape.SplitHCursor if is_draggable else Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag, or split or join phrases at once."""
        if event.button() != Qt.MouseButton.LeftButton or self.shape is None or not self._cells:
            return
        point, pointed = event.position(), find_hit(self.shape, event.position())
        if pointed.cut >= 0:
            self._toggle_phrase_break(self._cells[pointed.cut + 1].index)
            return
        index = pointed.edge if pointed.edge >= 0 else pointed.hovered
        self.select_cell(index)
        if pointed.edge >= 0 and self.lengths_fixed:
            QToolTip.showText(event.globalPosition().toPoint(), self.lengths_fixed, self)
        elif pointed.edge >= 0:
            self._drag = StripDrag("length", self.shape, index, point.x())
        elif point.y() >= ACCENT_BOTTOM_PX:
            self._drag = StripDrag("sound", self.shape, index, point.x())
        else:
            self._drag = StripDrag("accent", self.shape, index, point.x())
            self._show_drag(self._drag, point.x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Emit the dragged edit; after a click on a kana, play from there."""
        drag, self._drag = self._drag, None
        if drag is not None and drag.kind == "sound":
            self._click.start()
        elif drag is not None and self.shape is not None and self.shape.overrides != drag.original.overrides:
            self.submit_edit(self.shape.overrides, localize("長さを変更", "Change length") if drag.kind == "length" else "")

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Request another reading for a word; on an edge, restore the voice's own length."""
        self._click.stop()
        pointed = find_hit(self.shape, event.position())
        if pointed.cut >= 0:
            self.mousePressEvent(event)
        elif pointed.edge >= 0:
            self._set_length(self._cells[pointed.edge], None)
        elif pointed.hovered >= 0 and event.position().y() >= ACCENT_BOTTOM_PX:
            self._request_word(self._cells[pointed.hovered])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the cell under the mouse, or of the cell that keys go to."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        if not by_key:
            self.select_cell(find_hit(self.shape, QPointF(event.pos())).hovered)
        cell = self.current
        if cell is not None and self.shape is not None:
            menu = self._create_cell_menu(self.shape, cell)
            self.add_melody_commands(menu.addMenu(localize("イントネーション", "Melody")))
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self._find_place_below(cell) if by_key else event.globalPos())

    def _create_cell_menu(self, shape: StripShape, cell: StripCell) -> QMenu:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        is_mora = cell.kind is CellKind.MORA
        menu.addAction(localize("ここから再生", "Play from here"), self.play_current)
        menu.addSeparator()
        word = menu.addAction(localize("読みを変更…", "Change reading…"), lambda: self._request_word(cell))
        word.setEnabled(is_mora)
        title = localize("この前でアクセント句を分割・結合", "Split or join phrases before this")
        split = menu.addAction(title, lambda: self._toggle_phrase_break(cell.index))
        split.setEnabled(is_mora and may_toggle_phrase(shape.reading, cell.index))
        menu.addSeparator()
        length = menu.addAction(localize("長さを自動に戻す", "Reset length"), lambda: self._set_length(cell, None))
        length.setEnabled(not self.lengths_fixed and cell.is_exact)
        length.setToolTip(self.lengths_fixed)
        title = localize("アクセント句をリセット", "Reset accent phrase")
        menu.addAction(title, lambda: self.reset_requested.emit(find_mora_index(shape, cell)))
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle arrows, and the few keys that the tip names."""
        cell = self.current
        if cell is None or self.shape is None or not self._press_key(event, self.shape, cell):
            super().keyPressEvent(event)

    def _press_key(self, event: QKeyEvent, shape: StripShape, cell: StripCell) -> bool:
        """Handle a key; return False if it has no effect."""
        key, modifiers = Key(event.key()), event.modifiers()
        has_alt = bool(modifiers & Qt.KeyboardModifier.AltModifier)
        if key in (Key.Key_Left, Key.Key_Right):
            direction = 1 if key == Key.Key_Right else -1
            if has_alt:
                step_s = BIG_LENGTH_STEP_S if modifiers & Qt.KeyboardModifier.ShiftModifier else LENGTH_STEP_S
                self._set_length(cell, cell.length_s + direction * step_s)
            else:
                self.select_cell(self.current_index + direction)
        elif key in (Key.Key_Home, Key.Key_End):
            self.select_cell(0 if key == Key.Key_Home else len(self._cells) - 1)
        elif key in (Key.Key_Up, Key.Key_Down) and not has_alt:
            self.submit_edit(change_pitch_fall(shape, cell, is_behind=key == Key.Key_Up))
        elif key in (Key.Key_Return, Key.Key_Enter, Key.Key_F2) and not modifiers & ~Qt.KeyboardModifier.KeypadModifier:
            self._request_word(cell)
        elif key == Key.Key_Space:
            self.play_current()
        elif key in (Key.Key_Delete, Key.Key_Backspace):
            self.reset_requested.emit(find_mora_index(shape, cell))
        elif event.text() == "/" and cell.kind is CellKind.MORA:
            self._toggle_phrase_break(cell.index)
        else:
            return False
        return True

    def _show_drag(self, drag: StripDrag, x: float) -> None:
        """Show the effect of letting the mouse go here."""
        self._set_shape(build_shape(drag.original.reading, drag.compute_overrides(x), drag.original.times))

    def _toggle_phrase_break(self, mora: int) -> None:
        """Split or join phrases before a mora."""
        if self.shape is not None:
            overrides = toggle_phrase(self.shape.reading, self.shape.overrides, mora)
            self.submit_edit(overrides, localize("アクセント句を変更", "Split or join accent phrases"))

    def _set_length(self, cell: StripCell, length_s: float | None) -> None:
        """Set the length of a cell, or leave it to the voice if None; report the reason if that is not possible."""
        if self.lengths_fixed:
            QToolTip.showText(self._find_place_below(cell), self.lengths_fixed, self)
        elif self.shape is not None:
            self.submit_edit(change_cell_length(self.shape, cell, length_s), localize("長さを変更", "Change length"))

    def _find_place_below(self, cell: StripCell) -> QPoint:
        return self.mapToGlobal(QPointF(cell.middle, STRIP_HEIGHT_PX)).toPoint()

    def submit_edit(self, overrides: Overrides, label: str = "") -> None:
        """Emit the edits that were made."""
        self.edited.emit(label or localize("アクセントを変更", "Change accent"), overrides)

    def _request_word(self, cell: StripCell) -> None:
        if cell.kind is CellKind.MORA:
            self.word_requested.emit(cell.index)

    @Slot()
    def play_current(self) -> None:
        cell = self.current
        if cell is not None and cell.end_s > cell.start_s:
            self.place_selected.emit(cell.start_s)
        elif cell is not None:
            self.cell_selected.emit(cell)

    def _describe_cell(self, cell: StripCell) -> str:
        return describe_cell(self.shape, cell) if self.shape is not None else ""
