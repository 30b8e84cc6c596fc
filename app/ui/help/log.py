"""The newest part of the log file, kept up to date while it is shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.language import localized
from app.log import log_path
from app.small_file import open_regular
from app.ui.plain_text import plain_tip
from app.ui.widgets.shown_timer import ShownTimer

NEWEST_BYTES = 256 << 10
LOOK_EVERY_MS = 1000
SERIOUS = (" WARNING ", " ERROR ", " CRITICAL ")


class LogDialog(QDialog):
    """Shows, filters and copies the log."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("ログ", "Log"))
        self._size = -1
        self.wanted = QLineEdit()
        self.wanted.setPlaceholderText(localized("含まれる文字", "Contains"))
        self.wanted.setAccessibleName(localized("絞り込み", "Filter"))
        self.wanted.setToolTip(localized("この文字を含む行だけを表示します。", "Shows only lines that contain this text."))
        self.wanted.setClearButtonEnabled(True)
        self.serious = QCheckBox(localized("警告とエラーのみ", "Warnings and errors only"))
        self.serious.setToolTip(localized("警告とエラーだけを表示します。", "Shows only warnings and errors."))
        self.shown = QPlainTextEdit()
        self.shown.setReadOnly(True)
        self.shown.setTabChangesFocus(True)
        self.shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.shown.setAccessibleName(self.windowTitle())
        row = QHBoxLayout()
        row.addWidget(self.wanted, 1)
        row.addWidget(self.serious)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.shown, 1)
        column.addWidget(self._buttons())
        self.wanted.textChanged.connect(self._show_anew)
        self.serious.toggled.connect(self._show_anew)
        self.resize(760, 480)
        ShownTimer(self, LOOK_EVERY_MS, self.look)

    @Slot()
    def look(self) -> None:
        """Shows what is new in the file, if anything."""
        size = log_path().stat().st_size if log_path().is_file() else 0
        if size == self._size:
            return
        self._size = size
        words = self.wanted.text().casefold().split()
        lines = [line for line in newest_lines(log_path()) if all(word in line.casefold() for word in words)]
        if self.serious.isChecked():
            lines = [line for line in lines if any(mark in line for mark in SERIOUS)]
        self.shown.setPlaceholderText(
            localized("一致する行がありません。", "No matching lines.")
            if size
            else localized("まだ記録がありません。", "The log is empty.")
        )
        bar = self.shown.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        place = bar.value()
        self.shown.setPlainText("\n".join(lines))
        bar.setValue(bar.maximum() if at_end else place)

    def _buttons(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.button(QDialogButtonBox.StandardButton.Close).setToolTip(localized("閉じる", "Close"))
        box.rejected.connect(self.reject)
        role = QDialogButtonBox.ButtonRole.ActionRole
        self.copy = box.addButton(localized("コピー", "Copy"), role)
        self.copy.setToolTip(localized("表示中の行をコピーします。", "Copies the lines shown."))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.shown.toPlainText()))
        self.folder = box.addButton(localized("フォルダーを開く", "Open folder"), role)
        self.folder.setToolTip(plain_tip(str(log_path().parent)))
        self.folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_path().parent))))
        return box

    @Slot()
    def _show_anew(self) -> None:
        self._size = -1
        self.look()


def newest_lines(path: Path) -> list[str]:
    """The last lines of a file, without the one that was cut; none where it cannot be read."""
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - NEWEST_BYTES))
            lines = file.read(NEWEST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return lines[1:] if size > NEWEST_BYTES else lines
