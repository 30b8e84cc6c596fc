"""Ren'Py scripts (`.rpy`): the lines that are said, the names of those who say them, and the ids that Ren'Py's voice files have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.common.files.untrusted_json import sanitise_long_text
from app.common.language import localize
from app.core.script import LineSettings
from app.core.text_encoding import decode_text
from app.interchange.import_limits import check_line_count
from app.interchange.imported_script import ImportedScript
from app.interchange.renpy_say import SayIds, SayStatement, parse_say
from app.interchange.renpy_statements import STRING_PATTERN, RenpyStatement, iterate_statements
from app.interchange.renpy_texts import convert_to_spoken, split_string
from app.interchange.script_builder import ImportedScriptBuilder

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
        elif (found := split_string(match["name"])) and not (said := convert_to_spoken(found[0])).has_variables:
            names[match[1]] = said.text
    return names


@dataclass(slots=True)
class _Menu:
    """A menu; `choice_indent` is the columns before what stands in it directly, None until the first of that."""

    indent: int
    choice_indent: int | None = None


class _ScriptWalk:
    """Takes the statements in order and knows the blocks that they stand in."""

    def __init__(self, gathered: ImportedScriptBuilder, names: dict[str, str]) -> None:
        self._gathered, self._names = gathered, _NARRATORS | names
        self._ids = SayIds()
        self._skipped: int | None = None  # columns of the statement whose block is skipped
        self._menus: list[_Menu] = []
        self._label = self._global_label = self._last_name = ""
        self._translation: tuple[int, str] | None = None  # columns and id of the block
        self._after_voice = False
        self._variables = 0

    def take_statement(self, statement: RenpyStatement) -> None:
        """Add the line of a statement, if it is said."""
        if not statement.text:
            self._gathered.losses.add_line(statement.number, *_BROKEN_LINES)
            return
        if self._skipped is not None and statement.indent > self._skipped:
            return
        self._skipped = None
        self._leave_blocks(statement.indent)
        in_menu = self._is_in_menu(statement.indent)
        if statement.text.endswith(":"):
            self._enter_block(statement, in_menu=in_menu)
            return
        say = parse_say(statement.text, in_menu=in_menu)
        if say is not None and in_menu and not say.head:
            self._gathered.losses.add_lines("メニューの見出し", "captions of menus")
        elif say is not None:
            self._add_say(say)
        elif call := _CALL_LABEL.match(statement.text):
            self._take_label(call[1])
        self._after_voice = _VOICE_STATEMENT.match(statement.text) is not None

    def _leave_blocks(self, indent: int) -> None:
        while self._menus and indent <= self._menus[-1].indent:
            self._menus.pop()
        if self._translation is not None and indent <= self._translation[0]:
            self._translation = None

    def _is_in_menu(self, indent: int) -> bool:
        """Return whether a statement at these columns stands in a menu directly, not behind a choice."""
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
            self._gathered.losses.add_lines("メニューの選択肢", "choices of menus")
        elif not _OPEN_BLOCK.match(text):
            self._skipped = indent

    def _take_label(self, label: str) -> None:
        if label.startswith("."):
            label = self._global_label + label
        elif label:
            self._global_label = label.split(".")[0]
        # Where a label begins with an underscore, ids keep the one before.
        if label and not label.startswith("_"):
            self._label = label

    def _add_say(self, say: SayStatement) -> None:
        name = self._find_name(say)
        for text in say.texts:
            line_id = self._find_id(say, text)
            spoken, has_variables = convert_to_spoken(text)
            spoken = sanitise_long_text(spoken)
            if spoken:
                self._variables += has_variables
                voice = self._gathered.name_voice(name, is_speaker=True) if name else ""
                self._gathered.add_line(spoken, LineSettings(voice=voice), line_id)

    def _find_name(self, say: SayStatement) -> str:
        if say.who != "extend":
            self._last_name = convert_to_spoken(say.name).text if say.name else self._names.get(say.who, say.who)
        return self._last_name

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
            self._gathered.losses.add_sentence(
                localize(
                    f"[name] のような変数は、書かれたとおりに残しました（{self._variables:,} 行）。",
                    f"Variables such as [name] were kept as they are written (lines: {self._variables:,}).",
                )
            )
        return self._gathered.build_script()
