"""Finds the program that is used now, for the rules of the watched clipboard."""

from __future__ import annotations

import contextlib
import ctypes
import sys

import psutil
from PySide6.QtGui import QGuiApplication

from app.common.errors import InputError


def find_active_program() -> str:
    """Return the name of the program whose window has the focus, such as `firefox`; an empty text where that is not known."""
    if sys.platform == "win32":
        return find_process_name(_find_windows_process())
    if QGuiApplication.platformName() == "xcb":
        with contextlib.suppress(InputError):
            return find_process_name(_find_x11_process())
    return ""


def find_process_name(process_id: int) -> str:
    """Return the name of a process; an empty text if the system refuses it."""
    try:
        return psutil.Process(process_id).name() if process_id > 0 else ""
    # psutil passes some of Windows' own errors on as they are.
    except (psutil.Error, OSError, ValueError, OverflowError):
        return ""


def _find_windows_process() -> int:
    found = ctypes.c_ulong(0)
    if sys.platform == "win32":
        user32 = ctypes.windll.user32
        user32.GetWindowThreadProcessId(user32.GetForegroundWindow(), ctypes.byref(found))
    return found.value


def _find_x11_process() -> int:
    """Return the process of the active window as window managers name it, or 0."""
    from app.ui.read_aloud.x11_connection import X11Connection

    connection = X11Connection()
    try:
        window = connection.read_number(connection.root, "_NET_ACTIVE_WINDOW")
        return connection.read_number(window, "_NET_WM_PID") if window else 0
    finally:
        connection.close()
