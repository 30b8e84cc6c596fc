"""The switches of what listens for other programs, with their state in the status bar, and that of the service, whose dialog shows what it does."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.common.errors import AppError
from app.common.language import localize
from app.service.request_log import RequestLog, RequestRecord
from app.settings.user_settings import Settings
from app.ui.background_thread import BackgroundThread
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import DIALOG_MARGINS, ElidedButton, PlainLabel, describe_control, escape_tip, fill_box, set_up_button
from app.ui.widgets.dialogs import ClosableDialog, OpenDialog

if TYPE_CHECKING:
    from app.ui.service.window_listeners import WindowService

MAX_REQUEST_WIDTH_PX = 240  # pixels; a path may be as long as a client likes
CLIENT_CLOSED_REQUEST_STATUS = 499  # nobody reads such an answer
REQUEST, TEXT = 1, 2
REQUESTS_REFRESH_MS = 100  # the table, however many requests come


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
    """Lets something listen, in the background, as long as the settings want it; its subclass makes it, and uses it.

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


class ServiceDialog(ClosableDialog):
    """Follows the service while it is shown; the texts of requests are kept in memory only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("サービス", "Service"))
        tip = localize("ほかのアプリで指定するアドレスです。", "The address to enter in other programs.")
        self.address = describe_control(QLineEdit(readOnly=True), localize("アドレス", "Address"), tip)
        tip = localize("アドレスをクリップボードにコピーします。", "Copies the address to the clipboard.")
        self.copy = set_up_button(
            QPushButton(localize("コピー", "Copy")), tip, lambda: QGuiApplication.clipboard().setText(self.address.text())
        )
        self.requests = QTableWidget(0, 5)
        self.requests.setObjectName("words")
        self.requests.setAccessibleName(localize("最近のリクエスト", "Latest requests"))
        titles = localize("時刻", "Time"), localize("リクエスト", "Request"), localize("テキスト", "Text")
        self.requests.setHorizontalHeaderLabels([*titles, localize("結果", "Result"), localize("時間", "Duration")])
        self.requests.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.requests.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.requests.setWordWrap(False)  # else a path would be cut after its first word
        self.requests.setShowGrid(False)
        self.requests.setTabKeyNavigation(False)
        self.requests.verticalHeader().hide()
        header = self.requests.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(REQUEST, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        self.empty = PlainLabel(localize("リクエストはまだありません。", "No requests yet."), "muted")
        self._arrange_widgets()
        self.resize(720, 440)

    def show_state(self, url: str, records: Sequence[RequestRecord]) -> None:
        """Show the address, or that there is none, and the requests, the newest first."""
        self.address.setText(url or localize("停止中", "Not running"))
        self.copy.setEnabled(bool(url))
        self.empty.setVisible(not records)
        self.requests.setRowCount(len(records))
        for row, record in enumerate(records):
            for column, text in enumerate(_format_cells(record)):
                item = QTableWidgetItem(text)
                # The tip has what a cell may cut off, and which program asked.
                item.setToolTip(escape_tip(f"{text}\n{record.client}" if column and record.client else text))
                self.requests.setItem(row, column, item)
        header = self.requests.horizontalHeader()
        self.requests.setColumnWidth(
            REQUEST, min(MAX_REQUEST_WIDTH_PX, max(self.requests.sizeHintForColumn(REQUEST), header.sectionSizeHint(REQUEST)))
        )

    def _arrange_widgets(self) -> None:
        label = QLabel(localize("アドレス", "Address"))
        label.setBuddy(self.address)
        top = fill_box(QHBoxLayout(), label, (self.address, 1), self.copy)
        title = PlainLabel(localize("最近のリクエスト", "Latest requests"), "heading")
        buttons = QDialogButtonBox()
        close = buttons.addButton(localize("閉じる", "Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setToolTip(localize("閉じる（Esc）", "Close (Esc)"))
        buttons.rejected.connect(self.reject)
        fill_box(QVBoxLayout(self), top, title, self.empty, (self.requests, 1), buttons, margins=DIALOG_MARGINS, spacing=10)


def _format_cells(record: RequestRecord) -> tuple[str, ...]:
    moment = time.strftime("%H:%M:%S", time.localtime(record.at))
    length = f"{record.ms:.0f} ms" if record.ms < 1000 else f"{record.ms / 1000:.1f} s"
    return moment, f"{record.method} {record.path}", " ".join(record.text.split()), _format_status(record.status), length


def _format_status(status: int) -> str:
    """Return a status for people, with HTTP's number only for failures."""
    if not status or status == CLIENT_CLOSED_REQUEST_STATUS:
        return localize("中断", "Cancelled")
    if status < 400:
        return localize("完了", "Done")
    if status in (401, 403):
        return localize(f"拒否（{status}）", f"Refused ({status})")
    return localize(f"エラー（{status}）", f"Error ({status})")


class ServiceController(ListenerController["WindowService"]):
    """Made when the service is switched on for the first time; its button opens the last requests."""

    dialog: OpenDialog[ServiceDialog] = OpenDialog()  # while it is open
    RESTART_SETTINGS = ("service", "service_port", "service_changes", "service_origins")
    _request_logged = Signal()

    def __init__(self, window: QWidget, settings: SettingsStore, speech: SpeechController, banner: Banner) -> None:
        name = localize("サービス", "Service")
        tip = localize("クリックすると、アドレスと最近のリクエストを表示します。", "Click to show the address and the latest requests.")
        super().__init__(window, settings=settings, banner=banner, title=name, name=name, tip=tip, thread_name="service switch")
        self._window, self._speech = window, speech
        self.recent = RequestLog()
        self.recent.changed = self._request_logged.emit
        self.url = ""  # of the running service; empty where none runs
        self.button.clicked.connect(self.open_dialog)
        self._soon = QTimer(self, singleShot=True, interval=REQUESTS_REFRESH_MS)
        self._soon.timeout.connect(self._show_requests)
        self._request_logged.connect(self._schedule_requests)
        self._restart_listener(settings.value)

    @Slot()
    def open_dialog(self) -> None:
        """Show the address and the last requests."""
        if self.dialog is None:
            self.dialog = ServiceDialog(self._window)
        self.dialog.show_state(self.url, self.recent.list_records())
        self.dialog.show()
        self.dialog.raise_()

    def close(self) -> None:
        """End the service with the window."""
        if self.dialog is not None:
            self.dialog.reject()
        self.recent.changed = lambda: None
        super().close()

    def _create_listener(self, settings: Settings) -> WindowService:
        # Here, in the background: the HTTP server's modules take a tenth of a second.
        from app.ui.service.window_listeners import WindowService

        return WindowService(self._speech, settings, self.recent, lambda: None)

    def _use_listener(self, listener: WindowService | None) -> None:
        self.url = "" if listener is None else listener.url
        self._show_requests()
        if listener is not None and listener.omitted_styles:
            self._banner.show_message("notice", listener.omitted_styles[0])

    def _explain_failure(self, _error: AppError) -> str:
        return localize(
            "「設定」の「ほかのアプリ」で別のポート番号を指定してください。", "Choose another port under Settings › Other programs."
        )

    @Slot()
    def _schedule_requests(self) -> None:
        if self.dialog is not None and not self._soon.isActive():
            self._soon.start()

    @Slot()
    def _show_requests(self) -> None:
        if self.dialog is not None:
            self.dialog.show_state(self.url, self.recent.list_records())
