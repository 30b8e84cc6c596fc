"""The dialog of the user guide: its pages and a search in all of them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.help.guide_index import GuideIndex
from app.ui.help.guide_page_view import GuidePageView
from app.ui.help.guide_pages import GUIDE_PAGES, load_pages
from app.ui.theme.dialog_margins import DIALOG_MARGINS

USER_GUIDE_SIZE = (900, 640)


class UserGuideDialog(QDialog):
    """A dialog that stays open beside the window."""

    def __init__(self, parent: QWidget | None = None, page: str = GUIDE_PAGES[0]) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("使い方", "User guide"))
        pages = load_pages()
        self._markdown = {item.name: item.markdown for item in pages}
        self.index = GuideIndex(pages)
        self.view = GuidePageView()
        self._lay_out_widgets()
        self.index.changed.connect(self._show_current_page)
        self.index.match_requested.connect(self.go_to_next_match)
        self.view.page_requested.connect(self.index.select_page)
        self._add_shortcuts()
        self.index.select_page(page)
        self.index.query.setFocus()

    @Slot(bool)
    def go_to_next_match(self, forward: bool) -> None:
        """Go to the next match or the previous one, across all pages and from the last to the first."""
        if not self.index.query.text().strip() or self.view.go_to_next_match(forward):
            return
        self.index.select_next_page(forward, should_wrap=True)
        if forward:
            self.view.go_to_first_match()
        else:
            self.view.go_to_last_match()

    def _lay_out_widgets(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.index)
        row.addWidget(self.view, 1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = box.button(QDialogButtonBox.StandardButton.Close)
        close.setToolTip(localize("閉じる (Esc)", "Close (Esc)"))
        close.setAutoDefault(False)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(12)
        column.addLayout(row, 1)
        column.addWidget(box)
        self.resize(*USER_GUIDE_SIZE)

    def _add_shortcuts(self) -> None:
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self).activated.connect(self._focus_search)
        for key, forward in (("F3", True), ("Shift+F3", False)):
            QShortcut(QKeySequence(key), self).activated.connect(partial(self.go_to_next_match, forward))

    @Slot()
    def _focus_search(self) -> None:
        self.index.query.setFocus()
        self.index.query.selectAll()

    @Slot()
    def _show_current_page(self) -> None:
        self.view.show_page(self._markdown[self.index.current_name], self.index.query.text())
