"""The keys of a board: one table for the view, its hint line and its menu."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.common.language import localize
from app.core.script.takes import HIGHEST_RATING

Key, Held = Qt.Key, Qt.KeyboardModifier
BOARD_KEYS: dict[Qt.Key, str] = {
    Key.Key_Left: "left",
    Key.Key_Right: "right",
    Key.Key_Up: "up",
    Key.Key_Down: "down",
    Key.Key_Home: "first",
    Key.Key_End: "last",
    Key.Key_Return: "apply",
    Key.Key_Enter: "apply",
    Key.Key_Space: "play",
    Key.Key_S: "star",
    Key.Key_N: "note",
    Key.Key_P: "through",
    Key.Key_C: "scene",
    Key.Key_Escape: "stop",
} | {Qt.Key(Key.Key_0.value + number): f"rate {number}" for number in range(HIGHEST_RATING + 1)}
# What keys do with Shift, by what they do without it.
SHIFTED_COMMANDS = {"through": "shuffled", "apply": "character"}
MOVE_COMMANDS = frozenset({"left", "right", "up", "down", "first", "last"})


def find_command(key: int, modifiers: Qt.KeyboardModifier) -> str:
    """Return the command of a key; empty where the board has none for it."""
    # Digits and arrows of the number pad carry this modifier and mean the same.
    modifiers &= ~Held.KeypadModifier
    try:
        found = BOARD_KEYS.get(Qt.Key(key), "")
    # `Qt.Key` raises for a key that this Qt version has no name for.
    except ValueError:
        return ""
    if modifiers == Held.ShiftModifier:
        return SHIFTED_COMMANDS.get(found, "")
    return found if modifiers == Held.NoModifier else ""


def list_key_hints(*, is_of_casts: bool) -> tuple[tuple[str, str], ...]:
    """Return the keys and what they do, as the window shows them."""
    return (
        ("↑↓←→", localize("移動して再生", "move and play")),
        ("Space", localize("再生／停止", "play / stop")),
        ("Enter", localize("配役を適用", "apply the cast") if is_of_casts else localize("行に適用", "apply to the line")),
        ("S", localize("スター", "star")),
        ("1–5", localize("評価（0 で消去）", "rate (0 clears)")),
        ("N", localize("メモ", "note")),
        ("P", localize("連続再生", "play from here")),
        ("Shift+P", localize("シャッフル再生", "shuffle")),
        ("C", localize("場面を再生", "play the scene")),
        ("Esc", localize("停止／閉じる", "stop / close")),
    )
