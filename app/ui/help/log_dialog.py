"""A dialog with the newest part of the log file, kept up to date while it is shown."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QDesktopServices, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.common.files.bounded_read import open_regular_file
from app.common.language import localize
from app.common.log import find_log_path
from app.ui.plain_text import escape_tip
from app.ui.widgets.box_layout import fill_box
from app.ui.widgets.controls import create_close_box, describe_control, set_up_button
from app.ui.widgets.visibility_timer import VisibilityTimer

MAX_SHOWN_LOG_BYTES = 256 << 10
LOG_POLL_MS = 1000
SERIOUS_LEVELS = (" WARNING ", " ERROR ", " CRITICAL ")


class LogDialog(QDialog):
    """A dialog that shows, filters and copies the log."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("ログ", "Log"))
        self._size = -1
        self.wanted = describe_control(
            QLineEdit(placeholderText=localize("含まれる文字", "Contains"), clearButtonEnabled=True),
            localize("絞り込み", "Filter"),
            localize("この文字を含む行だけを表示します。", "Shows only lines that contain this text."),
        )
        self.serious = QCheckBox(localize("警告とエラーのみ", "Warnings and errors only"))
        self.serious.setToolTip(localize("警告とエラーだけを表示します。", "Shows only warnings and errors."))
        self.shown = QPlainTextEdit(readOnly=True, tabChangesFocus=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        self.shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.shown.setAccessibleName(self.windowTitle())
        row = fill_box(QHBoxLayout(), (self.wanted, 1), self.serious)
        box, role = create_close_box(self), QDialogButtonBox.ButtonRole.ActionRole
        self.copy = set_up_button(
            box.addButton(localize("コピー", "Copy"), role),
            localize("表示中の行をコピーします。", "Copies the lines shown."),
            lambda: QGuiApplication.clipboard().setText(self.shown.toPlainText()),
        )
        folder = str(find_log_path().parent)
        self.folder = set_up_button(
            box.addButton(localize("フォルダーを開く", "Open folder"), role),
            escape_tip(folder),
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(folder)),
        )
        fill_box(QVBoxLayout(self), row, (self.shown, 1), box, margins=None)
        self.wanted.textChanged.connect(self._refresh_lines)
        self.serious.toggled.connect(self._refresh_lines)
        self.resize(760, 480)
        VisibilityTimer(self, LOG_POLL_MS, self.show_new_lines)

    @Slot()
    def show_new_lines(self) -> None:
        """Show the log again where the file has changed."""
        size = find_log_path().stat().st_size if find_log_path().is_file() else 0
        # A log grows, so its size shows whether it changed, without reading it every second.
        if size == self._size:
            return
        self._size = size
        words = self.wanted.text().casefold().split()
        lines = [line for line in read_newest_lines(find_log_path()) if all(word in line.casefold() for word in words)]
        if self.serious.isChecked():
            lines = [line for line in lines if any(mark in line for mark in SERIOUS_LEVELS)]
        self.shown.setPlaceholderText(
            localize("一致する行がありません。", "No matching lines.") if size else localize("まだ記録がありません。", "The log is empty.")
        )
        bar = self.shown.verticalScrollBar()
        # A reader at the end follows the log; one who scrolled up keeps the place.
        is_at_end, position = bar.value() >= bar.maximum(), bar.value()
        self.shown.setPlainText("\n".join(lines))
        bar.setValue(bar.maximum() if is_at_end else position)

    @Slot()
    def _refresh_lines(self) -> None:
        self._size = -1
        self.show_new_lines()


def read_newest_lines(path: Path) -> list[str]:
    """Return the last lines of a file, without a first line that was cut; empty where it cannot be read."""
    try:
        with open_regular_file(path) as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - MAX_SHOWN_LOG_BYTES))
            lines = file.read(MAX_SHOWN_LOG_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return lines[1:] if size > MAX_SHOWN_LOG_BYTES else lines
