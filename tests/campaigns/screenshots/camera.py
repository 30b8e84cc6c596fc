"""A window that programs take pictures of."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QWidget

from app.engine.output_device import PlayerOpener
from app.settings.user_settings import Settings
from app.ui.main import make_application
from app.ui.synthesis.speech_controller import SpeechController
from tests.recording_player import RecordingPlayer
from tests.ui.window_driver import WindowDriver

if TYPE_CHECKING:
    from app.ui.widgets.banner import Banner

SETTLE_S = 0.3
PACE = 6.0  # sound is played so many times as fast


class Camera:
    """A window that is ready to speak, and a way to picture it and what it opens.

    Pictures are called `WHAT-NAME.png` in the folder.
    """

    def __init__(
        self,
        theme: str,
        size: str,
        folder: Path,
        name: str,
        *,
        text: str = "",
        open_player: PlayerOpener | None = None,
        force_bert: bool = False,
    ) -> None:
        self._app, self._folder, self._name = make_application(), folder, name
        controller = SpeechController(open_player or (lambda _device, _rate: RecordingPlayer(pace=PACE)))
        self.window = WindowDriver(Settings(text=text, theme=theme, force_bert=force_bert), controller)  # type: ignore[arg-type]
        self.window.theme_switcher.show_theme()
        self.window.resize(*(int(edge) for edge in size.split("x")))
        self.window.show_and_start()
        self.until(lambda: controller.state.is_ready and not controller.state.is_loading and self.window.catalog.is_read)

    @property
    def banners(self) -> tuple[Banner, ...]:
        """All places for messages."""
        return self.window.notice, self.window.banner, self.window.voice_banner

    @property
    def dialog(self) -> QDialog | None:
        """A dialog of the window's that is shown."""
        return next((item for item in self.window.findChildren(QDialog) if item.isVisible()), None)

    def until(self, done: Callable[[], object], limit_s: float = 120) -> None:
        """Lets the window work."""
        ends = time.monotonic() + limit_s
        while not done() and time.monotonic() < ends:
            self._app.processEvents()
            time.sleep(0.002)

    def take(self, what: str, widget: QWidget | None = None) -> None:
        """A picture, once everything lies where it belongs."""
        self.until(lambda: False, SETTLE_S)
        file = self._folder / f"{what}-{self._name}.png"
        (widget or self.window).grab().save(str(file))
        print(file)

    def hide_banners(self) -> None:
        """Takes messages away."""
        for banner in self.banners:
            banner.hide()
