"""A key that works in every program under X11, by a connection of its own through libX11: Qt shows no events of the root window."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtCore import QObject, QSocketNotifier, Signal, Slot

from app.common.errors import InputError
from app.common.language import localize
from app.ui.read_aloud.hotkeys.key_combination import KeyCombination, create_taken_error

KEY_PRESS, KEY_RELEASE = 2, 3
GRAB_MODE_ASYNC = 1
LOCK_MASK, NUM_LOCK_MASK = 2, 16
# Caps Lock and Num Lock count as modifiers, so the key is taken with and without each.
LOCK_COMBINATIONS = (0, LOCK_MASK, NUM_LOCK_MASK, LOCK_MASK | NUM_LOCK_MASK)

EVENT_BYTES = 24 * ctypes.sizeof(ctypes.c_long)  # bytes; XEvent is a union of 24 longs
ANY_PROPERTY_TYPE = 0
_ErrorHandler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_POINTER, _NUMBER, _LONG = ctypes.c_void_p, ctypes.c_int, ctypes.c_ulong
_PROPERTY_ARGUMENTS = [_POINTER, _LONG, _LONG, ctypes.c_long, ctypes.c_long, _NUMBER, _LONG, *[_POINTER] * 5]
_FUNCTIONS: tuple[tuple[str, Any, list[Any]], ...] = (
    ("XOpenDisplay", _POINTER, [ctypes.c_char_p]),
    ("XCloseDisplay", _NUMBER, [_POINTER]),
    ("XDefaultRootWindow", _LONG, [_POINTER]),
    ("XStringToKeysym", _LONG, [ctypes.c_char_p]),
    ("XKeysymToKeycode", ctypes.c_ubyte, [_POINTER, _LONG]),
    ("XGrabKey", _NUMBER, [_POINTER, _NUMBER, ctypes.c_uint, _LONG, _NUMBER, _NUMBER, _NUMBER]),
    ("XSetErrorHandler", _POINTER, [_POINTER]),
    ("XSync", _NUMBER, [_POINTER, _NUMBER]),
    ("XPending", _NUMBER, [_POINTER]),
    ("XNextEvent", _NUMBER, [_POINTER, _POINTER]),
    ("XConnectionNumber", _NUMBER, [_POINTER]),
    ("XkbSetDetectableAutoRepeat", _NUMBER, [_POINTER, _NUMBER, _POINTER]),
    ("XInternAtom", _LONG, [_POINTER, ctypes.c_char_p, _NUMBER]),
    ("XGetWindowProperty", _NUMBER, _PROPERTY_ARGUMENTS),
    ("XFree", _NUMBER, [_POINTER]),
)


def load_xlib() -> Any:
    """Return libX11 with the types of the functions that are used; raise InputError if it is missing."""
    try:
        xlib = ctypes.CDLL("libX11.so.6")
    except OSError as exc:
        raise InputError(
            localize("libX11 がないため、グローバルホットキーを使えません。", "Global hotkeys need libX11, which is missing."),
            localize("Debian、Ubuntu の場合: apt install libx11-6", "On Debian and Ubuntu: apt install libx11-6"),
        ) from exc
    for name, result, arguments in _FUNCTIONS:
        function = getattr(xlib, name)
        function.restype, function.argtypes = result, arguments
    return xlib


class X11Connection:
    """A connection that is open until it is closed."""

    def __init__(self) -> None:
        """Connect; raise InputError if there is no X server, or no libX11."""
        self.xlib = load_xlib()
        self.display: int | None = self.xlib.XOpenDisplay(None)  # its handle of the connection; None once it is closed
        if not self.display:
            raise InputError(localize("X サーバーに接続できません。", "The X server cannot be reached."))
        self.root: int = self.xlib.XDefaultRootWindow(self.display)
        self.socket: int = self.xlib.XConnectionNumber(self.display)  # the descriptor that has events to read

    @contextmanager
    def collect_errors(self) -> Iterator[list[int]]:
        """Collect an item for each error of the requests within; Xlib's own handler would end the process."""
        errors: list[int] = []

        def note_error(_display: int, _event: int) -> int:
            errors.append(1)
            return 0

        handler = _ErrorHandler(note_error)
        previous_handler = self.xlib.XSetErrorHandler(ctypes.cast(handler, ctypes.c_void_p))
        try:
            yield errors
            self.xlib.XSync(self.display, 0)
        finally:
            self.xlib.XSetErrorHandler(previous_handler)

    def read_number(self, window: int, name: str) -> int:
        """Return the first number of a window's property, or 0 if the window or the property is missing."""
        xlib = self.xlib
        kind, size, count, bytes_left, data = (_LONG(), ctypes.c_int(), _LONG(), _LONG(), ctypes.POINTER(_LONG)())
        results = [ctypes.cast(ctypes.byref(item), _POINTER) for item in (kind, size, count, bytes_left, data)]
        with self.collect_errors() as errors:
            atom = xlib.XInternAtom(self.display, name.encode(), 0)
            xlib.XGetWindowProperty(self.display, window, atom, 0, 1, 0, ANY_PROPERTY_TYPE, *results)
        if errors or not data:
            return 0
        # Numbers of 32 bits come as longs.
        number = int(data[0]) if count.value and size.value == 32 else 0
        xlib.XFree(ctypes.cast(data, _POINTER))
        return number

    def close(self) -> None:
        """Close the connection, which gives back what was taken."""
        if self.display:
            self.xlib.XCloseDisplay(self.display)
            self.display = None


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
            message = localize(f"このキーボードには {combination.label} がありません。", f"This keyboard has no {combination.label}.")
            raise InputError(message)
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
