"""The keys of the melody lane: arrows move and raise, with Shift the whole phrase, letters shape it."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from app.common.language import localize
from app.ui.reading.melody.melody_shape import MelodyShape

PITCH_STEP, FINE_PITCH_STEP = 0.5, 0.1  # semitones

Key = Qt.Key


class MelodyKeyTarget(Protocol):
    """The lane that keys act on."""

    @property
    def current(self) -> int: ...
    def select_mora(self, mora: int) -> None: ...
    def move_pitch(self, semitones: float, *, is_phrase: bool) -> None: ...
    def reset_pitch(self, mora: int, *, is_phrase: bool) -> None: ...
    def request_command(self, name: str) -> None: ...
    def request_sound(self) -> None: ...


COMMAND_KEYS = {
    Key.Key_P: "melody_pen",
    Key.Key_S: "melody_smooth",
    Key.Key_F: "melody_flatten",
    Key.Key_Question: "melody_raise_end",
}


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


def press_melody_key(lane: MelodyKeyTarget, event: QKeyEvent, shape: MelodyShape) -> bool:
    """Handle a key of the lane; return False if the key has no effect."""
    key, modifiers = Key(event.key()), event.modifiers()
    with_control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
    with_shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
    if modifiers & Qt.KeyboardModifier.AltModifier:
        return False
    if key in (Key.Key_Up, Key.Key_Down):
        step = FINE_PITCH_STEP if with_control else PITCH_STEP
        lane.move_pitch(step if key == Key.Key_Up else -step, is_phrase=with_shift)
    elif key in (Key.Key_Left, Key.Key_Right) and not with_control:
        lane.select_mora(lane.current + (1 if key == Key.Key_Right else -1))
    elif key in (Key.Key_Home, Key.Key_End):
        lane.select_mora(0 if key == Key.Key_Home else len(shape.cells) - 1)
    elif key in (Key.Key_Delete, Key.Key_Backspace):
        lane.reset_pitch(lane.current, is_phrase=with_shift)
    elif key == Key.Key_Space:
        lane.request_sound()
    elif with_control and key in (Key.Key_C, Key.Key_V):
        lane.request_command("melody_copy" if key == Key.Key_C else "melody_paste")
    elif not with_control and key in COMMAND_KEYS:
        lane.request_command(COMMAND_KEYS[key])
    else:
        return False
    return True
