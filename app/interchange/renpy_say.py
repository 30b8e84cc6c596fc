"""Say statements of Ren'Py, taken apart, and the ids that Ren'Py computes for them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from app.interchange.renpy_statements import STRING_PATTERN
from app.interchange.renpy_texts import encode_string, split_string

_STRING = rf"[ru]?(?:{STRING_PATTERN})"
_WORD = r"(?![ru]{1,2}[\"'`])[^\W\d][\w.]*+"
_ATTRIBUTES = r"(?:\s*+(?:@|-?[\w-]++(?![\w\"'`.(\[])))*+"
_SAY = re.compile(
    rf"(?:(?P<who>{_WORD})(?P<attributes>{_ATTRIBUTES})\s*|(?P<name>{_STRING})\s*(?={_STRING}))?(?P<what>{_STRING})", re.DOTALL
)
_CLAUSES = re.compile(r"\s*(?:nointeract\b|id\s+(?P<id>\w+)|with\s+(?P<with>[\w.]+)|(?P<arguments>\(.*\)))", re.DOTALL)
# Ren'Py's own words: a statement that begins with one is not said by anybody.
_STATEMENT_WORDS = re.compile(
    r"(?:as|at|behind|call|camera|default|define|elif|else|expression|for|hide|if|image|import|in|init|jump|label|layeredimage|menu|new|nvl|old"
    r"|onlayer|pass|pause|play|python|queue|return|rpy|scene|screen|show|stop|style|testcase|transform|translate|voice|while|window|with|zorder)"
)


@dataclass(frozen=True, slots=True)
class SayStatement:
    """The texts that somebody says.

    Attributes:
        who: the word before the string, such as `e`; empty for the narrator and with a name.
        name: the name before the string, without quotation marks.
        texts: what is said, with text tags; several of a triple-quoted string.
        line_id: the id that the script itself gives.
        head: speaker and attributes as they are written; `tail`: what stands behind the string, or None where Ren'Py's form of it is not known.
    """

    who: str
    name: str
    texts: tuple[str, ...]
    line_id: str
    head: str
    tail: str | None


def parse_say(statement: str, *, in_menu: bool = False) -> SayStatement | None:
    """Return the say statement, or None for another one; `in_menu` says that it is said while choices are shown."""
    match = _SAY.match(statement)
    if match is None or _STATEMENT_WORDS.fullmatch(match["who"] or ""):
        return None
    given, tail, at = "", ["nointeract"] if in_menu else [], match.end()
    is_known = True
    while clause := _CLAUSES.match(statement, at):
        given = clause["id"] or given
        is_known &= clause["arguments"] is None
        if clause["id"] is None and clause["arguments"] is None:
            tail.append(" ".join(clause[0].split()))
        at = clause.end()
    if statement[at:].strip():
        return None
    attributes = (match["attributes"] or "").replace("@", " @ ").split()
    name = split_string(match["name"]) if match["name"] else []
    return SayStatement(
        who=match["who"] or "",
        name=name[0] if name else "",
        texts=tuple(split_string(match["what"])),
        line_id=given,
        head=" ".join((match["who"], *attributes)) if match["who"] else match["name"] or "",
        tail=" ".join(sorted(tail, key=lambda part: part != "nointeract")) if is_known else None,
    )


class SayIds:
    """Computes the ids of say statements, which Ren'Py makes of the label and of what is said, counting equal ones."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def compute_id(self, label: str, say: SayStatement, text: str) -> str:
        """Return the id of a text of the statement; empty where Ren'Py's form of the statement is not known."""
        if say.tail is None or "\\" in say.head:
            return ""
        code = " ".join(part for part in (say.head, encode_string(text), say.tail) if part)
        digest = hashlib.md5(f"{code}\r\n".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:8]
        base = f"{label.replace('.', '_')}_{digest}" if label else digest
        count = self._taken.get(base, 0)
        self._taken[base] = count + 1
        return f"{base}_{count}" if count else base
