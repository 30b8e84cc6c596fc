"""What is done with files to be imported, away from the window's thread: reading, finding voices, settling accents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.compose.text import open_g2p
from app.core.line_reading import LineReading, read_line
from app.core.project import Character
from app.core.rebased_edits import ReadLine
from app.core.types import ReadingOverride
from app.errors import AppError
from app.install.known_voices import known_voice, unprepared_voices
from app.interchange.assign import KnownVoice, assign, choose, unassigned, without_shipped
from app.interchange.file_bytes import read_bytes
from app.interchange.imported import Imported
from app.interchange.source import TABLES, read_source
from app.interchange.spoken import settled
from app.interchange.table_lines import Table, lines_of
from app.interchange.tables import is_certain, proposed, table_of
from app.ui.interchange.characters import load_characters
from app.ui.voices.catalog_scan import scan_catalog
from app.ui.voices.catalog_voice import CatalogVoice


@dataclass(frozen=True, slots=True)
class Voices:
    """The voices there are.

    Attributes:
        known: for assigning; the user's own first.
        default: id of the one that lines without a voice speak with.
        remembered: whom the user chose for names before.
    """

    known: tuple[KnownVoice, ...] = ()
    default: str = ""
    remembered: tuple[Character, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read.

    Attributes:
        imported: its lines, with the voices that were found; None while nobody has said which column holds the texts.
        table: of a table, so that its columns can be chosen.
        columns: of the table, as far as they are known.
        missing: names for which no voice was found, with the number of their lines.
    """

    file: Path
    voices: Voices
    imported: Imported | None = None
    table: Table | None = None
    columns: Mapping[str, int] = field(default_factory=dict)
    missing: tuple[tuple[Character, int], ...] = ()

    @property
    def is_clear(self) -> bool:
        """There is nothing to ask."""
        return self.imported is not None and not self.missing and (self.table is None or is_certain(self.table))


def find_voices(voices: Sequence[CatalogVoice], remembered: Sequence[Character]) -> tuple[Voices, AppError | None]:
    """The voices of the catalogue, looked for here where it is still empty. The second value is what is wrong with the kept choices."""
    kept, error = load_characters()
    voices = voices or scan_catalog()[0]
    known = [known_voice(voice.manifest, voice.card) for voice in voices if voice.place != "aivisspeech"]
    known += unprepared_voices(voice.id for voice in known)
    default = next((voice.manifest.id for voice in voices if not voice.id), "")
    return Voices(tuple(known), default, (*kept, *remembered)), error


def open_file(file: Path, voices: Voices) -> Opened:
    """Raises InputError."""
    if file.suffix.lower() not in TABLES:
        return _assigned(Opened(file, voices, read_source(file)))
    table = table_of(file.name, file.suffix.lower(), read_bytes(file), {})
    return map_table(Opened(file, voices, table=table), table, proposed(table))


def map_table(opened: Opened, table: Table, columns: Mapping[str, int]) -> Opened:
    """The same with these columns. Raises InputError where they hold no text."""
    imported = lines_of(table, columns)
    return _assigned(replace(opened, imported=imported, table=table, columns=dict(columns)))


def finished(opened: Opened, choices: Mapping[str, Character], stopped: Callable[[], bool]) -> Imported:
    """The lines with the voices that a user chose, and with accents as edits; as the window names voices.

    Args:
        stopped: nobody waits for them any more.
    """
    imported = opened.imported
    assert imported is not None
    imported = replace(imported, project=choose(imported.project, choices))
    if imported.spoken:
        imported = settled(imported, _read_line(stopped))
    script = without_shipped(imported.project.script, opened.voices.default)
    return replace(imported, project=replace(imported.project, script=script))


def _assigned(opened: Opened) -> Opened:
    imported = opened.imported
    assert imported is not None
    project = assign(imported.project, opened.voices.known, opened.voices.remembered, opened.voices.default)
    counts = Counter(line.settings.voice for line in project.script.lines)
    missing = tuple((character, counts[character.name]) for character in unassigned(project))
    return replace(opened, imported=replace(imported, project=project), missing=missing)


def _read_line(stopped: Callable[[], bool]) -> ReadLine:
    """Reads lines; the front end takes turns with the synthesis thread."""
    g2p = open_g2p()

    def read(text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool) -> LineReading:
        return LineReading(text, readings) if stopped() else read_line(text, readings, g2p, emoji=emoji, memos=memos)

    return read
