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

from app.language import localized
from app.service.recent import Asked
from app.ui.plain_text import plain_tip
from app.ui.theme.measures import DIALOG_MARGINS

WIDEST_REQUEST = 240  # pixels; a path may be as long as a client likes
GONE = 499  # nobody reads such an answer
REQUEST, TEXT = 1, 2


class ServiceDialog(QDialog):
    """Follows the service while it is shown; the texts of requests are kept in memory only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("サービス", "Service"))
        self.address = QLineEdit()
        self.address.setReadOnly(True)
        self.address.setAccessibleName(localized("アドレス", "Address"))
        self.copy = QPushButton(localized("コピー", "Copy"))
        self.copy.setToolTip(localized("アドレスをクリップボードにコピーします。", "Copies the address to the clipboard."))
        self.copy.clicked.connect(self._copy)
        self.requests = QTableWidget(0, 5)
        self.requests.setObjectName("words")
        self.requests.setAccessibleName(localized("最近のリクエスト", "Latest requests"))
        self.requests.setHorizontalHeaderLabels(
            [
                localized("時刻", "Time"),
                localized("リクエスト", "Request"),
                localized("テキスト", "Text"),
                localized("結果", "Result"),
                localized("時間", "Duration"),
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
        self.empty = QLabel(localized("リクエストはまだありません。", "No requests yet."))
        self.empty.setObjectName("muted")
        self._lay_out()
        self.resize(720, 440)

    def show_state(self, url: str, asked: Sequence[Asked]) -> None:
        """Shows the address, or that there is none, and the requests, the newest first."""
        self.address.setText(url or localized("停止中", "Not running"))
        self.copy.setEnabled(bool(url))
        self.empty.setVisible(not asked)
        self.requests.setRowCount(len(asked))
        for row, one in enumerate(asked):
            for column, text in enumerate(_cells(one)):
                item = QTableWidgetItem(text)
                item.setToolTip(plain_tip(_tip(one, text) if column else text))
                self.requests.setItem(row, column, item)
        header = self.requests.horizontalHeader()
        self.requests.setColumnWidth(
            REQUEST, min(WIDEST_REQUEST, max(self.requests.sizeHintForColumn(REQUEST), header.sectionSizeHint(REQUEST)))
        )

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        label = QLabel(localized("アドレス", "Address"))
        label.setBuddy(self.address)
        top.addWidget(label)
        top.addWidget(self.address, 1)
        top.addWidget(self.copy)
        title = QLabel(localized("最近のリクエスト", "Latest requests"))
        title.setObjectName("heading")
        buttons = QDialogButtonBox()
        close = buttons.addButton(localized("閉じる", "Close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.setToolTip(localized("閉じる（Esc）", "Close (Esc)"))
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
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.address.text())


def _cells(asked: Asked) -> tuple[str, ...]:
    moment = time.strftime("%H:%M:%S", time.localtime(asked.at))
    length = f"{asked.ms:.0f} ms" if asked.ms < 1000 else f"{asked.ms / 1000:.1f} s"
    return moment, f"{asked.method} {asked.path}", " ".join(asked.text.split()), _outcome(asked.status), length


def _outcome(status: int) -> str:
    """For people, who need HTTP's number only where something is wrong."""
    if not status or status == GONE:
        return localized("中断", "Cancelled")
    if status < 400:
        return localized("完了", "Done")
    if status in (401, 403):
        return localized(f"拒否（{status}）", f"Refused ({status})")
    return localized(f"エラー（{status}）", f"Error ({status})")


def _tip(asked: Asked, text: str) -> str:
    """What a cell may cut off, and which program asked."""
    return f"{text}\n{asked.client}" if asked.client else text
