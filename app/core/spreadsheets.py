"""Tables as spreadsheets write and read them: what stands between cells, and cells that would be computed."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

SEPARATORS = ",;\t"
_NAMED = re.compile(r'\ufeff?"?sep=([,;\t|])"?[ ,;\t]*(?:\r\n?|\n|$)', re.IGNORECASE)  # Excel's own first line
_QUOTED = re.compile('"[^"]*"?')
_COMPUTED = re.compile("'*[=+\\-@\t\r]")
_MARKED = re.compile("'+[=+\\-@\t\r]")

Row = tuple[int, tuple[str, ...] | None]
"""Number of a row from 1, as a spreadsheet counts, and its cells; None where it cannot be read."""


def harmless(value: object) -> object:
    """A cell that spreadsheets show and do not compute: a text that begins like a formula gets a mark, which `original` takes away."""
    return f"'{value}" if isinstance(value, str) and _COMPUTED.match(value) else value


def original(cell: str) -> str:
    """What `harmless` was given."""
    return cell[1:] if _MARKED.match(cell) else cell


def rows_of(text: str, separator: str = "", *, multiline: bool = True) -> Iterator[Row]:
    """Rows of a CSV; one that is broken costs itself, as does a quotation mark that is never closed.

    Args:
        separator: between cells; without one it is what `sep=` says, or what the first line has most of.
        multiline: a cell may hold line breaks.
    """
    named = _NAMED.match(text)
    if named is not None:
        text, separator = text[named.end() :], named[1]
    lines = _Lines(io.StringIO(text, newline="").readlines())
    reader = csv.reader(lines, delimiter=separator or _most_frequent(text), strict=True)
    for number in range(1, len(lines.lines) + 1):
        start = lines.next
        try:
            row: tuple[str, ...] | None = tuple(next(reader))
        except StopIteration:
            return
        except csv.Error:
            row = None
        if row is None or (lines.next > start + 1 and not multiline):
            row, lines.next = None, start + 1
        yield number, row


def _most_frequent(text: str) -> str:
    """Spreadsheets write semicolons where commas are in numbers."""
    first = _QUOTED.sub("", text[:10_000].split("\n", 1)[0])
    return max(SEPARATORS, key=first.count)


class _Lines(Iterator[str]):
    """Lines one after the other, as `csv.reader` asks for them; `next` may be set back."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.next = 0

    def __next__(self) -> str:
        if self.next >= len(self.lines):
            raise StopIteration
        self.next += 1
        return self.lines[self.next - 1]
