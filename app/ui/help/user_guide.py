"""The user guide: its pages, and a search over all of them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QVBoxLayout, QWidget

from app.language import localized
from app.ui.help.guide_index import GuideIndex
from app.ui.help.page_view import PageView
from app.ui.help.pages import PAGES, load_pages
from app.ui.theme.measures import DIALOG_MARGINS

SIZE = (900, 640)


class UserGuide(QDialog):
    """Stays open beside the window."""

    def __init__(self, parent: QWidget | None = None, page: str = PAGES[0]) -> None:
        super().__init__(parent)
        self.setWindowTitle(localized("使い方", "User guide"))
        pages = load_pages()
        self._markdown = {item.name: item.markdown for item in pages}
        self.index = GuideIndex(pages)
        self.view = PageView()
        self._lay_out()
        self.index.changed.connect(self._show_current)
        self.index.match_requested.connect(self.step)
        self.view.page_requested.connect(self.index.select)
        self._add_shortcuts()
        self.index.select(page)
        self.index.query.setFocus()

    @Slot(bool)
    def step(self, forward: bool) -> None:
        """Goes to the next match or the one before, through all pages and around."""
        if not self.index.query.text().strip() or self.view.step(forward):
            return
        self.index.step(forward, around=True)
        if forward:
            self.view.go_to_first()
        else:
            self.view.go_to_last()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.index)
        row.addWidget(self.view, 1)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = box.button(QDialogButtonBox.StandardButton.Close)
        close.setToolTip(localized("閉じる (Esc)", "Close (Esc)"))
        close.setAutoDefault(False)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(*DIALOG_MARGINS)
        column.setSpacing(12)
        column.addLayout(row, 1)
        column.addWidget(box)
        self.resize(*SIZE)

    def _add_shortcuts(self) -> None:
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self).activated.connect(self._find)
        for key, forward in (("F3", True), ("Shift+F3", False)):
            QShortcut(QKeySequence(key), self).activated.connect(partial(self.step, forward))

    @Slot()
    def _find(self) -> None:
        self.index.query.setFocus()
        self.index.query.selectAll()

    @Slot()
    def _show_current(self) -> None:
        self.view.show_page(self._markdown[self.index.current], self.index.query.text())
