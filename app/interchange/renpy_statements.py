"""A Ren'Py script as statements: physical lines that belong together, without comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.common.errors import InputError
from app.common.language import localize

# Ren'Py itself refuses longer ones.
MAX_STATEMENT_CHARS = 65_536
# A file of more is no script; each costs up to `MAX_STATEMENT_CHARS` of reading.
MAX_BROKEN_STATEMENTS = 100
MAX_OPEN_BRACKETS = 200
STRING_PATTERN = (
    r'"""(?:[^\\"]|\\.|"(?!""))*+"""'
    r"|'''(?:[^\\']|\\.|'(?!''))*+'''"
    r"|```(?:[^\\`]|\\.|`(?!``))*+```"
    r'|"(?:[^\\"]|\\.)*+"'
    r"|'(?:[^\\']|\\.)*+'"
    r"|`(?:[^\\`]|\\.)*+`"
)
"""A whole string in any of Ren'Py's quotation marks, without its prefix."""

_PART = re.compile(
    rf"(?P<string>{STRING_PATTERN})|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<comment>#[^\n]*)"
    r"|(?P<joined>\\\n)|(?P<end>\n)|(?P<broken>[\"'`])|[^\"'`()\[\]{}#\\\n]++|\\",
    re.DOTALL,
)
_LINE_END = re.compile(r"\r\n?")
_INDENT = re.compile(r"[ \t]*")
_TAB_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class RenpyStatement:
    """A statement; `number` is its first line in the file, from 1, and `indent` the columns before it."""

    number: int
    indent: int
    text: str


def iterate_statements(name: str, text: str) -> Iterator[RenpyStatement]:
    """Yield the statements that have any text; of a broken one, its first line costs itself and has an empty text.

    A string or bracket that is not closed within `MAX_STATEMENT_CHARS` is broken. Raise InputError if more than `MAX_BROKEN_STATEMENTS` are.
    """
    text = _LINE_END.sub("\n", text) + "\n"
    at, number, broken = 0, 1, 0
    while at < len(text):
        line_end = text.index("\n", at) + 1
        found = _find_statement(text, at)
        if found is None:
            broken += 1
            if broken > MAX_BROKEN_STATEMENTS:
                raise _build_broken_error(name)
            yield RenpyStatement(number, 0, "")
            end = line_end
        else:
            statement, end = found
            if statement:
                yield RenpyStatement(number, _measure_indent(text, at), statement)
        number += text.count("\n", at, end)
        at = end


def _find_statement(text: str, start: int) -> tuple[str, int] | None:
    """Return the statement that begins here and where the next one does, or None if it does not end."""
    last, depth, at = min(len(text), start + MAX_STATEMENT_CHARS), 0, start
    pieces: list[str] = []
    while part := _PART.match(text, at, last):
        at, kind = part.end(), part.lastgroup
        if kind == "broken":
            return None
        if kind == "end" and depth <= 0:
            return "".join(pieces).strip(), at
        if kind == "open":
            depth += 1
            if depth > MAX_OPEN_BRACKETS:
                return None
        elif kind == "close":
            depth -= 1
        pieces.append("" if kind == "comment" else " " if kind in ("joined", "end") else part[0])
    return None


def _measure_indent(text: str, start: int) -> int:
    indent = _INDENT.match(text, start)
    return len(indent[0].expandtabs(_TAB_COLUMNS)) if indent else 0


def _build_broken_error(name: str) -> InputError:
    return InputError(
        localize(f"「{name}」は Ren'Py の台本として読み込めません。", f"“{name}” cannot be read as a Ren'Py script."),
        localize(
            f"閉じていない引用符や括弧が {MAX_BROKEN_STATEMENTS} か所より多くあります。ファイルを確認してください。",
            f"More than {MAX_BROKEN_STATEMENTS} quotation marks or brackets are not closed. Check the file.",
        ),
    )
