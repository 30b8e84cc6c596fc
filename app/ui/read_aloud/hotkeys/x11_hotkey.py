"""A key that works in every program under X11, by a connection of its own: Qt shows no events of the root window."""

from __future__ import annotations

import ctypes

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

from app.common.errors import InputError
from app.common.language import localize
from app.ui.read_aloud.hotkeys.key_combination import KeyCombination, create_taken_error
from app.ui.read_aloud.x11_connection import EVENT_BYTES, X11Connection

KEY_PRESS, KEY_RELEASE = 2, 3
GRAB_MODE_ASYNC = 1
LOCK_MASK, NUM_LOCK_MASK = 2, 16
# Caps Lock and Num Lock count as modifiers, so the key is taken with and without each.
LOCK_COMBINATIONS = (0, LOCK_MASK, NUM_LOCK_MASK, LOCK_MASK | NUM_LOCK_MASK)


class X11Hotkey(QObject):
    """Holds a key until it is closed.

    Signals:
        pressed(): the key was pressed, in whatever program.
    """

    pressed = Signal()

    def __init__(self, combination: KeyCombination, parent: QObject) -> None:
        """Take the key; raise InputError if another program holds it, or there is no X server."""
        super().__init__(parent)
        self._is_down = False
        self._x11 = X11Connection()
        try:
            self._acquire_key(combination)
        except InputError:
            self._x11.close()
            raise
        self._notifier = QSocketNotifier(self._x11.socket, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._take_events)

    def close(self) -> None:
        """Give the key back."""
        self._notifier.setEnabled(False)
        self._x11.close()
        self.deleteLater()

    def _acquire_key(self, combination: KeyCombination) -> None:
        xlib, display = self._x11.xlib, self._x11.display
        keycode = xlib.XKeysymToKeycode(display, xlib.XStringToKeysym(combination.x11_key.encode()))
        if not keycode:
            raise InputError(
                localize(f"このキーボードには {combination.label} がありません。", f"This keyboard has no {combination.label}.")
            )
        # Without this a held key would look like one that is pressed again and again.
        xlib.XkbSetDetectableAutoRepeat(display, 1, None)
        with self._x11.collect_errors() as errors:
            for locks in LOCK_COMBINATIONS:
                modifiers = combination.x11_modifiers | locks
                xlib.XGrabKey(display, keycode, modifiers, self._x11.root, 0, GRAB_MODE_ASYNC, GRAB_MODE_ASYNC)
        if errors:
            raise create_taken_error(combination.label)

    @Slot()
    def _take_events(self, *_socket: object) -> None:
        event = ctypes.create_string_buffer(EVENT_BYTES)
        while self._x11.display and self._x11.xlib.XPending(self._x11.display):
            self._x11.xlib.XNextEvent(self._x11.display, event)
            kind = ctypes.c_int.from_buffer(event).value
            if kind == KEY_PRESS and not self._is_down:
                self._is_down = True
                self.pressed.emit()
            elif kind == KEY_RELEASE:
                self._is_down = False
