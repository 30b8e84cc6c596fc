"""The keys of the strip: arrows move and raise, Alt lengthens, Enter types a reading, / splits and joins."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QKeyEvent

from app.common.language import localize
from app.core.synthesis_types import Overrides
from app.ui.reading.strip.strip_shape import CellKind, StripCell, StripShape, change_pitch_fall, find_mora_index

LENGTH_STEP_S = 0.01
BIG_LENGTH_STEP_S = 0.05

Key = Qt.Key


class StripKeyTarget(Protocol):
    """The strip that keys act on."""

    reset_requested: SignalInstance

    @property
    def current_index(self) -> int: ...
    def select_cell(self, index: int) -> None: ...
    def play_current(self) -> None: ...
    def set_length(self, cell: StripCell, length_s: float | None) -> None: ...
    def submit_edit(self, overrides: Overrides, label: str = ...) -> None: ...
    def toggle_phrase_break(self, mora: int) -> None: ...
    def request_word(self, cell: StripCell) -> None: ...


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


def press_key(strip: StripKeyTarget, event: QKeyEvent, shape: StripShape, cell: StripCell) -> bool:
    """Handle a key of the strip; return False if the key has no effect."""
    key, modifiers = Key(event.key()), event.modifiers()
    if key in (Key.Key_Left, Key.Key_Right):
        _move_current(strip, cell, 1 if key == Key.Key_Right else -1, modifiers)
    elif key in (Key.Key_Home, Key.Key_End):
        strip.select_cell(0 if key == Key.Key_Home else len(shape.axis.cells) - 1)
    elif key in (Key.Key_Up, Key.Key_Down) and not modifiers & Qt.KeyboardModifier.AltModifier:
        strip.submit_edit(change_pitch_fall(shape, cell, is_behind=key == Key.Key_Up))
    elif key in (Key.Key_Return, Key.Key_Enter, Key.Key_F2) and not modifiers & ~Qt.KeyboardModifier.KeypadModifier:
        strip.request_word(cell)
    elif key == Key.Key_Space:
        strip.play_current()
    elif key in (Key.Key_Delete, Key.Key_Backspace):
        strip.reset_requested.emit(find_mora_index(shape, cell))
    elif event.text() == "/" and cell.kind is CellKind.MORA:
        strip.toggle_phrase_break(cell.index)
    else:
        return False
    return True


def _move_current(strip: StripKeyTarget, cell: StripCell, direction: int, modifiers: Qt.KeyboardModifier) -> None:
    if modifiers & Qt.KeyboardModifier.AltModifier:
        step = BIG_LENGTH_STEP_S if modifiers & Qt.KeyboardModifier.ShiftModifier else LENGTH_STEP_S
        strip.set_length(cell, cell.length_s + direction * step)
    else:
        strip.select_cell(strip.current_index + direction)
