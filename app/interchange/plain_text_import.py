"""Plain text, a line each; VOICEVOX's text, whose lines begin with who speaks them: `キャラ（スタイル）,テキスト`; and dialogue: `名前「台詞」`."""

from __future__ import annotations

import re

from app.common.files.untrusted_json import sanitise_long_text
from app.core.script.script import LineSettings
from app.core.text.text_encoding import decode_text
from app.core.text.text_lines import MAX_NAME_CHARACTERS, split_lines, strip_markdown
from app.interchange.dialogue_text import parse_dialogue
from app.interchange.import_limits import check_line_count
from app.interchange.imported_script import ImportedScript
from app.interchange.named_lines import NamedLine
from app.interchange.script_builder import ImportedScriptBuilder

_STYLED_LINE = re.compile(r"([^,、。（）()]{1,80}（[^（）,]{1,80}）),(.*)")
_NAMED_LINE = re.compile(rf"([^,、。！？!?（）()\s]{{1,{MAX_NAME_CHARACTERS}}}),(.*)")


def read_plain_text(name: str, suffix: str, data: bytes) -> ImportedScript:
    """Read plain text; raise InputError if there is none."""
    text = decode_text(name, data)
    lines = split_lines(strip_markdown(text) if suffix == ".md" else text)
    check_line_count(name, len(lines))
    gathered = ImportedScriptBuilder(name)
    for line in _split_voicevox_text(lines) or parse_dialogue(lines) or [NamedLine("", line) for line in lines]:
        text = sanitise_long_text(line.text)
        gathered.add_line(text, LineSettings(voice=gathered.name_voice(line.name, is_speaker=True) if text and line.name else ""))
    return gathered.build_script()


def _split_voicevox_text(lines: list[str]) -> list[NamedLine]:
    """Return who speaks what, or nothing where no line begins with a name and a comma."""
    has_names = _has_names(lines)
    matches = [_STYLED_LINE.fullmatch(line) or (_NAMED_LINE.fullmatch(line) if has_names else None) for line in lines]
    return (
        [NamedLine(match[1], match[2]) if match else NamedLine("", line) for match, line in zip(matches, lines, strict=True)]
        if any(matches)
        else []
    )


def _has_names(lines: list[str]) -> bool:
    """Return whether every line begins with a short name and a comma, and names recur: prose does not."""
    names = [match[1] for line in lines if (match := _STYLED_LINE.fullmatch(line) or _NAMED_LINE.fullmatch(line))]
    return len(names) == len(lines) > 1 and 2 * len(set(names)) <= len(names)
