"""The switch of the service: starts and stops it as the settings say, and shows what it does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.errors import AppError
from app.language import localized
from app.service.recent import Recent
from app.settings import Settings
from app.ui.background import BackgroundThread
from app.ui.plain_text import plain_tip
from app.ui.service.dialog import ServiceDialog
from app.ui.settings.store import SettingsStore
from app.ui.synthesis.controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.elided_button import ElidedButton

if TYPE_CHECKING:
    from app.ui.service.running import Running

SHOWN_EVERY_MS = 100  # the table, however many requests come
_WATCHED = ("service", "service_port", "service_changes")


class ServiceController(QObject):
    """Made when the service is switched on for the first time.

    Attributes:
        button: for the status bar: state and address; opens the last requests.
        url: of the running service; empty where none runs.
        dialog: while it is open.
    """

    _asked = Signal()

    def __init__(self, window: QWidget, settings: SettingsStore, speech: SpeechController, banner: Banner) -> None:
        super().__init__(window)
        self._window, self._settings, self._speech, self._banner = window, settings, speech, banner
        self._background = BackgroundThread(self, "service switch")
        self._running: Running | None = None
        self.recent = Recent()
        self.recent.changed = self._asked.emit
        self.url = ""
        self._failure: AppError | None = None  # that the banner shows
        self.dialog: ServiceDialog | None = None
        self.button = ElidedButton("", localized("サービス", "Service"))
        self.button.setObjectName("small")
        self.button.clicked.connect(self.open)
        self._soon = QTimer(self, singleShot=True, interval=SHOWN_EVERY_MS)
        self._soon.timeout.connect(self._show_requests)
        self._asked.connect(self._on_asked)
        settings.changed.connect(self._on_settings)
        self._switch(settings.value)

    @Slot()
    def open(self) -> None:
        """Shows address and last requests."""
        if self.dialog is None:
            self.dialog = ServiceDialog(self._window)
            self.dialog.finished.connect(self._forget)
        self.dialog.show_state(self.url, self.recent.all())
        self.dialog.show()
        self.dialog.raise_()

    @Slot()
    def refresh(self) -> None:
        """The voices on the disk have changed."""
        self._background.run(self._refresh)

    def close(self) -> None:
        """Ends the service with the window."""
        if self.dialog is not None:
            self.dialog.reject()
        self.recent.changed = lambda: None
        self._background.run(self._stop)
        self._background.close(finish=True)

    @Slot(object, object)
    def _on_settings(self, before: Settings, after: Settings) -> None:
        if any(getattr(before, name) != getattr(after, name) for name in _WATCHED):
            self._switch(after)

    def _switch(self, settings: Settings) -> None:
        """Ends what runs, and starts a new one where that is wanted."""
        self._show(localized("サービス: 準備中…", "Service: starting…") if settings.service else "")
        self._background.run(partial(self._start, settings), self._on_started, self._on_failed)

    def _start(self, settings: Settings) -> Running | None:
        self._stop()
        if settings.service:
            from app.ui.service.running import Running  # here, in the background: the HTTP server's modules take a tenth of a second

            self._running = Running(self._speech, settings.service_port, settings.service_changes, self.recent, lambda: None)
        return self._running

    def _stop(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.stop()

    def _refresh(self) -> None:
        if self._running is not None:
            self._running.refresh()

    def _on_started(self, running: Running | None) -> None:
        self._take_back()
        self.url = "" if running is None else running.url
        self._show(localized(f"サービス: {self.url[7:]}", f"Service: {self.url[7:]}") if running is not None else "")
        if running is not None and running.left_out:
            self._banner.show_message("notice", running.left_out[0])

    def _on_failed(self, error: AppError) -> None:
        self.url = ""
        self._show(localized("サービス: 停止中", "Service: not running"))
        hint = localized("「設定」の「サービス」で別のポート番号を指定してください。", "Choose another port under Settings › Service.")
        self._take_back()
        self._failure = error
        self._banner.show_message("error", error.message, hint)

    def _take_back(self) -> None:
        """What went wrong before is over."""
        failure, self._failure = self._failure, None
        if failure is not None:
            self._banner.take_back(failure)

    def _show(self, text: str) -> None:
        self.button.setText(text)
        self.button.setVisible(bool(text))
        self.button.setAccessibleName(text)
        tip = localized("クリックすると、アドレスと最近のリクエストを表示します。", "Click to show the address and the latest requests.")
        self.button.setToolTip(plain_tip(tip))
        self._show_requests()

    @Slot()
    def _on_asked(self) -> None:
        if self.dialog is not None and not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _show_requests(self) -> None:
        if self.dialog is not None:
            self.dialog.show_state(self.url, self.recent.all())

    @Slot()
    def _forget(self) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            dialog.deleteLater()
