"""The dialog of the user guide: its pages and a search in all of them."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut, QTextDocument
from PySide6.QtWidgets import QDialogButtonBox, QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.help.guide_page_view import GUIDE_PAGES, GuidePage, GuidePageView, find_spans, load_pages
from app.ui.widgets.controls import DIALOG_MARGINS, PlainLabel, create_close_box, describe_control, fill_box
from app.ui.widgets.dialogs import ClosableDialog

WIDTH, ROW_PADDING = 230, 13
ARROW_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
NAME, TITLE, TEXT = (Qt.ItemDataRole.UserRole + number for number in range(3))


class GuideIndex(QWidget):
    """A list of pages; a query leaves only the pages that match, with the number of matches.

    Signals:
        changed(): Another page is selected, or the query was edited.
        match_requested(bool): The next match is requested (True), or the previous one.
    """

    changed = Signal()
    match_requested = Signal(bool)

    def __init__(self, pages: Sequence[GuidePage]) -> None:
        super().__init__()
        title = localize("ヘルプを検索", "Search the guide")
        tip = localize("Enter で次、Shift+Enter で前の一致箇所へ移動します。(Ctrl+F)", "Enter: next match, Shift+Enter: previous (Ctrl+F)")
        self.query = describe_control(QLineEdit(placeholderText=title, clearButtonEnabled=True), title, tip)
        self.query.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(localize("ページ", "Pages"))
        self.nothing = PlainLabel(localize("見つかりません。", "Nothing found."), "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.nothing.hide()
        column = fill_box(QVBoxLayout(self), self.query, (self.list, 1), spacing=8)
        column.addWidget(self.nothing, 1, Qt.AlignmentFlag.AlignTop)
        self.setFixedWidth(WIDTH)
        for page in pages:
            item = QListWidgetItem(page.title, self.list)
            item.setSizeHint(QSize(0, self.list.fontMetrics().height() + ROW_PADDING))
            # The search runs over the rendered text: Markdown's own signs must not match.
            text = QTextDocument()
            text.setMarkdown(page.markdown)
            for role, value in ((NAME, page.name), (TITLE, page.title), (TEXT, text.toPlainText())):
                item.setData(role, value)
        self.query.textChanged.connect(self._search_pages)
        self.list.currentItemChanged.connect(self.changed)

    @property
    def current_name(self) -> str:
        """Return the name of the selected page."""
        return str(self.list.currentItem().data(NAME))

    def select_page(self, name: str) -> None:
        """Select a page, and clear a search that would hide it."""
        for item in self._list_items():
            if item.data(NAME) == name:
                if item.isHidden():
                    self.query.clear()
                self.list.setCurrentItem(item)

    def select_next_page(self, forward: bool, *, should_wrap: bool = False) -> None:
        """Select the next listed page, or the previous one."""
        items = [item for item in self._list_items() if not item.isHidden()]
        if not items:
            return
        row = items.index(self.list.currentItem()) + (1 if forward else -1)
        self.list.setCurrentItem(items[row % len(items) if should_wrap else max(0, min(len(items) - 1, row))])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let arrow keys in the field choose a page, and Enter move between matches."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.match_requested.emit(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                return True
            if event.key() in ARROW_STEPS:
                self.select_next_page(ARROW_STEPS[Qt.Key(event.key())] > 0)
                return True
        return super().eventFilter(watched, event)

    def _list_items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    @Slot(str)
    def _search_pages(self, query: str) -> None:
        for item in self._list_items():
            count = len(find_spans(item.data(TEXT), query))
            item.setText(f"{item.data(TITLE)}  ({count})" if count else item.data(TITLE))
            item.setHidden(bool(query.strip()) and not count)
        matching = [item for item in self._list_items() if not item.isHidden()]
        self.list.setVisible(bool(matching))
        self.nothing.setVisible(not matching)
        if matching and self.list.currentItem() not in matching:
            self.list.setCurrentItem(matching[0])
        else:
            self.changed.emit()


USER_GUIDE_SIZE = (900, 640)


class UserGuideDialog(ClosableDialog):
    """A dialog that stays open while the window is used."""

    def __init__(self, parent: QWidget | None = None, page: str = GUIDE_PAGES[0]) -> None:
        super().__init__(parent)
        self.setWindowTitle(localize("使い方", "User guide"))
        pages = load_pages()
        self._markdown = {item.name: item.markdown for item in pages}
        self.index = GuideIndex(pages)
        self.view = GuidePageView()
        row = fill_box(QHBoxLayout(), self.index, (self.view, 1), spacing=12)
        box = create_close_box(self, localize("閉じる (Esc)", "Close (Esc)"))
        box.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        fill_box(QVBoxLayout(self), (row, 1), box, margins=DIALOG_MARGINS, spacing=12)
        self.resize(*USER_GUIDE_SIZE)
        self.index.changed.connect(self._show_current_page)
        self.index.match_requested.connect(self.go_to_next_match)
        self.view.page_requested.connect(self.index.select_page)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self).activated.connect(self._focus_search)
        for key, forward in (("F3", True), ("Shift+F3", False)):
            QShortcut(QKeySequence(key), self).activated.connect(partial(self.go_to_next_match, forward))
        self.index.select_page(page)
        self.index.query.setFocus()

    @Slot(bool)
    def go_to_next_match(self, forward: bool) -> None:
        """Go to the next match or the previous one, across all pages and from the last to the first."""
        if not self.index.query.text().strip() or self.view.go_to_next_match(forward):
            return
        self.index.select_next_page(forward, should_wrap=True)
        self.view.go_to_edge_match(is_first=forward)

    @Slot()
    def _focus_search(self) -> None:
        self.index.query.setFocus()
        self.index.query.selectAll()

    @Slot()
    def _show_current_page(self) -> None:
        self.view.show_page(self._markdown[self.index.current_name], self.index.query.text())
