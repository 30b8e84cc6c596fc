"""Yarn Spinner's scripts (`.yarn`): the lines of all nodes, the names before them and the ids of their `#line:` tags; and a script as one."""

import re
from collections.abc import Iterator, Sequence

from app.common.files.untrusted_json import MAX_SHORT_TEXT_CHARS, sanitise_long_text
from app.common.language import localize
from app.core.text.text_lines import decode_text
from app.interchange.imported_script import ImportedScript, ImportedScriptBuilder, NamedLine, check_line_count

ID_PREFIX = "line:"
_NODE_START, _NODE_END = "---", "==="
# Possessive or bounded throughout, so that a line takes no longer than its length.
_PART = re.compile(
    r"\\(?P<escaped>.)|(?P<end>//.*|<<.*)|#(?P<tag>[^\s#]+)|(?P<expression>\{[^{}]{0,500}\})"
    r"|\[(?P<literal>/?nomarkup)\]|(?P<markup>\[[^\[\]]{1,500}\])|(?P<colon>:)|(?P<text>[^\\/<#{\[:]++|.)"
)
_CHARACTER_TAG = re.compile(r"\[character\s+name\s*=\s*+\"?([^\"\]]{1,80})\"?\s*+\]")
_CHOSEN_WORDS = re.compile(r"\[(?:select|plural|ordinal)\b")  # markup that stands for words which the game chooses
_ESCAPED = re.compile(r"[\\\[\]{}#]|<<|//|^(?:->|=>|---|===)")
_VARIABLE = re.compile(r"\{\$\w{1,100}\}")
_TAG_ID = re.compile(r"[^\s#\\]+")


def read_yarn_script(name: str, data: bytes) -> ImportedScript:
    """Read the lines of all nodes; raise InputError if there are none."""
    text = decode_text(name, data)
    check_line_count(name, text.count("\n"))
    builder = ImportedScriptBuilder(name)
    expressions = 0
    for content in _iterate_content(text.splitlines()):
        if content.startswith(("->", "[[")):
            builder.losses.add_lines("選択肢", "options")
            continue
        line, has_expressions = parse_line(content.removeprefix("=>"))
        expressions += builder.add_named_line(line) and has_expressions
    if expressions:
        builder.losses.add_sentence(
            localize(
                f"{{$name}} のような式は、書かれたとおりに残しました（{expressions:,} 行）。",
                f"Expressions such as {{$name}} were kept as they are written (lines: {expressions:,}).",
            )
        )
    return builder.build_script()


def _iterate_content(lines: Sequence[str]) -> Iterator[str]:
    """Yield the content of the bodies of nodes, without commands and comments; a file without nodes is one body."""
    stripped = [line.strip() for line in lines]
    in_body = _NODE_START not in stripped
    for line in stripped:
        if line == _NODE_START:
            in_body = True
        elif line == _NODE_END:
            in_body = False
        elif in_body and line and not line.startswith(("//", "<<")):
            yield line


def parse_line(content: str) -> tuple[NamedLine, bool]:
    """Return a line without markup, and whether it has expressions, which stay as they are written."""
    tag = _CHARACTER_TAG.search(content) if "[character" in content else None
    name, line_id = tag[1].strip() if tag else "", ""
    pieces: list[str] = []
    has_expressions = is_literal = False
    may_name = not name
    for token in _PART.finditer(content):
        kind = token.lastgroup or ""
        value = token[kind]
        if kind == "end":
            break
        if kind == "tag":
            line_id = value if value.startswith(ID_PREFIX) else line_id
        elif kind == "literal":
            is_literal = value == "nomarkup"
        elif kind == "markup" and not is_literal:
            has_expressions |= _CHOSEN_WORDS.match(value) is not None
        elif kind == "colon" and may_name and len(name_before := "".join(pieces).strip()) <= MAX_SHORT_TEXT_CHARS:
            # Yarn takes the text before the first colon as a name.
            name, may_name, pieces = name_before, False, []
        else:
            may_name &= kind != "colon"
            has_expressions |= kind == "expression"
            pieces.append(value)
    return NamedLine(name, sanitise_long_text("".join(pieces)), line_id), has_expressions


def format_yarn_script(lines: Sequence[NamedLine]) -> str:
    """Return a node with all lines, their names and, where Yarn can hold it, their ids."""
    rows = "".join(f"{_format_line(line)}\n" for line in lines)
    return f"title: Koebako\n{_NODE_START}\n{rows}{_NODE_END}\n"


def is_yarn_id(line_id: str) -> bool:
    """Return whether a tag can hold this id."""
    return _TAG_ID.fullmatch(line_id) is not None


def _format_line(line: NamedLine) -> str:
    name = f"{_escape_name(line.name)}: " if line.name else ""
    text = _escape_text(line.text) if line.name else _escape_name(line.text)
    tag = f" #{ID_PREFIX}{line.id.removeprefix(ID_PREFIX)}" if is_yarn_id(line.id) else ""
    return f"{name}{text}{tag}"


def _escape_name(text: str) -> str:
    """Return a text whose colons end no name."""
    return _escape_text(text).replace(":", "\\:")


def _escape_text(text: str) -> str:
    """Return a text that Yarn shows as it is, with variables still variables."""
    pieces, at = [], 0
    for variable in _VARIABLE.finditer(text):
        pieces += [_ESCAPED.sub(_escape_sign, text[at : variable.start()]), variable[0]]
        at = variable.end()
    return "".join((*pieces, _ESCAPED.sub(_escape_sign, text[at:])))


def _escape_sign(match: re.Match[str]) -> str:
    return "".join(f"\\{sign}" for sign in match[0]) if match[0] in ("//", "<<") else f"\\{match[0]}"
