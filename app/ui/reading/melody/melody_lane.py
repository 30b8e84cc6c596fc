"""The melody lane: a handle for each mora, moved with the mouse or the keys. Every change is emitted, none is made here."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QToolTip

from app.common.language import localize
from app.core.sound.line_melody import place_pitches, shift_pitches
from app.core.synthesis_types import Overrides
from app.ui.reading.melody.melody_shape import LANE_HEIGHT_PX, MelodyShape, describe_mora_pitch, paint_melody
from app.ui.reading.strip.axis_lane import AxisLane
from app.ui.reading.strip.strip_shape import StripCell
from app.ui.theme.theme import Theme

MORA_REPAINT_MARGIN_PX = 70  # its bubble
HANDLE_REACH_PX = 12.0  # pixels above and below a handle that belong to it
PITCH_STEP, FINE_PITCH_STEP = 0.5, 0.1  # semitones

Key = Qt.Key
COMMAND_KEYS = {Key.Key_P: "melody_pen", Key.Key_S: "melody_smooth", Key.Key_F: "melody_flatten", Key.Key_Question: "melody_raise_end"}


def describe_melody_keys() -> str:
    """Return what keys and mouse do, for the tip."""
    return localize(
        "<p><b>イントネーション</b>：ハンドルを上下にドラッグで音の高さを変更、Shift を押しながらでアクセント句ごと。"
        "ダブルクリックで元に戻す。破線は予測で、再生すると実際の声の高さになります。×は無声化した音です。</p>"
        "<p>ショートカットキー：←→ 移動、↑↓ 0.5 半音、Ctrl+↑↓ 0.1 半音、Shift+↑↓ アクセント句、P ペン、S なめらか、F 平ら、"
        "? 語尾を上げる、Del 元に戻す、Space 再生</p>",
        "<p><b>Melody</b>: drag a handle up or down to change the pitch, with Shift that of its accent phrase; double-click to "
        "reset it. A dashed line is a prediction: play the line to see the voice's own pitch. A cross is an unvoiced sound.</p>"
        "<p>Shortcuts: ←→ move, ↑↓ 0.5 semitones, Ctrl+↑↓ 0.1 semitones, Shift+↑↓ accent phrase, P pen, S smooth, F flatten, "
        "? rise at the end, Del reset, Space play</p>",
    )


@dataclass(frozen=True, slots=True)
class HandleDrag:
    """The mouse holds the handle of a mora of the `original` melody, which it has taken at the pixel `start_y`."""

    original: MelodyShape
    mora: int
    start_y: float

    def compute_overrides(self, y: float, *, is_phrase: bool) -> Overrides:
        """Return the edits that letting the mouse go here would make, to the mora or to its whole phrase."""
        shape = self.original
        semitones = (self.start_y - y) / shape.scale.px_per_semitone
        moras = shape.list_phrase(self.mora) if is_phrase else [self.mora]
        return shape.move_pitches(shift_pitches(shape.melody, moras, semitones))


@dataclass(slots=True)
class PenStroke:
    """The pen draws over the `original` melody, and was at the point `last`."""

    original: MelodyShape
    last: QPointF
    _heights: dict[int, float] = field(default_factory=dict)

    def draw_to(self, point: QPointF) -> Overrides:
        """Move the pen, and return the edits that lifting it here would make: a mora takes the height at which its middle was passed."""
        shape, start, self.last = self.original, self.last, point
        left_x, right_x = sorted((start.x(), point.x()))
        for cell in shape.cells:
            if left_x <= cell.middle <= right_x and right_x > left_x:
                share = (cell.middle - start.x()) / (point.x() - start.x())
                self._heights[cell.index] = shape.scale.convert_to_semitones(start.y() + share * (point.y() - start.y()))
        self._heights[shape.find_mora(point.x())] = shape.scale.convert_to_semitones(point.y())
        return shape.move_pitches(place_pitches(shape.melody, self._heights))


def find_handle(shape: MelodyShape, point: QPointF) -> int:
    """Return the mora whose handle is under the mouse, -1 for none; those without a pitch have none."""
    mora = shape.find_mora(point.x())
    if mora < 0 or shape.melody.own[mora] is None or not shape.cells[mora].left <= point.x() <= shape.cells[mora].right:
        return -1
    return mora if abs(point.y() - shape.find_handle_y(mora)) <= HANDLE_REACH_PX else -1


class MelodyLane(AxisLane):
    """Shows a melody; its cells are the morae.

    Signals:
        edited(str, Overrides, str): what was done, for the undo menu, what came of it, and the gesture: edits of one are one step.
        sound_requested(): the line is to be played from the current mora.
        command_requested(str): the action of this name is to be run.
        menu_requested(QPoint): the commands are to be shown at this place of the screen.
    """

    edited = Signal(str, object, str)
    sound_requested = Signal()
    command_requested = Signal(str)
    menu_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, LANE_HEIGHT_PX, localize("イントネーション", "Melody"), MORA_REPAINT_MARGIN_PX)
        self.shape: MelodyShape | None = None  # what is shown, with the gesture that is being made
        self._gesture: HandleDrag | PenStroke | None = None
        self._gestures = itertools.count()
        self.is_pen = False  # the mouse draws
        self.setToolTip(describe_melody_keys())

    @property
    def is_dragging(self) -> bool:
        """Return whether the mouse holds a handle or the pen."""
        return self._gesture is not None

    @Slot(bool)
    def set_pen(self, is_pen: bool) -> None:
        """Let the mouse draw, or drag handles."""
        self.is_pen = is_pen
        self._update_cursor()

    def show_shape(self, shape: MelodyShape | None) -> None:
        """Show another melody; a gesture in progress is dropped."""
        self._gesture = None
        self._set_shape(shape)
        self._change_highlights(current=min(max(0, self.current_index), len(self._cells) - 1), hovered=-1, dragged=-1)

    def show_current(self, mora: int) -> None:
        """Move the keys to a mora, as the strip does with its own."""
        self._change_highlights(current=mora)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the exposed part."""
        if self.shape is not None:
            painter = QPainter(self)
            right = self.visibleRegion().boundingRect().right()
            paint_melody(painter, QRectF(event.rect()), self.shape, self._theme, self.highlights, right)
            self._paint_playhead(painter)

    def event(self, event: QEvent) -> bool:
        """Keep Esc from the window while a gesture can be dropped, and say what is under the mouse."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._should_keep_key(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.shape is not None:
            mora = self.shape.find_mora(event.pos().x())
            if mora >= 0 and self.shape.melody.own[mora] is None:
                QToolTip.showText(event.globalPos(), describe_mora_pitch(self.shape, mora), self)
                return True
        return super().event(event)

    def _should_keep_key(self, event: QKeyEvent) -> bool:
        """Return whether a key that the window also knows means something here now."""
        if event.key() == Key.Key_Escape:
            return self.is_dragging or self.is_pen
        return event.modifiers() == Qt.KeyboardModifier.ShiftModifier and event.key() in (Key.Key_Delete, Key.Key_Backspace)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take a handle or put the pen down; elsewhere, move the keys to a mora."""
        shape, point = self.shape, event.position()
        if event.button() != Qt.MouseButton.LeftButton or shape is None or not shape.cells:
            return
        self.select_cell(shape.find_mora(point.x()))
        mora = find_handle(shape, point)
        if self.is_pen:
            self._gesture = PenStroke(shape, point)
            self._show_gesture(self._gesture, point, is_phrase=False)
        elif mora >= 0:
            self._gesture = HandleDrag(shape, mora, point.y())
            self._change_highlights(dragged=mora)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what the mouse holds, or show what it could take."""
        if self._gesture is not None:
            self._show_gesture(self._gesture, event.position(), is_phrase=_has_shift(event))
        elif self.shape is not None:
            self._change_highlights(hovered=find_handle(self.shape, event.position()))
            self._update_cursor()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Emit the edit of the gesture."""
        gesture, self._gesture = self._gesture, None
        self._change_highlights(dragged=-1)
        if gesture is not None and self.shape is not None and self.shape.strip.overrides != gesture.original.strip.overrides:
            label = localize("イントネーションを描く", "Draw melody") if isinstance(gesture, PenStroke) else ""
            self._submit_edit(self.shape.strip.overrides, label)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Give a mora the voice's own pitch again, with Shift its whole phrase."""
        mora = find_handle(self.shape, event.position()) if self.shape is not None else -1
        if mora >= 0 and not self.is_pen:
            self.reset_pitch(mora, is_phrase=_has_shift(event))
        else:
            self.mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the commands for the mora under the mouse, or for the one that keys go to."""
        if self.shape is None or not self.shape.cells:
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_requested.emit(self.mapToGlobal(QPointF(self._cells[self.current_index].middle, LANE_HEIGHT_PX)).toPoint())
        else:
            self.select_cell(self.shape.find_mora(event.pos().x()))
            self.menu_requested.emit(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that the tip names; Esc drops a gesture, or lays the pen aside."""
        if event.key() == Key.Key_Escape and self._gesture is not None:
            self.show_shape(self._gesture.original)
        elif event.key() == Key.Key_Escape and self.is_pen:
            self.command_requested.emit("melody_pen")
        elif not self._cells or not self._press_key(event):
            super().keyPressEvent(event)

    def _press_key(self, event: QKeyEvent) -> bool:
        """Handle a key; return False if it has no effect."""
        key, has_shift = Key(event.key()), _has_shift(event)
        has_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return False
        if key in (Key.Key_Up, Key.Key_Down):
            step = FINE_PITCH_STEP if has_control else PITCH_STEP
            self._move_pitch(step if key == Key.Key_Up else -step, is_phrase=has_shift)
        elif key in (Key.Key_Left, Key.Key_Right) and not has_control:
            self.select_cell(self.current_index + (1 if key == Key.Key_Right else -1))
        elif key in (Key.Key_Home, Key.Key_End):
            self.select_cell(0 if key == Key.Key_Home else len(self._cells) - 1)
        elif key in (Key.Key_Delete, Key.Key_Backspace):
            self.reset_pitch(self.current_index, is_phrase=has_shift)
        elif key == Key.Key_Space:
            self.sound_requested.emit()
        elif has_control and key in (Key.Key_C, Key.Key_V):
            self.command_requested.emit("melody_copy" if key == Key.Key_C else "melody_paste")
        elif not has_control and key in COMMAND_KEYS:
            self.command_requested.emit(COMMAND_KEYS[key])
        else:
            return False
        return True

    def _move_pitch(self, semitones: float, *, is_phrase: bool) -> None:
        """Move the pitch of the current mora or its phrase; steps that follow each other quickly are undone as one."""
        shape, current = self.shape, self.current_index
        if shape is not None and 0 <= current < len(shape.cells):
            moras = shape.list_phrase(current) if is_phrase else shape.melody.list_voiced([current])
            overrides = shape.move_pitches(shift_pitches(shape.melody, moras, semitones))
            self._submit_edit(overrides, gesture=f"step {'phrase' if is_phrase else 'mora'} {current}")

    def reset_pitch(self, mora: int, *, is_phrase: bool) -> None:
        """Give a mora or its phrase the voice's own pitch again."""
        if self.shape is not None and 0 <= mora < len(self.shape.cells):
            moras = self.shape.list_phrase(mora) if is_phrase else [mora]
            self.change_pitches(dict.fromkeys(moras, 0.0), localize("イントネーションをリセット", "Reset melody"))

    def change_pitches(self, pitches: Mapping[int, float], label: str) -> None:
        """Give morae these offsets, as a command asks for."""
        if self.shape is not None:
            self._submit_edit(self.shape.move_pitches(pitches), label)

    def _submit_edit(self, overrides: Overrides, label: str = "", gesture: str = "") -> None:
        """Emit the edits that were made; a gesture without a name is a step of its own."""
        label = label or localize("イントネーションを変更", "Change melody")
        self.edited.emit(label, overrides, gesture or f"gesture {next(self._gestures)}")

    def _show_gesture(self, gesture: HandleDrag | PenStroke, point: QPointF, *, is_phrase: bool) -> None:
        """Show the effect of letting the mouse go here."""
        if isinstance(gesture, PenStroke):
            overrides = gesture.draw_to(point)
            self._change_highlights(dragged=gesture.original.find_mora(point.x()))
        else:
            overrides = gesture.compute_overrides(point.y(), is_phrase=is_phrase)
        self._set_shape(gesture.original.replace_overrides(overrides))

    def _set_shape(self, shape: MelodyShape | None) -> None:
        self.shape = shape
        self._show_cells(shape.strip if shape is not None else None, shape.cells if shape is not None else ())

    def _update_cursor(self) -> None:
        if self.is_pen:
            self.setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.setCursor(Qt.CursorShape.SizeVerCursor if self.highlights.hovered >= 0 else Qt.CursorShape.ArrowCursor)

    def _describe_cell(self, cell: StripCell) -> str:
        return describe_mora_pitch(self.shape, cell.index) if self.shape is not None else ""

    def _update_description(self) -> None:
        description = self.accessibleDescription()
        super()._update_description()
        # Few screen readers say by themselves that a description has changed. What is dragged would be said at every pixel.
        if self.accessibleDescription() != description and QAccessible.isActive() and self.hasFocus() and self._gesture is None:
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleDescription()))


def _has_shift(event: QKeyEvent | QMouseEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
