"""A view of one page of the guide that highlights the matches of a search."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QUrl, Signal, Slot
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication, QPalette, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from app.common.language import localize
from app.ui.help.guide_page_style import apply_page_style
from app.ui.help.guide_pages import Span, find_spans
from app.ui.theme.theme import is_theme_change_event

# The opacity (of 255) of the matches that are not the current one.
MATCH_ALPHA = 70


class GuidePageView(QTextBrowser):
    """A text browser that emits links to other pages and opens web links in the browser.

    Signals:
        page_requested(str): The page of this name is to be shown.
    """

    page_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._markdown, self._query = "", ""
        self._spans: list[Span] = []
        self._current = 0
        self.setAccessibleName(localize("ヘルプの本文", "Help page"))
        self.setOpenLinks(False)
        self.document().setDocumentMargin(14)
        self.anchorClicked.connect(self._open_link)

    def show_page(self, markdown: str, query: str = "") -> None:
        """Show a page from its top, or from the first match of the query."""
        self._markdown, self._query, self._current = markdown, query, 0
        self._render_page()
        if not self._spans:
            self.moveCursor(QTextCursor.MoveOperation.Start)

    def go_to_next_match(self, forward: bool) -> bool:
        """Go to the next match or the previous one; return False at the end of the page."""
        target = self._current + (1 if forward else -1)
        if not 0 <= target < len(self._spans):
            return False
        self._current = target
        self._highlight_matches()
        return True

    def go_to_first_match(self) -> None:
        """Go to the first match of the page."""
        self._current = 0
        self._highlight_matches()

    def go_to_last_match(self) -> None:
        """Go to the last match of the page."""
        self._current = max(0, len(self._spans) - 1)
        self._highlight_matches()

    def changeEvent(self, event: QEvent) -> None:
        """Render the page again in the colours of another theme."""
        super().changeEvent(event)
        if self._markdown and is_theme_change_event(self, event):
            position = self.verticalScrollBar().value()
            self._render_page()
            self.verticalScrollBar().setValue(position)

    def _render_page(self) -> None:
        self.setMarkdown(self._markdown)
        # The view's own palette has one colour for page and window, which would hide tints.
        apply_page_style(self.document(), QGuiApplication.palette())
        self._spans = find_spans(self.toPlainText(), self._query) if self._query else []
        self._highlight_matches()

    def _highlight_matches(self) -> None:
        """Highlight all matches and scroll to the current one."""
        marks = []
        for number, (start, end) in enumerate(self._spans):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = self._create_cursor(start, end)
            color = QColor(self.palette().color(QPalette.ColorRole.Highlight))
            if number == self._current:
                mark.format.setForeground(self.palette().highlightedText())
            else:
                color.setAlpha(MATCH_ALPHA)
            mark.format.setBackground(color)
            marks.append(mark)
        self.setExtraSelections(marks)
        if self._spans:
            self.setTextCursor(self._create_cursor(self._spans[self._current][0], self._spans[self._current][0]))
            bar = self.verticalScrollBar()
            # A third from the top: the reader sees some lines before the match.
            bar.setValue(bar.value() + self.cursorRect().top() - self.viewport().height() // 3)

    def _create_cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    @Slot(QUrl)
    def _open_link(self, link: QUrl) -> None:
        if link.isRelative():
            self.page_requested.emit(link.path().removesuffix(".md"))
        else:
            QDesktopServices.openUrl(link)
