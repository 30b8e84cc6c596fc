"""A project: a script with everything that belongs to it, as one file holds it: takes, presets, and what of a stranger's file is made fit to be shown.

Takes are kept renderings of lines, each with everything it was made from. Values are frozen and edits pure, as in the script.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from app.common.errors import InputError
from app.common.files.untrusted_json import DISTURBING_CHARS, MAX_SHORT_TEXT_CHARS, sanitise_short_text
from app.common.language import localize
from app.core.lenient_parsing import ReportLoss, TooManyError, UnreadableSkipper
from app.core.script.script import CAST_FIELDS, Character, Line, LineSettings, Script, create_line_id, cut_long_line, replace_text
from app.core.script.script_data import convert_settings_to_data, parse_settings
from app.core.synthesis_types import BOUNDS, SEED_BOUNDS, Overrides
from app.core.text.text_lines import MAX_LINE_CHARACTERS

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import DictionaryEntry

# Seed and assist text stay the line's own; `CAST_FIELDS` belong to a preset only if it was kept with them.
PRESET_SETTINGS = (*BOUNDS, "pauses")
STANDARD_SETTINGS = LineSettings()
MOST_PRESETS = 2000  # highest number of presets that a file may pass on at once


@dataclass(frozen=True, slots=True)
class LinePreset:
    """A set of line settings that the user named."""

    settings: LineSettings = STANDARD_SETTINGS  # everything that is not part of the preset has its default
    character: bool = False  # true if voice, speaker and style are part of the preset

    @classmethod
    def from_settings(cls, settings: LineSettings, *, character: bool = False) -> LinePreset:
        """Return a preset with those of a line's settings that belong in one."""
        names = (*PRESET_SETTINGS, *CAST_FIELDS) if character else PRESET_SETTINGS
        return cls(replace(STANDARD_SETTINGS, **{name: getattr(settings, name) for name in names}), character)

    @property
    def values(self) -> dict[str, Any]:
        """Return the values that the preset sets, by name of the setting."""
        return {name: getattr(self.settings, name) for name in ((*PRESET_SETTINGS, *CAST_FIELDS) if self.character else PRESET_SETTINGS)}


Presets = Mapping[str, LinePreset]


def convert_presets_to_data(presets: Presets) -> dict[str, Any]:
    """Return the data that `parse_presets` and `parse_untrusted_presets` read."""
    return {
        name: convert_settings_to_data(item.settings) | ({"character": True} if item.character else {}) for name, item in presets.items()
    }


def parse_presets(data: Mapping[str, Any]) -> dict[str, LinePreset]:
    """Return the presets in the user's own data. Raises ValueError for data that no version has written."""
    return {name: _parse_preset(item) for name, item in data.items()}


def parse_untrusted_presets(data: object, lose: ReportLoss | None = None) -> dict[str, LinePreset]:
    """Return the presets in a stranger's data: not too many, with displayable names, and with nothing that is no part of a preset.

    Raises ValueError as `parse_presets`; with `lose` only the unreadable preset is left out.
    """
    if not isinstance(data, dict):
        raise ValueError("presets")
    if len(data) > MOST_PRESETS:
        raise TooManyError("presets")
    presets: dict[str, LinePreset] = {}
    for name, item in data.items():
        with UnreadableSkipper(lose, "presets"):
            presets[sanitise_short_text(name)] = _sanitise_preset(_parse_preset(item))
    return {name: preset for name, preset in presets.items() if name}


def _sanitise_preset(preset: LinePreset) -> LinePreset:
    settings = preset.settings
    if any(len(getattr(settings, name)) > MAX_SHORT_TEXT_CHARS for name in CAST_FIELDS):
        raise ValueError("a name")
    names: dict[str, Any] = {name: sanitise_short_text(getattr(settings, name)) for name in CAST_FIELDS}
    return LinePreset.from_settings(replace(settings, **names), character=preset.character)


def _parse_preset(data: Any) -> LinePreset:
    settings = parse_settings(data)
    if not isinstance(character := data.get("character", False), bool):
        raise ValueError("character")
    return LinePreset(settings, character)


HIGHEST_RATING = 5
LONGEST_NOTE = 2_000
MOST_TAKES = 10_000
_SOUND_NAME = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LineTake:
    """One rendering of a line."""

    line: str  # id of the line; it may be gone
    text: str = ""  # text, settings, overrides: values of the line as it was rendered; the seed is the one that was heard, locked or not
    settings: LineSettings = field(default_factory=LineSettings)
    overrides: Overrides = field(default_factory=Overrides)
    sound: str = ""  # SHA-256 of the kept file in 64 hex digits, which is also its name; empty where the sound was not kept
    length_s: float = 0.0
    size: int = 0
    starred: bool = False  # the take is always kept
    rating: int = 0  # 1 to 5; 0 is none
    note: str = ""
    id: str = field(default_factory=create_line_id)
    unknown: str = ""  # fields of a later version as JSON, kept unchanged; empty where there are none


def is_sound_name(value: object) -> bool:
    """Return True if the value can be the name of a kept sound."""
    # Nothing but such names is ever joined to a path, as takes may come from a stranger's project.
    return isinstance(value, str) and _SOUND_NAME.fullmatch(value) is not None


def create_take(line: Line, sound: str = "", length_s: float = 0.0, size: int = 0) -> LineTake:
    """Return the take of a line as it was rendered."""
    return LineTake(line.id, line.text, line.settings, line.overrides, sound, length_s, size)


def create_line(take: LineTake) -> Line:
    """Return the line that was rendered."""
    return Line(take.text, take.settings, take.overrides, take.line)


def restore_line(line: Line, take: LineTake) -> Line:
    """Return the line as it was when the take was made; its seed stays locked, or it would sound different."""
    return replace(line, text=take.text, settings=replace(take.settings, seed_locked=True), overrides=take.overrides)


def select_line_takes(takes: Iterable[LineTake], line_id: str) -> tuple[LineTake, ...]:
    """Return the takes of a line, oldest first."""
    return tuple(take for take in takes if take.line == line_id)


def change_take(takes: tuple[LineTake, ...], take_id: str, **values: object) -> tuple[LineTake, ...]:
    """Return the takes with other values for one of them: a star, a rating, a note. Raises ValueError for an invalid rating."""
    rating = values.get("rating", 0)
    if not isinstance(rating, int) or not 0 <= rating <= HIGHEST_RATING:
        raise ValueError("rating")
    if isinstance(note := values.get("note"), str):
        values["note"] = note[:LONGEST_NOTE]
    return tuple(replace(take, **values) if take.id == take_id else take for take in takes)  # type: ignore[arg-type]


def remove_takes(takes: tuple[LineTake, ...], ids: Collection[str]) -> tuple[LineTake, ...]:
    """Return the takes without these; their sounds stay until the store is swept, so that undoing brings them back."""
    return tuple(take for take in takes if take.id not in ids)


def prune_takes(takes: tuple[LineTake, ...], most: int, most_bytes: int, used: Collection[str] = ()) -> tuple[LineTake, ...]:
    """Return the takes that fit; the oldest go first.

    Starred takes stay, and so do those whose sound is in `used`, such as those of a blind test: they count, but never go. A sound
    that several takes share counts once.
    """
    count, size = 0, 0
    counted: set[str] = set()
    ids: set[str] = set()
    protected = [take for take in takes if take.starred or (take.sound != "" and take.sound in used)]
    protected_ids = {take.id for take in protected}
    for number, take in enumerate((*protected, *(take for take in reversed(takes) if take.id not in protected_ids))):
        more = 0 if take.sound in counted else take.size
        if number < len(protected) or (count < most and size + more <= most_bytes):
            ids.add(take.id)
            counted.add(take.sound)
            count, size = count + 1, size + more
    return takes if len(ids) == len(takes) else tuple(take for take in takes if take.id in ids)


def list_sounds(takes: Iterable[LineTake]) -> frozenset[str]:
    """Return the names of the sounds that takes need."""
    return frozenset(take.sound for take in takes if take.sound)


def find_sounds(data: object) -> frozenset[str]:
    """Return the names of sounds anywhere in plain data, as blind tests hold them."""
    if isinstance(data, Mapping):
        return frozenset[str]().union(*map(find_sounds, data.values()))
    if isinstance(data, list | tuple):
        return frozenset[str]().union(*map(find_sounds, data))
    return frozenset((str(data),)) if is_sound_name(data) else frozenset()


TAKE_VARIATION = 1.0  # in takes of a voice that draws no noise, whose line asks for none


def draw_seeds(count: int, present_seeds: Iterable[int], draw: Callable[[int, int], int]) -> tuple[int, ...]:
    """Return seeds for `count` more takes, none of which is taken or occurs twice; `draw` is `random.randint` or its like."""
    used_seeds, seeds = set(present_seeds), list[int]()
    while len(seeds) < count:
        seed = draw(int(SEED_BOUNDS.low), int(SEED_BOUNDS.high))
        if seed not in used_seeds:
            used_seeds.add(seed)
            seeds.append(seed)
    return tuple(seeds)


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
