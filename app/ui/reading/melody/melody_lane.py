"""The melody lane: a handle for each mora, moved with the mouse or the keys. Every change is emitted, none is made here."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.common.language import localize
from app.core.sound.line_melody import shift_pitches
from app.core.synthesis_types import Overrides
from app.ui.reading.melody.melody_drag import HandleDrag, PenStroke, find_handle
from app.ui.reading.melody.melody_keys import describe_melody_keys, press_melody_key
from app.ui.reading.melody.melody_painting import MelodyHighlights, paint_melody
from app.ui.reading.melody.melody_shape import LANE_HEIGHT_PX, MelodyShape, describe_mora_pitch
from app.ui.theme.theme import Theme

MORA_REPAINT_MARGIN_PX = 70  # pixels beside a mora that change with it: its bubble
PLAYHEAD_WIDTH_PX = 2


class MelodyLane(QWidget):
    """Shows a melody.

    Attributes:
        highlights: the moras that are drawn otherwise: the current one, the one that sounds, what the mouse has.

    Signals:
        edited(str, Overrides, str): what was done, for the undo menu, what came of it, and the gesture: edits of one are one step.
        mora_selected(int): the keys go to this mora now.
        sound_requested(): the line is to be played from the current mora.
        command_requested(str): the action of this name is to be run.
        menu_requested(QPoint): the commands are to be shown at this place of the screen.
        moved(float): the current mora is at this pixel.
    """

    edited = Signal(str, object, str)
    mora_selected = Signal(int)
    sound_requested = Signal()
    command_requested = Signal(str)
    menu_requested = Signal(object)
    moved = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shape: MelodyShape | None = None
        self.highlights = MelodyHighlights()
        self._gesture: HandleDrag | PenStroke | None = None
        self._gestures = itertools.count()
        self._played_s: float | None = None
        self._is_pen = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFixedHeight(LANE_HEIGHT_PX)
        self.setAccessibleName(localize("イントネーション", "Melody"))
        self.setToolTip(describe_melody_keys())
        self._update_description()

    @property
    def shape(self) -> MelodyShape | None:
        """Return what is shown, with the gesture that is being made."""
        return self._shape

    @property
    def current(self) -> int:
        """Return the mora that keys go to."""
        return self.highlights.current

    @property
    def is_dragging(self) -> bool:
        """Return whether the mouse holds a handle or the pen."""
        return self._gesture is not None

    @property
    def is_pen(self) -> bool:
        """Return whether the mouse draws."""
        return self._is_pen

    def set_theme(self, theme: Theme) -> None:
        """Apply the colours of a theme."""
        self._theme = theme
        self.update()

    @Slot(bool)
    def set_pen(self, is_pen: bool) -> None:
        """Let the mouse draw, or drag handles."""
        self._is_pen = is_pen
        self._update_cursor(None)

    def show_shape(self, shape: MelodyShape | None) -> None:
        """Show another melody; a gesture in progress is dropped."""
        self._gesture = None
        self._set_shape(shape)
        count = len(shape.cells) if shape else 0
        self._set_highlights(replace(self.highlights, current=min(max(0, self.highlights.current), count - 1), hovered=-1, dragged=-1))

    def show_current(self, mora: int) -> None:
        """Move the keys to a mora, as the strip does with its own."""
        self._set_highlights(replace(self.highlights, current=mora))

    def show_played(self, played_s: float | None) -> None:
        """Move the playhead and highlight the mora that sounds now."""
        playing = -1
        if played_s is not None and self._shape is not None and self._shape.strip.axis.is_timed:
            playing = next((cell.index for cell in self._shape.cells if cell.start_s <= played_s < cell.end_s), -1)
        self._set_highlights(replace(self.highlights, playing=playing))
        if played_s != self._played_s:
            before, self._played_s = self._played_s, played_s
            for second in (before, played_s):
                if second is not None and self._shape is not None:
                    x = round(self._shape.strip.axis.convert_seconds_to_x(second))
                    self.update(QRect(x - PLAYHEAD_WIDTH_PX - 1, 0, 2 * PLAYHEAD_WIDTH_PX + 3, LANE_HEIGHT_PX))

    def sizeHint(self) -> QSize:
        """Return the width of the axis and the height of the lane."""
        return QSize(round(self._shape.strip.axis.width) if self._shape else 0, LANE_HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the exposed part."""
        if self._shape is None:
            return
        painter = QPainter(self)
        paint_melody(painter, QRectF(event.rect()), self._shape, self._theme, self.highlights, self.visibleRegion().boundingRect().right())
        if self._played_s is not None and self._shape.strip.axis.is_timed:
            painter.setPen(QPen(QColor(self._theme.text), PLAYHEAD_WIDTH_PX))
            x = self._shape.strip.axis.convert_seconds_to_x(self._played_s)
            painter.drawLine(QPointF(x, 1), QPointF(x, LANE_HEIGHT_PX - 1))

    def event(self, event: QEvent) -> bool:
        """Keep Esc from the window while a gesture can be dropped, and say what is under the mouse."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._should_keep_key(event):
            event.accept()
            return True
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._shape is not None:
            mora = self._shape.find_mora(event.pos().x())
            if mora >= 0 and self._shape.melody.own[mora] is None:
                QToolTip.showText(event.globalPos(), describe_mora_pitch(self._shape, mora), self)
                return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take a handle or put the pen down; elsewhere, move the keys to a mora."""
        shape = self._shape
        if event.button() != Qt.MouseButton.LeftButton or shape is None or not shape.cells:
            return
        place = event.position()
        self.select_mora(shape.find_mora(place.x()))
        mora = find_handle(shape, place)
        if self._is_pen:
            self._gesture = PenStroke(shape, place)
            self._show_gesture(place, is_phrase=False)
        elif mora >= 0:
            self._gesture = HandleDrag(shape, mora, place.y())
            self._set_highlights(replace(self.highlights, dragged=mora))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what the mouse holds, or show what it could take."""
        if self._gesture is not None:
            self._show_gesture(event.position(), is_phrase=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif self._shape is not None:
            self._set_highlights(replace(self.highlights, hovered=find_handle(self._shape, event.position())))
            self._update_cursor(self.highlights.hovered)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Emit the edit of the gesture."""
        gesture, self._gesture = self._gesture, None
        self._set_highlights(replace(self.highlights, dragged=-1))
        if gesture is not None and self._shape is not None and self._shape.strip.overrides != gesture.original.strip.overrides:
            label = localize("イントネーションを描く", "Draw melody") if isinstance(gesture, PenStroke) else ""
            self.submit_edit(self._shape.strip.overrides, label)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Give a mora the voice's own pitch again, with Shift its whole phrase."""
        mora = find_handle(self._shape, event.position()) if self._shape is not None else -1
        if mora >= 0 and not self._is_pen:
            self.reset_pitch(mora, is_phrase=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            self.mousePressEvent(event)

    def leaveEvent(self, _event: QEvent) -> None:
        """Clear the highlight under the mouse."""
        self._set_highlights(replace(self.highlights, hovered=-1))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the commands for the mora under the mouse, or for the one that keys go to."""
        if self._shape is None or not self._shape.cells:
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.menu_requested.emit(self.mapToGlobal(QPointF(self._shape.cells[self.current].middle, LANE_HEIGHT_PX)).toPoint())
        else:
            self.select_mora(self._shape.find_mora(event.pos().x()))
            self.menu_requested.emit(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that the tip names; Esc drops a gesture, or lays the pen aside."""
        if event.key() == Qt.Key.Key_Escape and self._gesture is not None:
            self.show_shape(self._gesture.original)
        elif event.key() == Qt.Key.Key_Escape and self._is_pen:
            self.command_requested.emit("melody_pen")
        elif self._shape is None or not self._shape.cells or not press_melody_key(self, event, self._shape):
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the mora that keys go to."""
        super().focusInEvent(event)
        self._set_highlights(replace(self.highlights, current=max(0, self.highlights.current), focused=True))
        self._update_description()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the mark of the mora that keys went to."""
        super().focusOutEvent(event)
        self._set_highlights(replace(self.highlights, focused=False))

    def select_mora(self, mora: int) -> None:
        """Make a mora the current one."""
        if self._shape is not None and 0 <= mora < len(self._shape.cells):
            self._set_highlights(replace(self.highlights, current=mora))
            self.mora_selected.emit(mora)
            self.moved.emit(self._shape.cells[mora].middle)

    def move_pitch(self, semitones: float, *, is_phrase: bool) -> None:
        """Move the pitch of the current mora or its phrase; steps that follow each other quickly are undone as one."""
        shape = self._shape
        if shape is None or not 0 <= self.current < len(shape.cells):
            return
        moras = shape.list_phrase(self.current) if is_phrase else shape.melody.list_voiced([self.current])
        pitches = shift_pitches(shape.melody, moras, semitones)
        self.submit_edit(shape.move_pitches(pitches), gesture=f"step {'phrase' if is_phrase else 'mora'} {self.current}")

    def reset_pitch(self, mora: int, *, is_phrase: bool) -> None:
        """Give a mora or its phrase the voice's own pitch again."""
        if self._shape is not None and 0 <= mora < len(self._shape.cells):
            moras = self._shape.list_phrase(mora) if is_phrase else [mora]
            self.submit_edit(self._shape.move_pitches(dict.fromkeys(moras, 0.0)), localize("イントネーションをリセット", "Reset melody"))

    def change_pitches(self, pitches: Mapping[int, float], label: str) -> None:
        """Give morae these offsets, as a command asks for."""
        if self._shape is not None:
            self.submit_edit(self._shape.move_pitches(pitches), label)

    def submit_edit(self, overrides: Overrides, label: str = "", gesture: str = "") -> None:
        """Emit the edits that were made; a gesture without a name is a step of its own."""
        if self._shape is not None:
            self.edited.emit(
                label or localize("イントネーションを変更", "Change melody"), overrides, gesture or f"gesture {next(self._gestures)}"
            )

    def request_command(self, name: str) -> None:
        """Ask for the action of this name."""
        self.command_requested.emit(name)

    def request_sound(self) -> None:
        """Ask for the sound from the current mora."""
        self.sound_requested.emit()

    def _should_keep_key(self, event: QKeyEvent) -> bool:
        """Return whether a key that the window also knows means something here now."""
        if event.key() == Qt.Key.Key_Escape:
            return self._gesture is not None or self._is_pen
        with_shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        return with_shift and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)

    def _show_gesture(self, place: QPointF, *, is_phrase: bool) -> None:
        """Show the effect of letting the mouse go here."""
        gesture = self._gesture
        assert gesture is not None
        if isinstance(gesture, PenStroke):
            overrides = gesture.draw_to(place)
            self._set_highlights(replace(self.highlights, dragged=gesture.original.find_mora(place.x())))
        else:
            overrides = gesture.compute_overrides(place.y(), is_phrase=is_phrase)
        self._set_shape(gesture.original.replace_overrides(overrides))

    def _set_shape(self, shape: MelodyShape | None) -> None:
        before, self._shape = self._shape, shape
        if (before.strip.axis if before else None) is not (shape.strip.axis if shape else None):
            self.updateGeometry()
        self._update_description()
        self.update()

    def _set_highlights(self, highlights: MelodyHighlights) -> None:
        if highlights == self.highlights:
            return
        before, self.highlights = self.highlights, highlights
        if highlights.current != before.current:
            self._update_description()
        if highlights.focused != before.focused:
            self.update()
        moras = [(getattr(before, name), getattr(highlights, name)) for name in ("current", "playing", "hovered", "dragged")]
        for mora in {one for old, new in moras if old != new for one in (old, new)}:
            self._update_mora(mora)

    def _update_mora(self, mora: int) -> None:
        """Repaint only a mora and its bubble."""
        if self._shape is not None and 0 <= mora < len(self._shape.cells):
            cell = self._shape.cells[mora]
            left = round(cell.left) - MORA_REPAINT_MARGIN_PX
            self.update(QRect(left, 0, round(cell.right - cell.left) + 2 * MORA_REPAINT_MARGIN_PX, LANE_HEIGHT_PX))

    def _update_cursor(self, hovered: int | None) -> None:
        if self._is_pen:
            self.setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.setCursor(Qt.CursorShape.SizeVerCursor if hovered is not None and hovered >= 0 else Qt.CursorShape.ArrowCursor)

    def _update_description(self) -> None:
        """Update what screen readers say: the current mora with its pitch, or that there is none."""
        if self._shape is not None and 0 <= self.current < len(self._shape.cells):
            words = describe_mora_pitch(self._shape, self.current)
        else:
            words = localize("読みはまだありません。", "No reading yet.")
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)
            # Few screen readers say by themselves that a description has changed. What is dragged would be said at every pixel.
            if QAccessible.isActive() and self.hasFocus() and self._gesture is None:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))
