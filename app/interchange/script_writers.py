"""The script as text, as VOICEVOX's text with who speaks each line, as scripts of games, and as a table with all settings that differ.

None of them says that square brackets are memos, so memos are written as notes.
"""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.common.errors import InputError
from app.common.files.whole_files import READABLE, save_bytes
from app.common.language import localize
from app.core.script.script import CAST_FIELDS, Line, LineSettings, Script
from app.core.synthesis_types import Overrides
from app.core.text.notation.explicit_notation import convert_memos_to_notes
from app.core.text.spreadsheet_cells import escape_formula
from app.interchange.dialogue_text import format_dialogue
from app.interchange.imported_script import NOT_SAVED, LossReport, NamedLine, is_made_id
from app.interchange.renpy_script import format_renpy_script, is_renpy_id
from app.interchange.script_tables import SETTING_BY_COLUMN
from app.interchange.yarn_script import format_yarn_script, is_yarn_id

NAMED_SUFFIXES = (".rpy", ".yarn")  # suffixes of scripts that name who speaks each line
WRITABLE_SCRIPT_SUFFIXES = (".txt", ".csv", ".tsv", *NAMED_SUFFIXES)
NameSpeaker = Callable[[LineSettings], tuple[str, str]]  # name of the speaker, and of the style, for people; both may be empty
_DEFAULT_LINE_SETTINGS = LineSettings()
_TABLE_SUFFIXES = (".csv", ".tsv")
_ID_CHECKS = {".rpy": is_renpy_id, ".yarn": is_yarn_id}  # whether a form can hold an id; one that was made here is no loss


def format_voicevox_text(script: Script, name_speaker: NameSpeaker) -> str:
    """Return a row `話者（スタイル）,テキスト` for each line; a line whose speaker has no name has only its text."""
    rows = []
    for line in script.lines:
        # VOICEVOX ends the name at the first comma.
        name, style = (label.replace(",", "，") for label in name_speaker(line.settings))
        speaker = f"{name}（{style}）," if name and style else f"{name}," if name else ""
        rows.append(f"{speaker}{_format_line_text(line)}\n")
    return "".join(rows)


def format_table(script: Script, separator: str = ",") -> str:
    """Return a header and a row for each line: id, text, voice, speaker, style, then what any line has: a character, settings that differ, a pause of its own."""
    settings = [line.settings for line in script.lines]
    columns = {
        field: name
        for field, name in _SETTING_BY_TABLE_COLUMN.items()
        if any(getattr(item, name) != getattr(_DEFAULT_LINE_SETTINGS, name) for item in settings)
    }
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\r\n")
    names = {character.id: character.name for character in script.cast}
    character = ("character",) if any(line.character for line in script.lines) else ()
    pause = ("pause_after",) if any(line.pause_after_s is not None for line in script.lines) else ()
    writer.writerow(("id", "text", *CAST_FIELDS, *character, *columns, *pause))
    for line in script.lines:
        values = (_format_cell(getattr(line.settings, name), getattr(_DEFAULT_LINE_SETTINGS, name)) for name in columns.values())
        character_cell = (names.get(line.character, ""),) if character else ()
        texts = (line.id, _format_line_text(line), *(getattr(line.settings, name) for name in CAST_FIELDS), *character_cell)
        pause_cell = (_format_cell(line.pause_after_s, None),) if pause else ()
        writer.writerow((*map(escape_formula, texts), *values, *pause_cell))
    return out.getvalue()


def format_named_script(script: Script, suffix: str, name_speaker: NameSpeaker | None = None) -> str:
    """Return the script in the form of a game engine or, of a `.txt`, as dialogue with styles behind the names.

    Lines without character, voice and speaker are narration; without `name_speaker`, speaker or voice name those without a character.
    """
    if suffix == ".txt":
        return format_dialogue(build_named_lines(script, name_speaker, has_styles=True))
    lines = build_named_lines(script, name_speaker)
    return format_renpy_script(lines) if suffix == ".rpy" else format_yarn_script(lines)


def build_named_lines(script: Script, name_speaker: NameSpeaker | None, *, has_styles: bool = False) -> list[NamedLine]:
    """Return the lines that have a text with who speaks them: their character, or else their speaker; with `has_styles` as `名前（スタイル）`."""
    lines, characters = [], {character.id: character.name for character in script.cast}
    for line in script.lines:
        settings, name, style = line.settings, characters.get(line.character, ""), ""
        if not name and (settings.voice or settings.speaker):
            name, style = name_speaker(settings) if name_speaker else (settings.speaker or settings.voice, settings.style)
        text = _format_line_text(line).strip()
        if text:
            lines.append(NamedLine(f"{name}（{style}）" if name and style and has_styles else name, text, line.id))
    return lines


def write_script(file: Path, script: Script, name_speaker: NameSpeaker | None = None, *, as_dialogue: bool = False) -> tuple[str, ...]:
    """Write a file by its suffix, at once; with `name_speaker`, a .txt names the speakers. Return a sentence for each loss.

    Raises InputError for a suffix of which nothing can be written, and OutputFileError.

    Args:
        as_dialogue: a .txt names them as `名前「台詞」`.
    """
    suffix = file.suffix.lower()
    if suffix in NAMED_SUFFIXES or (suffix == ".txt" and as_dialogue):
        content = format_named_script(script, suffix, name_speaker)
    elif suffix == ".txt":
        lines = "".join(f"{_format_line_text(line)}\n" for line in script.lines)
        content = lines if name_speaker is None else format_voicevox_text(script, name_speaker)
    elif suffix in WRITABLE_SCRIPT_SUFFIXES:
        # Spreadsheets read a table as UTF-8 only with the byte order mark.
        content = "\ufeff" + format_table(script, "," if suffix == ".csv" else "\t")
    else:
        raise InputError(
            localize(f"「{file.name}」の形式では書き出せません。", f"“{file.name}” is not a format that can be written."),
            localize("使用できる拡張子: ", "Available: ") + ", ".join((".koebako", *WRITABLE_SCRIPT_SUFFIXES)),
        )
    message = localize("台本を保存できません", "The script could not be saved")
    save_bytes(file, content.encode("utf-8", "replace"), message, READABLE)
    return _describe_losses(script, suffix)


def _describe_losses(script: Script, suffix: str) -> tuple[str, ...]:
    edited = sum(line.overrides != Overrides() for line in script.lines)
    losses = LossReport(NOT_SAVED)
    losses.add_lines("読み・アクセント・長さの調整", "edits of reading, accent and lengths", edited)
    if suffix in _ID_CHECKS:
        losses.add_lines("スタイル", "styles", sum(bool(line.settings.style) for line in script.lines))
        unfit = sum(not _ID_CHECKS[suffix](line.id) and not is_made_id(line.id) for line in script.lines)
        losses.add_lines("ID", "IDs", unfit)
    if suffix not in _TABLE_SUFFIXES:
        has_settings = (
            any(getattr(line.settings, name) != getattr(_DEFAULT_LINE_SETTINGS, name) for name in _SETTING_BY_TABLE_COLUMN.values())
            for line in script.lines
        )
        losses.add_lines("話し方の設定", "settings of the voice", sum(has_settings))
        losses.add_lines("次の行までの間", "pauses before the next line", sum(line.pause_after_s is not None for line in script.lines))
    return losses.build_sentences()


def _format_cell(value: Any, default: Any) -> str:
    if value == default:
        return ""
    if isinstance(value, tuple):
        value = " ".join(f"{mark}={seconds:.10g}" for mark, seconds in value)
    return str(escape_formula(value)) if isinstance(value, str) else f"{value:.10g}"


def _format_line_text(line: Line) -> str:
    text = convert_memos_to_notes(line.text) if line.settings.memos else line.text
    return " ".join(text.splitlines())


_SETTING_BY_TABLE_COLUMN = SETTING_BY_COLUMN | {"latin": "latin", "assist": "assist_text", "pause": "pauses", "seed": "seed"}
