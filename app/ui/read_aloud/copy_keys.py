"""Presses Ctrl+C for the user under Windows, which shows no program what is selected in another."""

from __future__ import annotations

import ctypes
import sys

KEY_UP = 2
CONTROL_KEY, C_KEY = 0x11, 0x43
# Shift, Alt and both Windows keys: held for the hotkey, they would make another key of Ctrl+C.
HELD_KEYS = (0x10, 0x12, 0x5B, 0x5C)
# Until the other program has copied; slow ones are given several turns.
COPY_DELAY_MS = 200
COPY_TURNS = 4


def count_clipboard_changes() -> int:
    """Return Windows' number of the clipboard's content, which grows with every copy, also of the same text; 0 if it is unknown."""
    if sys.platform == "win32":
        return int(ctypes.windll.user32.GetClipboardSequenceNumber())
    return 0


def press_copy_keys() -> None:
    """Press and release Ctrl+C; do nothing on other systems."""
    if sys.platform == "win32":
        press = ctypes.windll.user32.keybd_event
        for key in HELD_KEYS:
            press(key, 0, KEY_UP, 0)
        for key, flags in ((CONTROL_KEY, 0), (C_KEY, 0), (C_KEY, KEY_UP), (CONTROL_KEY, KEY_UP)):
            press(key, 0, flags, 0)
