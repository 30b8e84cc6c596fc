"""A key that works in every program under Windows."""

import ctypes
import sys
from ctypes import wintypes

from PySide6.QtCore import QAbstractNativeEventFilter, QByteArray, QCoreApplication, QObject, Signal

from app.ui.read_aloud.hotkeys.key_combination import KeyCombination, create_taken_error

WM_HOTKEY = 0x0312
MOD_NOREPEAT = 0x4000
HOTKEY_ID = 0x4B6F  # unique in this program; applications use ids below 0xC000


class WindowsHotkey(QObject):
    """Holds a key until it is closed.

    Signals:
        pressed(): the key was pressed, in whatever program.
    """

    pressed = Signal()

    def __init__(self, combination: KeyCombination, parent: QObject) -> None:
        """Take the key; raise InputError if another program holds it."""
        super().__init__(parent)
        if sys.platform == "win32":
            modifiers = combination.windows_modifiers | MOD_NOREPEAT
            if not ctypes.windll.user32.RegisterHotKey(None, HOTKEY_ID, modifiers, combination.windows_key):
                raise create_taken_error(combination.label)
        self._filter = HotkeyEventFilter(self)
        application = QCoreApplication.instance()
        assert application is not None
        application.installNativeEventFilter(self._filter)

    def close(self) -> None:
        """Give the key back."""
        if (application := QCoreApplication.instance()) is not None:
            application.removeNativeEventFilter(self._filter)
        if sys.platform == "win32":
            ctypes.windll.user32.UnregisterHotKey(None, HOTKEY_ID)
        self.deleteLater()


class HotkeyEventFilter(QAbstractNativeEventFilter):
    """Finds the message of the key among those of the thread."""

    def __init__(self, hotkey: WindowsHotkey) -> None:
        super().__init__()
        self._hotkey = hotkey

    def nativeEventFilter(self, kind: QByteArray | bytes | bytearray | memoryview, message: int) -> object:
        """Report the key; leave every message to Qt."""
        if bytes(kind).startswith(b"windows_"):  # type: ignore[arg-type]
            native_message = wintypes.MSG.from_address(int(message))
            if native_message.message == WM_HOTKEY and native_message.wParam == HOTKEY_ID:
                self._hotkey.pressed.emit()
        return False, 0
