"""Text from elsewhere as lines: pasted text, and the content of text files."""

from __future__ import annotations

import re
import unicodedata

from app.core.text.notation.explicit_notation import parse_noted_text

TEXT_SUFFIXES = (".txt", ".csv", ".md")
# Laying out a line with more characters would freeze the window.
MAX_LINE_CHARACTERS = 2_000
# Characters of a speaker's name; a longer first column is text.
MAX_NAME_CHARACTERS = 24
# A long line is cut after a sentence if it can be, else at a comma or space.
_PREFERRED_CUTS = ("。．！？!?…」』", "、，,；; 　")
_MARKDOWN_MARKS = re.compile(r"^(?:#{1,6}\s+|[-*+]\s+|>\s*|\d+[.)]\s+)+|^(?:-{3,}|\*{3,}|={3,}|```.*)$")


def split_lines(text: str) -> list[str]:
    """Return the lines that are not empty, without the space and the byte order marks around them."""
    return [stripped for line in text.splitlines() if (stripped := line.strip("\ufeff").strip())]


def cut_line(line: str, *, memos: bool = False) -> list[str]:
    """Split a line into pieces of at most `MAX_LINE_CHARACTERS` characters: after a sentence, else after a comma or space, else anywhere.

    Notation that is short enough stays whole; `memos` as `app.core.text.notation.explicit_notation.parse_noted_text` has them.
    """
    if len(line) <= MAX_LINE_CHARACTERS:
        return [line]
    pieces = []
    while len(line) > MAX_LINE_CHARACTERS:
        end = _find_cut(line)
        end = parse_noted_text(line[: 2 * MAX_LINE_CHARACTERS], memos=memos).find_notation(end)[0] or end
        pieces.append(line[:end].rstrip())
        line = line[end:].lstrip()
    return [piece for piece in (*pieces, line) if piece] or [line]


def _find_cut(line: str) -> int:
    for marks in _PREFERRED_CUTS:
        end = max(line.rfind(mark, MAX_LINE_CHARACTERS // 2, MAX_LINE_CHARACTERS) for mark in marks) + 1
        if end:
            return end
    # A cut before a combining mark would tear it from its letter.
    whole = range(MAX_LINE_CHARACTERS, MAX_LINE_CHARACTERS // 2, -1)
    return next(
        (end for end in whole if not unicodedata.combining(line[end]) and line[end] not in "\u200d\ufe0e\ufe0f"), MAX_LINE_CHARACTERS
    )


def strip_markdown(text: str) -> str:
    """Return the text without the marks of headings, lists and quotes."""
    return "\n".join(_MARKDOWN_MARKS.sub("", line.strip()) for line in text.splitlines())
