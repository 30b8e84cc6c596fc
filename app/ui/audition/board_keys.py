"""What the keys of a board do: one table for the view, its hint line and its menu."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.core.takes import HIGHEST_RATING
from app.language import localized

Key, Held = Qt.Key, Qt.KeyboardModifier
KEYS: dict[Qt.Key, str] = {
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
    Key.Key_Escape: "stop",
} | {Qt.Key(Key.Key_0.value + number): f"rate {number}" for number in range(HIGHEST_RATING + 1)}
MOVES = frozenset({"left", "right", "up", "down", "first", "last"})


def action_of(key: int, held: Qt.KeyboardModifier) -> str:
    """What a key asks for; empty where it is none of ours."""
    held &= ~Held.KeypadModifier  # digits and arrows of the number pad
    try:
        found = KEYS.get(Qt.Key(key), "")
    except ValueError:  # a key that this Qt has no name for
        return ""
    if found == "through" and held == Held.ShiftModifier:
        return "shuffled"
    return found if held == Held.NoModifier else ""


def hints() -> tuple[tuple[str, str], ...]:
    """Keys and what they do, as the window shows them."""
    return (
        ("↑↓←→", localized("移動して再生", "move and play")),
        ("Space", localized("再生／停止", "play / stop")),
        ("Enter", localized("行に適用", "apply to the line")),
        ("S", localized("スター", "star")),
        ("1–5", localized("評価（0 で消去）", "rate (0 clears)")),
        ("N", localized("メモ", "note")),
        ("P", localized("連続再生", "play from here")),
        ("Shift+P", localized("シャッフル再生", "shuffle")),
        ("Esc", localized("停止／閉じる", "stop / close")),
    )
