"""The pages of the user guide, Markdown files in `resources/help/LANGUAGE`: the search in them, and a view that highlights its matches."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from PySide6.QtCore import QEvent, QUrl, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QGuiApplication,
    QPalette,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from app.common.files.paths import find_resources_dir
from app.common.language import Language, get_language, localize
from app.ui.theme.theme import is_theme_change_event

# Qt renders Markdown without space between its parts, and style sheets do not reach it.

ABOVE_HEADING, BELOW_HEADING, BELOW_TEXT, BELOW_ITEM = 16, 6, 8, 3  # pixels
HEADING_SIZES = {1: 1.5, 2: 1.18, 3: 1.05}  # factors of the page's font size by heading level
LINE_HEIGHT_PERCENT = 130
INDENT, CELL_PADDING, CODE_PADDING = 24, 5, 8
SOLID_BORDER = QTextFrameFormat.BorderStyle.BorderStyle_Solid

GUIDE_PAGES = (
    *("window", "reading", "takes", "cast", "dictionary", "projects", "import", "saving", "export"),
    *("voices", "natural_voice", "audition", "blind_tests", "downloads", "backends", "latency", "lab"),
    *("lab-reference", "service", "chat_reader", "agents", "programs", "read_aloud", "settings", "faq"),
    *("keys", "command_line", "project-file", "limits"),
)
"""The names of the pages, in the order of the list."""
Span = tuple[int, int]


def apply_page_style(document: QTextDocument, palette: QPalette) -> None:
    """Set sizes, spaces and colours of headings, paragraphs, code and tables."""
    document.setIndentWidth(INDENT)
    block = document.begin()
    while block.isValid():
        _format_block(block, document)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _format_table(frame, palette)
    for code in _select_code_blocks(document):
        _format_code_block(code, palette)


def _format_block(block: QTextBlock, document: QTextDocument) -> None:
    cursor = QTextCursor(block)
    form = block.blockFormat()
    form.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    form.setTopMargin(0)
    if level := form.headingLevel():
        form.setTopMargin(ABOVE_HEADING if block.position() else 0)
        form.setBottomMargin(BELOW_HEADING)
        _resize_block(block, document.defaultFont().pointSizeF() * HEADING_SIZES.get(level, 1.0))
    elif cursor.currentTable() is not None or _is_code(block):
        form.setBottomMargin(0)
        # Qt does not wrap lines of code, and one long line would widen the whole page.
        form.setNonBreakableLines(False)
    else:
        form.setBottomMargin(BELOW_TEXT if block.textList() is None else BELOW_ITEM)
    cursor.setBlockFormat(form)


def _resize_block(block: QTextBlock, size: float) -> None:
    cursor = QTextCursor(block)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    form = cursor.charFormat()
    # Markdown sets a relative size, which would be applied on top of the point size.
    form.clearProperty(form.Property.FontSizeAdjustment.value)
    form.setFontPointSize(size)
    cursor.setCharFormat(form)


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextBlockFormat.Property.BlockCodeFence.value)


def _select_code_blocks(document: QTextDocument) -> list[QTextCursor]:
    """Return a selection for each run of code lines."""
    fields: list[QTextCursor] = []
    block = document.begin()
    while block.isValid():
        if _is_code(block):
            if not fields or not _is_code(block.previous()):
                fields.append(QTextCursor(block))
            fields[-1].setPosition(block.position() + block.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        block = block.next()
    return fields


def _format_code_block(code: QTextCursor, palette: QPalette) -> None:
    """Put lines of code into a tinted frame."""
    form = QTextFrameFormat()
    form.setBackground(palette.window())
    form.setPadding(CODE_PADDING)
    form.setBottomMargin(BELOW_TEXT)
    frame = code.insertFrame(form)
    for block in (frame.firstCursorPosition().block().previous(), frame.lastCursorPosition().block().next()):
        # Qt puts an empty paragraph on either side of a frame; one pixel high, they are not seen.
        if not block.text():
            _set_line_height(block, 1, QTextBlockFormat.LineHeightTypes.FixedHeight)
    block = frame.firstCursorPosition().block()
    while block.position() <= frame.lastPosition():
        _set_line_height(block, LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight)
        block = block.next()


def _set_line_height(block: QTextBlock, height: float, height_type: QTextBlockFormat.LineHeightTypes) -> None:
    form = QTextBlockFormat()
    form.setLineHeight(height, height_type.value)
    QTextCursor(block).setBlockFormat(form)


def _format_table(table: QTextTable, palette: QPalette) -> None:
    """Draw lines between rows, and tint the header."""
    form = table.format()
    form.setBorder(0)
    form.setCellSpacing(0)
    form.setBorderCollapse(True)
    form.setTopMargin(BELOW_TEXT / 2)
    form.setBottomMargin(BELOW_TEXT)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    table.setFormat(form)
    for row, column in product(range(table.rows()), range(table.columns())):
        cell = QTextTableCellFormat()
        cell.setPadding(CELL_PADDING)
        cell.setBottomBorder(1)
        cell.setBottomBorderStyle(SOLID_BORDER)
        cell.setBottomBorderBrush(palette.mid())
        if row == 0:
            cell.setBackground(palette.window())
        table.cellAt(row, column).setFormat(cell)


MATCH_ALPHA = 70  # the opacity (of 255) of the matches that are not the current one


@dataclass(frozen=True, slots=True)
class GuidePage:
    """One page of the guide."""

    name: str
    title: str
    markdown: str


def locate_page(name: str, page_language: Language) -> Path:
    return find_resources_dir() / "help" / page_language / f"{name}.md"


def load_pages() -> tuple[GuidePage, ...]:
    """Return all pages in the current language."""
    texts = {name: locate_page(name, get_language()).read_text(encoding="utf-8") for name in GUIDE_PAGES}
    return tuple(GuidePage(name, text.partition("\n")[0].removeprefix("# "), text) for name, text in texts.items())


def find_spans(text: str, query: str) -> list[Span]:
    """Return the spans of a query's words in a text, ignoring case and width; none unless every word is found."""
    folded, starts = _fold_text(text)
    words = {_fold_text(word)[0] for word in query.split()} - {""}
    spans_by_word = [[match.span() for match in re.finditer(re.escape(word), folded)] for word in words]
    if not all(spans_by_word):
        return []
    return sorted({(starts[start], starts[end - 1] + 1) for spans in spans_by_word for start, end in spans})


def _fold_text(text: str) -> tuple[str, list[int]]:
    """Return the text folded in case and width, and for each folded character the index of its source character."""
    # Characters are folded one by one, because NFKC changes their number and the spans must point into the original.
    folded_chars = [unicodedata.normalize("NFKC", char).casefold() for char in text]
    return "".join(folded_chars), [index for index, folded in enumerate(folded_chars) for _ in folded]


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

    def go_to_edge_match(self, *, is_first: bool) -> None:
        """Go to the first match of the page, or to the last."""
        self._current = 0 if is_first else max(0, len(self._spans) - 1)
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
