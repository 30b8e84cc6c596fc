"""Tables as spreadsheets write and read them: separators of cells, and cells that a spreadsheet would compute."""

import csv
import io
import re
from collections.abc import Iterator, Sequence

CELL_SEPARATORS = ",;\t"
# Excel writes this line of its own before the table to name the separator.
_SEPARATOR_LINE = re.compile(r'\ufeff?"?sep=([,;\t|])"?[ ,;\t]*(?:\r\n?|\n|$)', re.IGNORECASE)
_QUOTED_CELL = re.compile('"[^"]*"?')
_FORMULA_START = re.compile("'*[=+\\-@\t\r]")
_ESCAPED_FORMULA = re.compile("'+[=+\\-@\t\r]")

SpreadsheetRow = tuple[int, tuple[str, ...] | None]
"""The number of a row from 1, as a spreadsheet counts, and its cells; None where the row cannot be read."""


def escape_formula(value: object) -> object:
    """Return a cell that spreadsheets show and do not compute: text that begins like a formula gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and _FORMULA_START.match(value) else value


def unescape_formula(cell: str) -> str:
    """Return the cell that `escape_formula` was given."""
    return cell[1:] if _ESCAPED_FORMULA.match(cell) else cell


def parse_rows(text: str, separator: str = "", *, multiline: bool = True) -> Iterator[SpreadsheetRow]:
    """Yield the rows of a CSV; a broken row is None alone, as is one with a quotation mark that is never closed.

    Args:
        separator: between cells; without one, the table's `sep=` line or the most frequent one in the first line decides.
        multiline: a cell may hold line breaks.
    """
    separator_line = _SEPARATOR_LINE.match(text)
    if separator_line is not None:
        text, separator = text[separator_line.end() :], separator_line[1]
    lines = _RewindableLines(io.StringIO(text, newline="").readlines())
    # Spreadsheets write semicolons in countries whose numbers have commas.
    first = _QUOTED_CELL.sub("", text[:10_000].split("\n", 1)[0])
    reader = csv.reader(lines, delimiter=separator or max(CELL_SEPARATORS, key=first.count), strict=True)
    for number in range(1, len(lines.lines) + 1):
        start = lines.next
        try:
            row: tuple[str, ...] | None = tuple(next(reader))
        except StopIteration:
            return
        except csv.Error:
            row = None
        if row is None or (lines.next > start + 1 and not multiline):
            # An unclosed quotation mark swallows all rows behind it, so reading resumes right after the broken row.
            row, lines.next = None, start + 1
        yield number, row


class _RewindableLines(Iterator[str]):
    """Yields lines one after the other, as `csv.reader` reads them; `next` may be set back."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.next = 0

    def __next__(self) -> str:
        if self.next >= len(self.lines):
            raise StopIteration
        self.next += 1
        return self.lines[self.next - 1]
