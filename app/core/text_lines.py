"""Text from elsewhere as lines: what was pasted, and the content of text files."""

from __future__ import annotations

import re
import unicodedata

from app.core.notation.written import noted_text

SUFFIXES = (".txt", ".csv", ".md")
LONGEST_LINE = 2_000  # characters; laying out a longer one would freeze the window
LONGEST_NAME = 24  # characters of a speaker's name; a longer first column is text
_ENDS = ("。．！？!?…」』", "、，,；; 　")  # preferred places to cut a long line
_MARKDOWN = re.compile(r"^(?:#{1,6}\s+|[-*+]\s+|>\s*|\d+[.)]\s+)+|^(?:-{3,}|\*{3,}|={3,}|```.*)$")


def split_lines(text: str) -> list[str]:
    """Lines that are not empty, without the space and the control characters around them."""
    return [stripped for line in text.splitlines() if (stripped := line.strip("\ufeff").strip())]


def cut_line(line: str, *, memos: bool = False) -> list[str]:
    """Splits a line into pieces of at most `LONGEST_LINE` characters: after a sentence if possible, else after a comma or space, else anywhere.

    Notation that is short enough stays whole; `memos` as `app.core.notation.written.noted_text` has them.
    """
    if len(line) <= LONGEST_LINE:
        return [line]
    pieces = []
    while len(line) > LONGEST_LINE:
        end = _end_within(line)
        end = noted_text(line[: 2 * LONGEST_LINE], memos=memos).whole_at(end)[0] or end
        pieces.append(line[:end].rstrip())
        line = line[end:].lstrip()
    return [piece for piece in (*pieces, line) if piece] or [line]


def _end_within(line: str) -> int:
    for marks in _ENDS:
        end = max(line.rfind(mark, LONGEST_LINE // 2, LONGEST_LINE) for mark in marks) + 1
        if end:
            return end
    whole = range(LONGEST_LINE, LONGEST_LINE // 2, -1)  # not before a combining mark
    return next((end for end in whole if not unicodedata.combining(line[end]) and line[end] not in "\u200d\ufe0e\ufe0f"), LONGEST_LINE)


def without_markdown(text: str) -> str:
    """The same without the marks of headings, lists and quotes."""
    return "\n".join(_MARKDOWN.sub("", line.strip()) for line in text.splitlines())
