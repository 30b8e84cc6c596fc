"""The service at a glance: its address to copy, and what was asked last."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, Slot
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

from app.common.language import localize
from app.service.request_log import RequestRecord
from app.ui.plain_text import escape_tip
from app.ui.theme.dialog_margins import DIALOG_MARGINS

MAX_REQUEST_WIDTH_PX = 240  # pixels; a path may be as long as a client likes
CLIENT_CLOSED_REQUEST_STATUS = 499  # nobody reads such an answer
REQUEST, TEXT = 1, 2


class ServiceDialog(QDialog):
    """Follows the service while it is shown; the texts of requests are kept in memory only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("サービス", "Service"))
        self.address = QLineEdit()
        self.address.setReadOnly(True)
        self.address.setAccessibleName(localize("アドレス", "Address"))
        self.copy = QPushButton(localize("コピー", "Copy"))
        self.copy.setToolTip(localize("アドレスをクリップボードにコピーします。", "Copies the address to the clipboard."))
        self.copy.clicked.connect(self._copy_address)
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
        self.empty = QLabel(localize("リクエストはまだありません。", "No requests yet."))
        self.empty.setObjectName("muted")
        self._arrange_widgets()
        self.resize(720, 440)

    def show_state(self, url: str, records: Sequence[RequestRecord]) -> None:
        """Shows the address, or that there is none, and the requests, the newest first."""
        self.address.setText(url or localize("停止中", "Not running"))
        self.copy.setEnabled(bool(url))
        self.empty.setVisible(not records)
        self.requests.setRowCount(len(records))
        for row, one in enumerate(records):
            for column, text in enumerate(_format_cells(one)):
                item = QTableWidgetItem(text)
                item.setToolTip(escape_tip(_format_tip(one, text) if column else text))
                self.requests.setItem(row, column, item)
        header = self.requests.horizontalHeader()
        self.requests.setColumnWidth(
            REQUEST, min(MAX_REQUEST_WIDTH_PX, max(self.requests.sizeHintForColumn(REQUEST), header.sectionSizeHint(REQUEST)))
        )

    def _arrange_widgets(self) -> None:
        top = QHBoxLayout()
        label = QLabel(localize("アドレス", "Address"))
        label.setBuddy(self.address)
        top.addWidget(label)
        top.addWidget(self.address, 1)
        top.addWidget(self.copy)
        title = QLabel(localize("最近のリクエスト", "Latest requests"))
        title.setObjectName("heading")
        buttons = QDialogButtonBox()
        close = buttons.addButton(localize("閉じる", "Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setToolTip(localize("閉じる（Esc）", "Close (Esc)"))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(title)
        column.addWidget(self.empty)
        column.addWidget(self.requests, 1)
        column.addWidget(buttons)

    @Slot()
    def _copy_address(self) -> None:
        QGuiApplication.clipboard().setText(self.address.text())


def _format_cells(record: RequestRecord) -> tuple[str, ...]:
    moment = time.strftime("%H:%M:%S", time.localtime(record.at))
    length = f"{record.ms:.0f} ms" if record.ms < 1000 else f"{record.ms / 1000:.1f} s"
    return moment, f"{record.method} {record.path}", " ".join(record.text.split()), _format_status(record.status), length


def _format_status(status: int) -> str:
    """For people, who need HTTP's number only where something is wrong."""
    if not status or status == CLIENT_CLOSED_REQUEST_STATUS:
        return localize("中断", "Cancelled")
    if status < 400:
        return localize("完了", "Done")
    if status in (401, 403):
        return localize(f"拒否（{status}）", f"Refused ({status})")
    return localize(f"エラー（{status}）", f"Error ({status})")


def _format_tip(record: RequestRecord, text: str) -> str:
    """Return what a cell may cut off, and which program asked."""
    return f"{text}\n{record.client}" if record.client else text
