"""The left side of the user guide: a search field over the list of pages."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QTextDocument
from PySide6.QtWidgets import QLabel, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.language import localized
from app.ui.help.pages import Page, find_spans

WIDTH, ROW_PADDING = 230, 13
STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
NAME, TITLE, TEXT = (Qt.ItemDataRole.UserRole + number for number in range(3))


class GuideIndex(QWidget):
    """Typing in the field leaves only the pages that match, with the number of matches.

    Signals:
        changed(): another page is selected, or another query is typed.
        match_requested(bool): the next match, or the one before.
    """

    changed = Signal()
    match_requested = Signal(bool)

    def __init__(self, pages: Sequence[Page]) -> None:
        super().__init__()
        self.query = QLineEdit()
        self.query.setPlaceholderText(localized("ヘルプを検索", "Search the guide"))
        self.query.setAccessibleName(self.query.placeholderText())
        self.query.setToolTip(
            localized("Enter で次、Shift+Enter で前の一致箇所へ移動します。(Ctrl+F)", "Enter: next match, Shift+Enter: previous (Ctrl+F)")
        )
        self.query.setClearButtonEnabled(True)
        self.query.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(localized("ページ", "Pages"))
        self.nothing = QLabel(localized("見つかりません。", "Nothing found."))
        self.nothing.setObjectName("muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.nothing.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.query)
        column.addWidget(self.list, 1)
        column.addWidget(self.nothing, 1, Qt.AlignmentFlag.AlignTop)
        self.setFixedWidth(WIDTH)
        self._fill(pages)
        self.query.textChanged.connect(self._search)
        self.list.currentItemChanged.connect(self.changed)

    @property
    def current(self) -> str:
        """Name of the selected page."""
        return str(self.list.currentItem().data(NAME))

    def select(self, name: str) -> None:
        """Selects a page, and ends a search that would hide it."""
        for item in self._rows():
            if item.data(NAME) == name:
                if item.isHidden():
                    self.query.clear()
                self.list.setCurrentItem(item)

    def step(self, forward: bool, *, around: bool = False) -> None:
        """Selects the next page of those that are listed, or the one before."""
        shown = [item for item in self._rows() if not item.isHidden()]
        if not shown:
            return
        place = shown.index(self.list.currentItem()) + (1 if forward else -1)
        self.list.setCurrentItem(shown[place % len(shown) if around else max(0, min(len(shown) - 1, place))])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """In the field, arrows choose a page and Enter goes from match to match."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.match_requested.emit(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                return True
            if event.key() in STEPS:
                self.step(STEPS[Qt.Key(event.key())] > 0)
                return True
        return super().eventFilter(watched, event)

    def _fill(self, pages: Sequence[Page]) -> None:
        for page in pages:
            item = QListWidgetItem(page.title, self.list)
            item.setSizeHint(QSize(0, self.list.fontMetrics().height() + ROW_PADDING))
            text = QTextDocument()
            text.setMarkdown(page.markdown)
            for role, value in ((NAME, page.name), (TITLE, page.title), (TEXT, text.toPlainText())):
                item.setData(role, value)

    def _rows(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    @Slot(str)
    def _search(self, typed: str) -> None:
        for item in self._rows():
            count = len(find_spans(item.data(TEXT), typed))
            item.setText(f"{item.data(TITLE)}  ({count})" if count else item.data(TITLE))
            item.setHidden(bool(typed.strip()) and not count)
        shown = [item for item in self._rows() if not item.isHidden()]
        self.list.setVisible(bool(shown))
        self.nothing.setVisible(not shown)
        if shown and self.list.currentItem() not in shown:
            self.list.setCurrentItem(shown[0])
        else:
            self.changed.emit()
