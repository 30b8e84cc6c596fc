"""Ren'Py scripts (`.rpy`): the lines that are said, the names of those who say them, and the ids that Ren'Py's voice files have.

A say statement is taken apart, and gets the id that Ren'Py computes for it. Our scripts become such statements, with one character a name.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.common.language import localize
from app.core.text.text_lines import decode_text
from app.interchange.imported_script import ImportedScript, ImportedScriptBuilder, NamedLine, check_line_count, is_made_id
from app.interchange.renpy_statements import (
    STRING_PATTERN,
    RenpyStatement,
    convert_from_spoken,
    convert_to_spoken,
    encode_string,
    iterate_statements,
    split_string,
)

_DEFINITION = re.compile(
    r"(?:define\s+(?:-?\d+\s+)?|default\s+|\$\s*)?([^\W\d][\w.]*)\s*=\s*(?:[\w.]*\.)?(?:ADV|NVL)?Character\s*\(\s*"
    rf"(?:name\s*=\s*)?(?:_\s*\(\s*)?(?:(?P<name>[ru]?(?:{STRING_PATTERN}))|(?P<none>None\b|\w+\s*=|\)))",
    re.DOTALL,
)
_LABEL = re.compile(r"label\s+([\w.]+)([^:]*)")
_TRANSLATION = re.compile(r"translate\s+\w+\s+(\w+)\s*:")
# Blocks whose statements run as those around them do; other blocks hold code, screens and images.
_OPEN_BLOCK = re.compile(r"(?:if|elif|else|while|for|init)\b(?!\s*(?:-?\d+\s+)?python\b)")
_MENU = re.compile(r"menu\b\s*([\w.]*)")
_CALL_LABEL = re.compile(r"call\b.*\sfrom\s+([\w.]+)")
_TEXT = re.compile(r"[ru]?[\"'`]")
_OTHER_TRANSLATIONS = ("strings", "python", "style")
_BROKEN_LINES = ("引用符や括弧が閉じていない行", "lines whose quotation marks or brackets are not closed")
_NARRATORS = {"narrator": "", "centered": "", "vcentered": ""}
# Ren'Py makes one id of it and of what is said behind it, in a form that is not known here.
_VOICE_STATEMENT = re.compile(r"(?:voice|nvl)\b")

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

_WRITTEN_LABEL = "koebako"
_WRITABLE_ID = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_renpy_script(name: str, data: bytes) -> ImportedScript:
    """Read the lines of a Ren'Py script or translation; raise InputError if there are none."""
    text = decode_text(name, data)
    check_line_count(name, text.count("\n"))
    statements = list(iterate_statements(name, text))
    walk = _ScriptWalk(ImportedScriptBuilder(name), _find_names(statements))
    for statement in statements:
        walk.take_statement(statement)
    return walk.build_script()


def _find_names(statements: list[RenpyStatement]) -> dict[str, str]:
    """Return the names of characters by their variables; empty for narrators, and none for names that the game computes."""
    names: dict[str, str] = {}
    for statement in statements:
        if "Character" not in statement.text or (match := _DEFINITION.match(statement.text)) is None:
            continue
        if match["none"]:
            names[match[1]] = ""
        elif (texts := split_string(match["name"])) and not (spoken := convert_to_spoken(texts[0])).has_variables:
            names[match[1]] = spoken.text
    return names


@dataclass(slots=True)
class _Menu:
    """A menu; `choice_indent` is the columns before the statements directly in it, None until the first."""

    indent: int
    choice_indent: int | None = None


@dataclass(frozen=True, slots=True)
class SayStatement:
    """The texts that somebody says."""

    who: str  # the word before the string, such as `e`; empty for the narrator and with a name
    name: str
    texts: tuple[str, ...]  # with text tags; several of a triple-quoted string
    line_id: str  # that the script itself gives
    # Speaker and attributes as they are written; `tail`: what follows the string, or None where Ren'Py's form of it is not known.
    head: str
    tail: str | None


def parse_say(statement: str, *, in_menu: bool = False) -> SayStatement | None:
    """Return the say statement, or None for another one; `in_menu` says that it is said while choices are shown."""
    match = _SAY.match(statement)
    if match is None or _STATEMENT_WORDS.fullmatch(match["who"] or ""):
        return None
    line_id, tail, at = "", ["nointeract"] if in_menu else [], match.end()
    is_known = True
    while clause := _CLAUSES.match(statement, at):
        line_id = clause["id"] or line_id
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
        line_id=line_id,
        head=" ".join((match["who"], *attributes)) if match["who"] else match["name"] or "",
        tail=" ".join(sorted(tail, key=lambda part: part != "nointeract")) if is_known else None,
    )


class SayIds:
    """Computes the ids of say statements, which Ren'Py makes of the label and of what is said, counting equal ones."""

    def __init__(self) -> None:
        self._id_counts: dict[str, int] = {}

    def compute_id(self, label: str, say: SayStatement, text: str) -> str:
        """Return the id of a text of the statement; empty where Ren'Py's form of the statement is not known."""
        if say.tail is None or "\\" in say.head:
            return ""
        code = " ".join(code_part for code_part in (say.head, encode_string(text), say.tail) if code_part)
        digest = hashlib.md5(f"{code}\r\n".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:8]
        base = f"{label.replace('.', '_')}_{digest}" if label else digest
        count = self._id_counts.get(base, 0)
        self._id_counts[base] = count + 1
        return f"{base}_{count}" if count else base


class _ScriptWalk:
    """Takes the statements in order and knows the blocks that they are in."""

    def __init__(self, builder: ImportedScriptBuilder, names: dict[str, str]) -> None:
        self._builder, self._names = builder, _NARRATORS | names
        self._ids = SayIds()
        self._skipped_indent: int | None = None  # columns of the statement whose block is skipped
        self._menus: list[_Menu] = []
        self._label = self._global_label = self._last_name = ""
        self._translation: tuple[int, str] | None = None  # columns and id of the block
        self._after_voice = False
        self._variables = 0

    def take_statement(self, statement: RenpyStatement) -> None:
        """Add the line of a statement, if it is said."""
        if not statement.text:
            self._builder.losses.add_line(statement.number, *_BROKEN_LINES)
            return
        if self._skipped_indent is not None and statement.indent > self._skipped_indent:
            return
        self._skipped_indent = None
        while self._menus and statement.indent <= self._menus[-1].indent:
            self._menus.pop()
        if self._translation is not None and statement.indent <= self._translation[0]:
            self._translation = None
        in_menu = self._is_in_menu(statement.indent)
        if statement.text.endswith(":"):
            self._enter_block(statement, in_menu=in_menu)
            return
        say = parse_say(statement.text, in_menu=in_menu)
        if say is not None and in_menu and not say.head:
            self._builder.losses.add_lines("メニューの見出し", "captions of menus")
        elif say is not None:
            self._add_say(say)
        elif call := _CALL_LABEL.match(statement.text):
            self._take_label(call[1])
        self._after_voice = _VOICE_STATEMENT.match(statement.text) is not None

    def _is_in_menu(self, indent: int) -> bool:
        """Return whether a statement at these columns is directly in a menu, not under a choice."""
        if not self._menus:
            return False
        menu = self._menus[-1]
        if menu.choice_indent is None:
            menu.choice_indent = indent
        return indent == menu.choice_indent

    def _enter_block(self, statement: RenpyStatement, *, in_menu: bool) -> None:
        """Remember of which kind a block is whose first statement this is."""
        text, indent = statement.text, statement.indent
        if label := _LABEL.match(text):
            # Ren'Py makes no ids of hidden labels.
            self._take_label("" if "hide" in label[2].split() else label[1])
        elif (translation := _TRANSLATION.fullmatch(text)) and translation[1] not in _OTHER_TRANSLATIONS:
            self._translation = (indent, translation[1])
        elif menu := _MENU.match(text):
            self._menus.append(_Menu(indent))
            self._take_label(menu[1])
        elif in_menu and _TEXT.match(text):
            self._builder.losses.add_lines("メニューの選択肢", "choices of menus")
        elif not _OPEN_BLOCK.match(text):
            self._skipped_indent = indent

    def _take_label(self, label: str) -> None:
        if label.startswith("."):
            label = self._global_label + label
        elif label:
            self._global_label = label.split(".")[0]
        # Where a label begins with an underscore, ids keep the one before.
        if label and not label.startswith("_"):
            self._label = label

    def _add_say(self, say: SayStatement) -> None:
        if say.who != "extend":
            self._last_name = convert_to_spoken(say.name).text if say.name else self._names.get(say.who, say.who)
        for text in say.texts:
            line_id = self._find_id(say, text)
            spoken, has_variables = convert_to_spoken(text)
            self._variables += self._builder.add_named_line(NamedLine(self._last_name, spoken, line_id)) and has_variables

    def _find_id(self, say: SayStatement, text: str) -> str:
        """Return the id that the script gives or that Ren'Py computes; each id once."""
        if self._translation is not None:
            indent, line_id = self._translation
            self._translation = (indent, "")
            return line_id
        computed = "" if self._after_voice else self._ids.compute_id(self._label, say, text)
        return say.line_id or computed

    def build_script(self) -> ImportedScript:
        """Return the whole script; raise InputError if it has no line."""
        if self._variables:
            self._builder.losses.add_sentence(
                localize(
                    f"[name] のような変数は、書かれたとおりに残しました（{self._variables:,} 行）。",
                    f"Variables such as [name] were kept as they are written (lines: {self._variables:,}).",
                )
            )
        return self._builder.build_script()


def format_renpy_script(lines: Sequence[NamedLine]) -> str:
    """Return definitions of all characters, and a say statement for each line, with its id where Ren'Py can hold it."""
    names = dict.fromkeys(line.name for line in lines if line.name)
    variables = {name: f"c{number}" for number, name in enumerate(names, 1)}
    definitions = [
        f"define {variable} = Character({encode_string(convert_from_spoken(name, has_variables=False))})\n"
        for name, variable in variables.items()
    ]
    statements = []
    for line in lines:
        say_parts = (
            variables.get(line.name, ""),
            encode_string(convert_from_spoken(line.text)),
            f"id {line.id}" if is_renpy_id(line.id) else "",
        )
        statements.append(f"    {' '.join(filter(None, say_parts))}\n")
    return "".join((*definitions, "\n" if definitions else "", f"label {_WRITTEN_LABEL}:\n", *statements, "    return\n"))


def is_renpy_id(line_id: str) -> bool:
    """Return whether a say statement can hold this id; without one, Ren'Py makes its own."""
    return _WRITABLE_ID.fullmatch(line_id) is not None and not is_made_id(line_id)
