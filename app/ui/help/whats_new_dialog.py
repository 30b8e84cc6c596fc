"""The dialog that shows the change log in the language of the window."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from app.common.change_log import translate_change_log
from app.common.files.paths import find_change_log
from app.common.language import get_language, localize
from app.ui.help.guide_page_view import GuidePageView

WHATS_NEW_SIZE_PX = (720, 560)


class WhatsNewDialog(QDialog):
    """A dialog with what changed, as Markdown."""

    def __init__(self, markdown: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("更新履歴", "What's new"))
        self.view = GuidePageView()
        self.view.setAccessibleName(self.windowTitle())
        self.view.show_page(markdown)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.button(QDialogButtonBox.StandardButton.Close).setToolTip(localize("閉じる（Esc）", "Close (Esc)"))
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addWidget(self.view, 1)
        column.addWidget(box)
        self.resize(*WHATS_NEW_SIZE_PX)


def load_change_log() -> str:
    """Return the change log in the language of the window, as Markdown; empty if it is not installed."""
    path = find_change_log()
    return "" if path is None else translate_change_log(path.read_text(encoding="utf-8"), get_language())
