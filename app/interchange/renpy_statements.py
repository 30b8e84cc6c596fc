"""A Ren'Py script as statements: physical lines that belong together, without comments; what is said of their strings, and a text as such a string."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from app.common.errors import InputError
from app.common.language import localize

MAX_STATEMENT_CHARS = 65_536  # ren'Py itself refuses longer ones
MAX_BROKEN_STATEMENTS = 100  # a file of more is no script; each costs up to `MAX_STATEMENT_CHARS` of reading
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

_RUBY_BASE, _RUBY_READING = "[^{}|｜\n]{1,100}", "[^{}|｜\n]{1,200}"  # ruby of one word; what is longer is no ruby here either
_ESCAPE = re.compile(r"\\(u([0-9a-fA-F]{1,4})|.)", re.DOTALL)
_DOUBLED = {"{": "{{", "[": "[[", "%": "%%", "n": "\n"}
_SPACES = re.compile(r"[ \n]+")
_LINE_BREAKS = re.compile(r"(?<! ) *\n *")
_MARK = re.compile(
    rf"\{{rb\}}(?P<base>{_RUBY_BASE})\{{/rb\}}\{{rt\}}(?P<reading>{_RUBY_READING})\{{/rt\}}"
    rf"|【(?P<base2>[^{{}}【】|｜\n]{{1,100}})[|｜](?P<reading2>[^{{}}【】|｜\n]{{1,200}})】"
    rf"|\{{rt\}}(?P<over>{_RUBY_READING})\{{/rt\}}"
    r"|\{(?P<unsaid>art|alt)(?:=[^{}]{0,200})?\}[^{}]{0,2000}\{/(?P=unsaid)\}"
    r"|(?P<doubled>\{\{|\[\[|%%|【【)"
    r"|(?P<tag>\{[^{}\n]{0,500}\})"
    r"|(?P<variable>\[[^\[\]\n]{1,200}\])"
)
_RUBY = re.compile(rf"\{{({_RUBY_BASE})[|｜]({_RUBY_READING})\}}|([{{%【])|(\[[A-Za-z_][\w.]*\])|(\[)")


@dataclass(frozen=True, slots=True)
class RenpyStatement:
    """A statement; `number` is its first line in the file, from 1, and `indent` the columns before it."""

    number: int
    indent: int
    text: str


def iterate_statements(name: str, text: str) -> Iterator[RenpyStatement]:
    """Yield the statements that have any text; only the first line of a broken one is lost, and becomes one with an empty text.

    A string or bracket that is not closed within `MAX_STATEMENT_CHARS` is broken. Raise InputError if more than `MAX_BROKEN_STATEMENTS` are.
    """
    text = _LINE_END.sub("\n", text) + "\n"
    at, number, broken = 0, 1, 0
    while at < len(text):
        line_end = text.index("\n", at) + 1
        statement_end = _find_statement(text, at)
        if statement_end is None:
            broken += 1
            if broken > MAX_BROKEN_STATEMENTS:
                raise InputError(
                    localize(f"「{name}」は Ren'Py の台本として読み込めません。", f"“{name}” cannot be read as a Ren'Py script."),
                    localize(
                        f"閉じていない引用符や括弧が {MAX_BROKEN_STATEMENTS} か所より多くあります。ファイルを確認してください。",
                        f"More than {MAX_BROKEN_STATEMENTS} quotation marks or brackets are not closed. Check the file.",
                    ),
                )
            yield RenpyStatement(number, 0, "")
            end = line_end
        else:
            statement, end = statement_end
            if statement:
                indent = _INDENT.match(text, at)
                yield RenpyStatement(number, len(indent[0].expandtabs(_TAB_COLUMNS)) if indent else 0, statement)
        number += text.count("\n", at, end)
        at = end


def _find_statement(text: str, start: int) -> tuple[str, int] | None:
    """Return the statement that begins here and where the next one does, or None if it does not end."""
    last, depth, at = min(len(text), start + MAX_STATEMENT_CHARS), 0, start
    pieces: list[str] = []
    while token := _PART.match(text, at, last):
        at, kind = token.end(), token.lastgroup
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
        pieces.append("" if kind == "comment" else " " if kind in ("joined", "end") else token[0])
    return None


class RenpyText(NamedTuple):
    """A text as it is said, and whether it holds variables as they are written."""

    text: str
    has_variables: bool


def split_string(literal: str) -> list[str]:
    """Return the texts of a string with its quotation marks: several where a triple-quoted one has empty lines."""
    is_raw, literal = literal[0] == "r", literal.lstrip("ru")
    is_triple = len(literal) >= 6 and literal[:3] in ('"""', "'''", "```")
    content = literal[3:-3] if is_triple else literal[1:-1]
    if is_raw:
        return [content]
    pieces = _LINE_BREAKS.sub("\n", content).split("\n\n") if is_triple else [content]
    return [_ESCAPE.sub(_unescape_sign, _SPACES.sub(" ", piece.strip() if is_triple else piece)) for piece in pieces if piece.strip()]


def _unescape_sign(match: re.Match[str]) -> str:
    return chr(int(match[2], 16)) if match[2] else _DOUBLED.get(match[1], match[1])


def encode_string(text: str) -> str:
    """Return a text of a string, as `split_string` returns it, in quotation marks: the form that Ren'Py computes ids of."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return '"' + re.sub("(?<= ) ", "\\\\ ", escaped) + '"'


def convert_to_spoken(text: str) -> RenpyText:
    """Return what is said of a string's text: without text tags, with ruby in our notation, and with variables as they are written."""
    has_variables = False

    def replace_mark(match: re.Match[str]) -> str:
        nonlocal has_variables
        if base := match["base"] or match["base2"]:
            return f"{{{base}|{match['reading'] or match['reading2']}}}"
        if match["over"]:
            return f"《{match['over']}》"
        if match["doubled"]:
            return match["doubled"][0]
        if match["variable"]:
            has_variables = True
            return match["variable"]
        return "\n" if match["tag"] == "{p}" else ""

    spoken = _MARK.sub(replace_mark, text)
    return RenpyText(" ".join(piece for line in spoken.split("\n") if (piece := line.strip())), has_variables)


def convert_from_spoken(text: str, *, has_variables: bool = True) -> str:
    """Return a line's text as the text of a string: with ruby as text tags, and with nothing else that Ren'Py would take for one.

    Args:
        has_variables: what looks like a variable is one.
    """

    def replace_sign(match: re.Match[str]) -> str:
        base, reading, doubled, variable, bracket = match.groups()
        if base:
            return f"{{rb}}{base}{{/rb}}{{rt}}{reading}{{/rt}}"
        if variable:
            return str(variable) if has_variables else f"[{variable}"
        return 2 * str(doubled or bracket)

    return _RUBY.sub(replace_sign, text)
