"""A project: a script with everything that belongs to it, as one file holds it, and what of a stranger's file is made fit to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from app.common.errors import InputError
from app.common.files.untrusted_json import DISTURBING_CHARS, sanitise_short_text
from app.common.language import localize
from app.core.script.presets import Presets
from app.core.script.script import Character, Line, LineSettings, Script, create_line_id, cut_long_line, replace_text
from app.core.script.takes import LineTake
from app.core.text.text_lines import MAX_LINE_CHARACTERS

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import DictionaryEntry

SCRIPT_SUFFIXES = (".vvproj", ".aisp", ".csv", ".tsv", ".tab", ".rpy", ".yarn", ".txt", ".md")
"""Suffixes of scripts that can be imported: files of other programs, tables and texts."""

PROJECT_SUFFIX = ".koebako"

MAX_SCRIPT_LINES = 100_000


@dataclass(frozen=True, slots=True)
class VoiceReference:
    """A voice that lines use, so that it is recognised, named and found on another machine."""

    id: str
    name: str = ""  # shown to people where the voice is missing
    uuid: str = ""  # UUID of the model, as AIVM files carry it; empty where the model has none
    address: str = ""  # address of the page that offers the voice; nothing is fetched from there without the user's consent
    unknown: str = ""  # fields of a later version as JSON, kept unchanged; empty where there are none


@dataclass(frozen=True, slots=True)
class VoiceAssignment:
    """The voice behind a name that files of other programs use."""

    name: str  # name as in the file, with the style where the file names one
    voice: str = ""  # voice, speaker, style: as in `LineSettings`; an empty voice is not chosen yet
    speaker: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """A script and everything saved with it; frozen, as the script is."""

    script: Script = field(default_factory=Script)
    current: str = ""  # id of the line that the user is at; empty is the first
    voices: tuple[VoiceReference, ...] = ()
    # Names in place of voices, with the voices chosen for them; only while a script is read. The cast of the script keeps the choices.
    assignments: tuple[VoiceAssignment, ...] = ()
    dictionary: tuple[DictionaryEntry, ...] = ()  # words that count in this project before the user's own
    export: Mapping[str, Any] = field(default_factory=dict)  # settings of the export page as `app.export` writes and checks them
    # Renderings that are kept, oldest first; their sounds are stored next to the project, under the names in the takes.
    takes: tuple[LineTake, ...] = ()
    presets: Presets = field(default_factory=dict)
    tests: tuple[Mapping[str, Any], ...] = ()  # blind tests as `app.audition` writes and checks them
    embeds: bool = False  # the file holds the sounds of takes as well, so that it can be passed on alone
    # Sounds by name, only while they move between a file and the folder they are played from; empty in the window.
    sounds: Mapping[str, bytes] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)  # fields that a later version has written, kept unchanged


def sanitise_project(project: Project) -> Project:
    """Return the project with everything in it as we write it. Raises InputError for more lines than a script holds."""
    # Qt turns what is no text into other text, and the lines of a character are found by its id.
    ids = {character.id: create_line_id() for character in project.script.cast if character.id != sanitise_short_text(character.id)}
    cast = tuple(_sanitise_character(character, ids.get(character.id, character.id)) for character in project.script.cast)
    renamed_lines = (replace(line, character=ids[line.character]) if line.character in ids else line for line in project.script.lines)
    lines = [cut for line in renamed_lines for cut in cut_long_line(_sanitise_line(line))]
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
