"""Reads files to be imported, finds voices and settles accents, away from the window's thread."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.common.errors import AppError
from app.common.language import localize
from app.compose.text_front_end import open_g2p
from app.core.script.characters import fold_character_name
from app.core.script.project import VoiceAssignment
from app.core.script.script import LineSettings
from app.core.sound.line_edits import ReadLine
from app.core.sound.line_reading import LineReading, read_line
from app.core.synthesis_types import ReadingOverride
from app.install.known_voices import describe_voice, list_unprepared_voices, load_characters
from app.interchange.character_assignment import (
    AssignableVoice,
    apply_choices,
    clear_shipped_voice,
    list_unassigned,
    match_characters,
    suggest_voices,
)
from app.interchange.dialogue_text import read_plain_text
from app.interchange.imported_script import ImportedScript, read_file_bytes
from app.interchange.reading_diff import apply_spoken_phrases
from app.interchange.script_import import TABLES, read_script_file
from app.interchange.script_tables import ScriptTable, convert_to_lines, has_certain_columns, parse_table, propose_columns
from app.ui.voices.catalog_scan import scan_catalog
from app.ui.voices.catalog_voice import CatalogVoice


@dataclass(frozen=True, slots=True)
class ImportVoices:
    """The voices that lines can be assigned to."""

    known_voices: tuple[AssignableVoice, ...] = ()  # The voices for assigning; the user's own come first
    shipped_id: str = ""  # The id of the voice that lines without a voice speak with
    default_id: str = ""  # The id of the default voice, whose speakers count before others
    remembered: tuple[VoiceAssignment, ...] = ()  # The characters that the user chose before, and those of the project
    cast_names: frozenset[str] = frozenset()  # The folded names of the project's characters, whose voices count even where they are missing


@dataclass(frozen=True, slots=True)
class OpenedImport:
    """A file that was read."""

    file: Path
    voices: ImportVoices
    imported: ImportedScript | None = None  # Its lines, with the voices that were found; None until the column of the texts is known
    table: ScriptTable | None = None  # The file's table, so that its columns can be chosen; None for other files
    columns: Mapping[str, int] = field(default_factory=dict)  # The table's columns by field, as far as they are known
    missing: tuple[tuple[VoiceAssignment, int], ...] = ()  # Names for which no voice was found, with their numbers of lines
    # Voices for these names, by name: speakers that nobody has yet.
    suggestions: Mapping[str, VoiceAssignment] = field(default_factory=dict)

    @property
    def is_clear(self) -> bool:
        """Return whether there is nothing to ask."""
        return self.imported is not None and not self.missing and (self.table is None or has_certain_columns(self.table))


def find_voices(
    voices: Sequence[CatalogVoice], default_id: str, remembered: Sequence[VoiceAssignment]
) -> tuple[ImportVoices, AppError | None]:
    """Return the catalogue's voices, scanned here where the catalogue is still empty, and an error about the remembered characters.

    Args:
        remembered: the voices of the project's cast, which count before those of the program.
    """
    kept, error = load_characters()
    if not voices:
        scan = scan_catalog()
        voices, default_id = scan.voices, scan.default_id
    known = [describe_voice(voice.manifest, voice.model_card) for voice in voices if voice.origin != "aivisspeech"]
    known += list_unprepared_voices(voice.id for voice in known)
    shipped = next((voice.manifest.id for voice in voices if not voice.id), "")
    # Characters of the project name the voice that ships by an empty id, which elsewhere means that none is chosen yet.
    cast = tuple(replace(one, voice=one.voice or shipped) for one in remembered)
    names = frozenset(fold_character_name(one.name) for one in cast)
    return ImportVoices(tuple(known), shipped, default_id or shipped, (*kept, *cast), names), error


def open_file(file: Path, voices: ImportVoices) -> OpenedImport:
    """Read a file. Raise InputError."""
    if file.suffix.lower() not in TABLES:
        return _apply_voices(OpenedImport(file, voices, read_script_file(file)))
    table = parse_table(file.name, file.suffix.lower(), read_file_bytes(file), {})
    return map_table(OpenedImport(file, voices, table=table), table, propose_columns(table))


def open_text(text: str, voices: ImportVoices) -> OpenedImport:
    """Read a text that was pasted. Raise InputError."""
    name = localize("貼り付けたテキスト", "Pasted text")
    return _apply_voices(OpenedImport(Path(name), voices, read_plain_text(name, ".txt", text.encode("utf-8", "replace"))))


def map_table(opened: OpenedImport, table: ScriptTable, columns: Mapping[str, int]) -> OpenedImport:
    """Return the import with these columns. Raise InputError where they hold no text."""
    imported = convert_to_lines(table, columns)
    return _apply_voices(replace(opened, imported=imported, table=table, columns=dict(columns)))


def finish_import(opened: OpenedImport, choices: Mapping[str, VoiceAssignment], is_stopped: Callable[[], bool]) -> ImportedScript:
    """Return the lines with the chosen voices, and with accents as edits, named as in the window.

    Args:
        is_stopped: Returns whether the import was given up.
    """
    imported = opened.imported
    assert imported is not None
    imported = replace(imported, project=apply_choices(imported.project, choices))
    if imported.phrases_by_line:
        imported = apply_spoken_phrases(imported, _create_line_reader(is_stopped))
    script = clear_shipped_voice(imported.project.script, opened.voices.shipped_id)
    return replace(imported, project=replace(imported.project, script=script))


def _apply_voices(opened: OpenedImport) -> OpenedImport:
    imported = opened.imported
    assert imported is not None
    project = match_characters(imported.project, opened.voices.known_voices, opened.voices.remembered, opened.voices.default_id)
    counts = Counter(line.settings.voice for line in project.script.lines)
    asked = (one for one in list_unassigned(project) if fold_character_name(one.name) not in opened.voices.cast_names)
    missing = tuple((character, counts[character.name]) for character in asked)
    names = {one.name for one, _ in missing}
    spoken = {(line.settings.voice, line.settings.speaker) for line in project.script.lines if line.settings.voice not in names}
    spoken |= {(one.voice, one.speaker) for one in opened.voices.remembered}
    taken = [LineSettings(voice=voice or opened.voices.shipped_id, speaker=speaker) for voice, speaker in spoken]
    suggestions = suggest_voices((one for one, _ in missing), opened.voices.known_voices, taken, opened.voices.default_id)
    return replace(opened, imported=replace(imported, project=project), missing=missing, suggestions=suggestions)


def _create_line_reader(is_stopped: Callable[[], bool]) -> ReadLine:
    """Return a function that reads lines until the import is given up."""
    g2p = open_g2p()

    def read_unless_stopped(text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool, english: bool) -> LineReading:
        # The front end is shared: it takes turns with the synthesis thread, and a long import would hold up closing.
        if is_stopped():
            return LineReading(text, readings)
        return read_line(text, readings, g2p, emoji=emoji, memos=memos, english=english)

    return read_unless_stopped
