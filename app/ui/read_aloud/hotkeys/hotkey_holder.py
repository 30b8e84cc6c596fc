"""Holds the key that the settings name, on whatever system this is, with the numbers that each system has for it."""

import sys
from typing import Protocol

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.common.errors import AppError, InputError
from app.common.language import localize
from app.ui.read_aloud.hotkeys.key_combination import KeyCombination, parse_key_combination


class Hotkey(Protocol):
    """A key that is held."""

    def close(self) -> None:
        """Give the key back, and delete this once that is done."""


class HotkeyHolder(QObject):
    """Holds at most one key.

    Signals:
        pressed(): the key was pressed, in whatever program.
        failed(AppError): the key cannot be had.
    """

    pressed = Signal()
    failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._text = ""
        self.held: Hotkey | None = None  # the key; None while none is chosen, or where it cannot be had

    def choose_key(self, text: str) -> None:
        """Hold this key from now on, in place of the one before; an empty text holds none."""
        if text == self._text:
            return
        self.close()
        self._text = text
        self.retry_key()

    @Slot()
    def retry_key(self) -> None:
        """Ask again for the chosen key if it could not be had: the program that held it may have ended."""
        if not self._text or self.held is not None:
            return
        try:
            self.held = self._open_hotkey(parse_key_combination(self._text))
        except AppError as error:
            self.failed.emit(error)

    def close(self) -> None:
        """Give the key back."""
        self._text = ""
        self._release_key()

    def _release_key(self) -> None:
        hotkey, self.held = self.held, None
        if hotkey is not None:
            hotkey.close()

    @Slot(object)
    def _report_loss(self, error: AppError) -> None:
        # What an earlier key reported may arrive after another one was chosen.
        hotkey: object = self.held
        if self.sender() is hotkey:
            self._release_key()
            self.failed.emit(error)

    def _open_hotkey(self, combination: KeyCombination) -> Hotkey:
        platform = QGuiApplication.platformName()
        if sys.platform == "win32":
            from app.ui.read_aloud.hotkeys.windows_hotkey import WindowsHotkey

            windows = WindowsHotkey(combination, self)
            windows.pressed.connect(self.pressed)
            return windows
        if sys.platform.startswith("linux") and platform.startswith("wayland"):
            from app.ui.read_aloud.hotkeys.portal_hotkey import PortalHotkey

            portal = PortalHotkey(combination, self)
            portal.pressed.connect(self.pressed)
            portal.failed.connect(self._report_loss)
            portal.start()
            return portal
        if platform == "xcb":
            from app.ui.read_aloud.hotkeys.x11_hotkey import X11Hotkey

            x11 = X11Hotkey(combination, self)
            x11.pressed.connect(self.pressed)
            return x11
        raise InputError(localize("このシステムではグローバルホットキーを使えません。", "Global hotkeys are not available on this system."))
