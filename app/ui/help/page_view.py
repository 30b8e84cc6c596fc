"""Shows a page of the guide, with what was searched for highlighted."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QUrl, Signal, Slot
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication, QPalette, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from app.language import localized
from app.ui.help.page_style import style_page
from app.ui.help.pages import Span, find_spans
from app.ui.theme.theme import is_theme_change

FAINT = 70  # opacity of a match that is not the current one, of 255


class PageView(QTextBrowser):
    """Links to other pages are emitted; those to the web open in the browser.

    Signals:
        page_requested(str): the name of a page.
    """

    page_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._markdown, self._query = "", ""
        self._spans: list[Span] = []
        self._current = 0
        self.setAccessibleName(localized("ヘルプの本文", "Help page"))
        self.setOpenLinks(False)
        self.document().setDocumentMargin(14)
        self.anchorClicked.connect(self._on_link)

    def show_page(self, markdown: str, query: str = "") -> None:
        """Shows a page from its top, or from the first match of the query."""
        self._markdown, self._query, self._current = markdown, query, 0
        self._render()
        if not self._spans:
            self.moveCursor(QTextCursor.MoveOperation.Start)

    def step(self, forward: bool) -> bool:
        """Goes to the next match, or the one before; False at the end of the page."""
        target = self._current + (1 if forward else -1)
        if not 0 <= target < len(self._spans):
            return False
        self._current = target
        self._highlight()
        return True

    def go_to_first(self) -> None:
        """Goes to the first match of the page."""
        self._current = 0
        self._highlight()

    def go_to_last(self) -> None:
        """Goes to the last match of the page."""
        self._current = max(0, len(self._spans) - 1)
        self._highlight()

    def changeEvent(self, event: QEvent) -> None:
        """Renders the page in the colours of another theme."""
        super().changeEvent(event)
        if self._markdown and is_theme_change(self, event):
            position = self.verticalScrollBar().value()
            self._render()
            self.verticalScrollBar().setValue(position)

    def _render(self) -> None:
        self.setMarkdown(self._markdown)
        style_page(self.document(), QGuiApplication.palette())  # the view's own has one colour for page and window
        self._spans = find_spans(self.toPlainText(), self._query) if self._query else []
        self._highlight()

    def _highlight(self) -> None:
        """Marks all matches and scrolls to the current one."""
        marks = []
        for number, (start, end) in enumerate(self._spans):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = self._cursor(start, end)
            color = QColor(self.palette().color(QPalette.ColorRole.Highlight))
            if number == self._current:
                mark.format.setForeground(self.palette().highlightedText())
            else:
                color.setAlpha(FAINT)
            mark.format.setBackground(color)
            marks.append(mark)
        self.setExtraSelections(marks)
        if self._spans:
            self.setTextCursor(self._cursor(self._spans[self._current][0], self._spans[self._current][0]))
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.cursorRect().top() - self.viewport().height() // 3)

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    @Slot(QUrl)
    def _on_link(self, link: QUrl) -> None:
        if link.isRelative():
            self.page_requested.emit(link.path().removesuffix(".md"))
        else:
            QDesktopServices.openUrl(link)
