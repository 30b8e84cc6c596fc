"""Makes changed settings take effect, at once where that is possible."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication

from app.settings import Settings

if TYPE_CHECKING:
    from app.ui.window import MainWindow


class Preferences(QObject):
    """Changes the settings of a window and everything that depends on them."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.menus.theme_chosen.connect(lambda theme: self.change(theme=theme))
        window.menus.device_chosen.connect(lambda device: self.change(device=device))
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_color_scheme)

    def change(self, **values: Any) -> None:
        """Gives settings new values; those that stay the same change nothing."""
        window, before = self._window, self._window.settings
        window.settings = replace(before, **values)
        changed = {item.name for item in fields(Settings) if getattr(before, item.name) != getattr(window.settings, item.name)}
        if not changed:
            return
        if changed & {"bert_precision", "decoder_precision"}:  # which the synthesis thread reads from the disk
            window.keeper.save_now(self._open_voice_anew)
        else:
            window.keeper.save_now()
        if "theme" in changed:
            window.menus.show_theme(window.settings.theme)
            window.show_theme()
        if "unload_after_min" in changed:
            window.controller.unload_after(window.settings.unload_after_min)
        if "device" in changed:
            self._change_device()

    def _change_device(self) -> None:
        window = self._window
        window.banner.hide()
        window.playback.stop()
        window.controller.choose_device(window.settings.device)

    def _open_voice_anew(self) -> None:
        window = self._window
        window.banner.hide()
        window.playback.stop()
        window.controller.open_voice(window.status.backend, hold=window.settings.load_voice == "at_start")

    @Slot()
    def _on_color_scheme(self) -> None:
        if self._window.settings.theme == "system":
            self._window.show_theme()
