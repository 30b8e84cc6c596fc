"""A connection to the X server beside Qt's, through libX11."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from app.common.errors import InputError
from app.common.language import localize

# Bytes; XEvent is a union of 24 longs.
EVENT_BYTES = 24 * ctypes.sizeof(ctypes.c_long)
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
    """A connection that is open until it is closed.

    Attributes:
        xlib: libX11 itself.
        display: its handle of the connection; None once it is closed.
        root: the root window.
        socket: the descriptor that has events to read.
    """

    def __init__(self) -> None:
        """Connect; raise InputError if there is no X server, or no libX11."""
        self.xlib = load_xlib()
        self.display: int | None = self.xlib.XOpenDisplay(None)
        if not self.display:
            raise InputError(localize("X サーバーに接続できません。", "The X server cannot be reached."))
        self.root: int = self.xlib.XDefaultRootWindow(self.display)
        self.socket: int = self.xlib.XConnectionNumber(self.display)

    @contextmanager
    def collect_errors(self) -> Iterator[list[int]]:
        """Collect an item for each error of the requests within; Xlib's own handler would end the process."""
        errors: list[int] = []

        def note_error(_display: int, _event: int) -> int:
            errors.append(1)
            return 0

        handler = _ErrorHandler(note_error)
        before = self.xlib.XSetErrorHandler(ctypes.cast(handler, ctypes.c_void_p))
        try:
            yield errors
            self.xlib.XSync(self.display, 0)
        finally:
            self.xlib.XSetErrorHandler(before)

    def read_number(self, window: int, name: str) -> int:
        """Return the first number of a window's property, or 0 if the window or the property is missing."""
        xlib = self.xlib
        kind, size, count, after, data = (_LONG(), ctypes.c_int(), _LONG(), _LONG(), ctypes.POINTER(_LONG)())
        results = [ctypes.cast(ctypes.byref(item), _POINTER) for item in (kind, size, count, after, data)]
        with self.collect_errors() as errors:
            atom = xlib.XInternAtom(self.display, name.encode(), 0)
            xlib.XGetWindowProperty(self.display, window, atom, 0, 1, 0, ANY_PROPERTY_TYPE, *results)
        if errors or not data:
            return 0
        # Numbers of 32 bits come as longs.
        found = int(data[0]) if count.value and size.value == 32 else 0
        xlib.XFree(ctypes.cast(data, _POINTER))
        return found

    def close(self) -> None:
        """Close the connection, which gives back what was taken."""
        if self.display:
            self.xlib.XCloseDisplay(self.display)
            self.display = None
