"""Makes a project file displayable: its lines are cut, cleaned and counted like pasted text."""

from __future__ import annotations

from dataclasses import replace

from app.common.errors import InputError
from app.common.files.untrusted_json import DISTURBING_CHARS, sanitise_short_text
from app.common.language import localize
from app.core.script.project import Project
from app.core.script.script import Character, Line, LineSettings, Script, create_line_id, cut_long_line, replace_text
from app.core.text.text_lines import MAX_LINE_CHARACTERS

MAX_SCRIPT_LINES = 100_000


def sanitise_project(project: Project) -> Project:
    """Return the project with everything in it as we write it. Raises InputError for more lines than a script holds."""
    # Qt turns what is no text into other text, and the lines of a character are found by its id.
    ids = {one.id: create_line_id() for one in project.script.cast if one.id != sanitise_short_text(one.id)}
    cast = tuple(_sanitise_character(one, ids.get(one.id, one.id)) for one in project.script.cast)
    named = (replace(line, character=ids[line.character]) if line.character in ids else line for line in project.script.lines)
    lines = [piece for line in named for piece in cut_long_line(_sanitise_line(line))]
    if len(lines) > MAX_SCRIPT_LINES:
        raise InputError(
            localize("行が多すぎます。", "There are too many lines."),
            localize(f"1 つの台本は {MAX_SCRIPT_LINES:,} 行までです。", f"A script can have up to {MAX_SCRIPT_LINES:,} lines."),
        )
    script = replace(project.script, lines=tuple(lines), title=sanitise_short_text(project.script.title), cast=cast)
    return replace(project, script=script)


def sanitise_text(text: str) -> str:
    """Return the text without control characters and without those that reverse the reading order; line breaks stay."""
    return DISTURBING_CHARS.sub("", text.replace("\r\n", "\n"))


def _sanitise_line(line: Line) -> Line:
    text, settings = sanitise_text(line.text), _sanitise_settings(line.settings)
    # Dragged lines carry their ids one per row, so an id must not contain a line break.
    name = line.id if line.id == sanitise_short_text(line.id) else create_line_id()
    if text != line.text:
        line = replace_text(Script((line,)), line.id, text).lines[0]
    return line if (settings, name) == (line.settings, line.id) else replace(line, settings=settings, id=name)


def _sanitise_character(character: Character, character_id: str) -> Character:
    tidied = replace(
        character,
        id=character_id,
        name=sanitise_short_text(character.name),
        aliases=tuple(filter(None, map(sanitise_short_text, character.aliases))),
        note=sanitise_text(character.note)[:MAX_LINE_CHARACTERS],
        settings=_sanitise_settings(character.settings),
    )
    return character if tidied == character else tidied


def _sanitise_settings(settings: LineSettings) -> LineSettings:
    tidied = replace(
        settings,
        voice=sanitise_short_text(settings.voice),
        speaker=sanitise_short_text(settings.speaker),
        style=sanitise_short_text(settings.style),
        assist_text=sanitise_text(settings.assist_text)[:MAX_LINE_CHARACTERS],
    )
    return settings if tidied == settings else tidied
