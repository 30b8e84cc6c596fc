"""How a page of the guide looks: Qt renders Markdown without spaces between its parts, and style sheets do not reach it."""

from __future__ import annotations

from itertools import product

from PySide6.QtGui import (
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

ABOVE_HEADING, BELOW_HEADING, BELOW_TEXT, BELOW_ITEM = 16, 6, 8, 3  # pixels
HEADING_SIZES = {1: 1.5, 2: 1.18, 3: 1.05}  # of the page's font
LINE_HEIGHT = 130  # per cent
INDENT, CELL_PADDING, CODE_PADDING = 24, 5, 8
SOLID = QTextFrameFormat.BorderStyle.BorderStyle_Solid


def style_page(document: QTextDocument, palette: QPalette) -> None:
    """Gives headings, paragraphs, code and tables their sizes, spaces and colours."""
    document.setIndentWidth(INDENT)
    block = document.begin()
    while block.isValid():
        _style_block(block, document)
        block = block.next()
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _style_table(frame, palette)
    for code in _code_fields(document):
        _frame_code(code, palette)


def _style_block(block: QTextBlock, document: QTextDocument) -> None:
    cursor = QTextCursor(block)
    form = block.blockFormat()
    form.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    form.setTopMargin(0)
    if level := form.headingLevel():
        form.setTopMargin(ABOVE_HEADING if block.position() else 0)
        form.setBottomMargin(BELOW_HEADING)
        _resize(block, document.defaultFont().pointSizeF() * HEADING_SIZES.get(level, 1.0))
    elif cursor.currentTable() is not None or _is_code(block):
        form.setBottomMargin(0)
        form.setNonBreakableLines(False)
    else:
        form.setBottomMargin(BELOW_TEXT if block.textList() is None else BELOW_ITEM)
    cursor.setBlockFormat(form)


def _resize(block: QTextBlock, size: float) -> None:
    cursor = QTextCursor(block)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    form = cursor.charFormat()
    form.clearProperty(form.Property.FontSizeAdjustment.value)
    form.setFontPointSize(size)
    cursor.setCharFormat(form)


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextBlockFormat.Property.BlockCodeFence.value)


def _code_fields(document: QTextDocument) -> list[QTextCursor]:
    """A selection for each run of lines of code."""
    fields: list[QTextCursor] = []
    block = document.begin()
    while block.isValid():
        if _is_code(block):
            if not fields or not _is_code(block.previous()):
                fields.append(QTextCursor(block))
            fields[-1].setPosition(block.position() + block.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        block = block.next()
    return fields


def _frame_code(code: QTextCursor, palette: QPalette) -> None:
    """Puts lines of code into a tinted field."""
    form = QTextFrameFormat()
    form.setBackground(palette.window())
    form.setPadding(CODE_PADDING)
    form.setBottomMargin(BELOW_TEXT)
    frame = code.insertFrame(form)
    for block in (frame.firstCursorPosition().block().previous(), frame.lastCursorPosition().block().next()):
        if not block.text():  # Qt puts an empty paragraph on either side
            _set_line(block, 1, QTextBlockFormat.LineHeightTypes.FixedHeight)
    block = frame.firstCursorPosition().block()
    while block.position() <= frame.lastPosition():
        _set_line(block, LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight)
        block = block.next()


def _set_line(block: QTextBlock, height: float, kind: QTextBlockFormat.LineHeightTypes) -> None:
    form = QTextBlockFormat()
    form.setLineHeight(height, kind.value)
    QTextCursor(block).setBlockFormat(form)


def _style_table(table: QTextTable, palette: QPalette) -> None:
    """Lines between rows, and a tinted head."""
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
        cell.setBottomBorderStyle(SOLID)
        cell.setBottomBorderBrush(palette.mid())
        if row == 0:
            cell.setBackground(palette.window())
        table.cellAt(row, column).setFormat(cell)
