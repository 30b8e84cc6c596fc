"""Texts of Ren'Py: what is said of a string with escapes, text tags, ruby and variables, and a text as such a string."""

from __future__ import annotations

import re
from typing import NamedTuple

# Ruby of one word; what is longer is no ruby here either.
_RUBY_BASE, _RUBY_READING = "[^{}|｜\n]{1,100}", "[^{}|｜\n]{1,200}"
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


class RenpyText(NamedTuple):
    """A text as it is said, and whether variables stand in it as they are written."""

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

    said = _MARK.sub(replace_mark, text)
    return RenpyText(" ".join(piece for line in said.split("\n") if (piece := line.strip())), has_variables)


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
