"""The switch of something that listens for other programs: started and stopped in the background, with its state in the status bar."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.settings.user_settings import Settings
from app.ui.background_thread import BackgroundThread
from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import ElidedButton, escape_tip, set_up_button


class WindowListener(Protocol):
    """Listens from its creation on; its methods wait, so none is for the window's thread.

    Attributes:
        place: where it listens, in short, for the button.
        addresses: all at which it listens.
    """

    @property
    def place(self) -> str: ...
    @property
    def addresses(self) -> Sequence[str]: ...

    def refresh_voices(self) -> None:
        """Refresh the voices after those on the disk have changed."""

    def stop_server(self) -> None:
        """Close the ports."""


Listener = TypeVar("Listener", bound=WindowListener)


class ListenerController(QObject, Generic[Listener]):
    """Lets something listen as long as the settings want it; its subclass makes it, and uses it.

    Signals:
        status_changed(str): there is another status.

    Args:
        title: of what listens, for people.
        tip: what a click on the button does.
        thread_name: of the thread that starts and stops it.
    """

    RESTART_SETTINGS: tuple[str, ...] = ()  # names of the settings that need a new listener; the first one is its switch
    status_changed = Signal(str)

    def __init__(
        self, window: QWidget, *, settings: SettingsStore, banner: Banner, title: str, name: str, tip: str, thread_name: str
    ) -> None:
        super().__init__(window)
        self._settings, self._banner, self._title = settings, banner, title
        self._background = BackgroundThread(self, thread_name)
        self._listener: Listener | None = None  # belongs to the background
        self._failure: AppError | None = None  # that the banner shows
        self.status = describe_idle_listener()  # a line for the settings: what listens, and where, or why nothing does
        self.button = set_up_button(ElidedButton("", name), escape_tip(tip), style="small")  # for the status bar: what listens, and where
        settings.changed.connect(self._follow_settings)

    @Slot()
    def refresh_voices(self) -> None:
        """Refresh the voices after those on the disk have changed."""
        self._background.run_work(lambda: self._listener.refresh_voices() if self._listener is not None else None)

    def close(self) -> None:
        """Stop listening."""
        self._background.run_work(self._stop_listener)
        self._background.close(finish=True)

    @abstractmethod
    def _create_listener(self, settings: Settings) -> Listener:
        """Return a new listener, in the background; raise AppError."""

    @abstractmethod
    def _use_listener(self, listener: Listener | None) -> None:
        """Use what listens now; None where nothing does."""

    def _explain_failure(self, error: AppError) -> str:
        """Return what helps where it could not start."""
        return error.hint

    @Slot(object, object)
    def _follow_settings(self, before: Settings, after: Settings) -> None:
        if any(getattr(before, name) != getattr(after, name) for name in self.RESTART_SETTINGS):
            self._restart_listener(after)

    def _restart_listener(self, settings: Settings) -> None:
        """End what listens, and start it again if the settings want it."""
        is_on = self._is_switched_on(settings)
        self._show_state(localize("準備中…", "starting…") if is_on else "")
        self._report_status(localize("準備中…", "Starting…") if is_on else describe_idle_listener())
        self._background.run_work(partial(self._start_listener, settings), self._show_started, self._show_failure)

    def _is_switched_on(self, settings: Settings) -> bool:
        return bool(getattr(settings, self.RESTART_SETTINGS[0]))

    def _start_listener(self, settings: Settings) -> Listener | None:
        self._stop_listener()
        self._listener = self._create_listener(settings) if self._is_switched_on(settings) else None
        return self._listener

    def _stop_listener(self) -> None:
        running, self._listener = self._listener, None
        if running is not None:
            running.stop_server()

    def _show_started(self, listener: Listener | None) -> None:
        self._clear_failure()
        self._show_state("" if listener is None else listener.place)
        places = localize("、", ", ").join(listener.addresses) if listener is not None else ""
        self._report_status(localize(f"{places} で待ち受けています。", f"Listening on {places}") if places else describe_idle_listener())
        self._use_listener(listener)

    def _show_failure(self, error: AppError) -> None:
        self._show_state(localize("停止中", "not running"))
        self._report_status(error.message)
        self._use_listener(None)
        self._clear_failure()
        self._failure = error
        self._banner.show_message("error", error.message, self._explain_failure(error))

    def _clear_failure(self) -> None:
        """Clear the message of an earlier failure."""
        failure, self._failure = self._failure, None
        if failure is not None:
            self._banner.hide_error(failure)

    def _report_status(self, status: str) -> None:
        self.status = status
        self.status_changed.emit(status)

    def _show_state(self, state: str) -> None:
        text = f"{self._title}: {state}" if state else ""
        self.button.setText(text)
        self.button.setVisible(bool(text))
        self.button.setAccessibleName(text)


def describe_idle_listener() -> str:
    """Return the status of what is switched off."""
    return localize("オフ", "Off")
