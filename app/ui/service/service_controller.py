"""The switch of the service: starts and stops it as the settings say, and shows what it does."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
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
from app.ui.service.listener_controller import ListenerController
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import DIALOG_MARGINS, PlainLabel, escape_tip, fill_box, set_up_button
from app.ui.widgets.dialogs import OpenDialog

if TYPE_CHECKING:
    from app.ui.service.window_listeners import WindowService


MAX_REQUEST_WIDTH_PX = 240  # pixels; a path may be as long as a client likes
CLIENT_CLOSED_REQUEST_STATUS = 499  # nobody reads such an answer
REQUEST, TEXT = 1, 2


class ServiceDialog(QDialog):
    """Follows the service while it is shown; the texts of requests are kept in memory only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("サービス", "Service"))
        self.address = QLineEdit(readOnly=True)
        self.address.setAccessibleName(localize("アドレス", "Address"))
        self.copy = set_up_button(
            QPushButton(localize("コピー", "Copy")),
            localize("アドレスをクリップボードにコピーします。", "Copies the address to the clipboard."),
            lambda: QGuiApplication.clipboard().setText(self.address.text()),
        )
        self.requests = QTableWidget(0, 5)
        self.requests.setObjectName("words")
        self.requests.setAccessibleName(localize("最近のリクエスト", "Latest requests"))
        self.requests.setHorizontalHeaderLabels(
            [
                localize("時刻", "Time"),
                localize("リクエスト", "Request"),
                localize("テキスト", "Text"),
                localize("結果", "Result"),
                localize("時間", "Duration"),
            ]
        )
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


REQUESTS_REFRESH_MS = 100  # the table, however many requests come


class ServiceController(ListenerController["WindowService"]):
    """Made when the service is switched on for the first time; its button opens the last requests."""

    dialog: OpenDialog[ServiceDialog] = OpenDialog()  # while it is open
    RESTART_SETTINGS = ("service", "service_port", "service_changes", "service_origins")
    _request_logged = Signal()

    def __init__(self, window: QWidget, settings: SettingsStore, speech: SpeechController, banner: Banner) -> None:
        super().__init__(
            window,
            settings=settings,
            banner=banner,
            title=localize("サービス", "Service"),
            name=localize("サービス", "Service"),
            tip=localize("クリックすると、アドレスと最近のリクエストを表示します。", "Click to show the address and the latest requests."),
            thread_name="service switch",
        )
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
