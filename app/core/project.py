"""A project: a script with all that belongs to it, as one file holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.core.presets import Presets
from app.core.script import Script
from app.core.takes import Take

if TYPE_CHECKING:
    from app.core.dictionary import Entry  # the window starts without it

SCRIPT_SUFFIXES = (".vvproj", ".aisp", ".csv", ".tsv", ".tab", ".txt", ".md")
"""Of scripts that are imported: of other programs, tables and texts."""

PROJECT_SUFFIX = ".koebako"


@dataclass(frozen=True, slots=True)
class VoiceReference:
    """A voice that lines use, so that it is recognised, named and found on another machine.

    Attributes:
        id: what `LineSettings.voice` says.
        name: shown to people where the voice is missing.
        uuid: of the model, as AIVM files carry it; empty where it has none.
        address: of the page it can be got from; nothing is fetched from there without a question.
    """

    id: str
    name: str = ""
    uuid: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Character:
    """Who speaks under a name that files of other programs use.

    Attributes:
        name: as it stands in the file, with the style where it names one.
        voice, speaker, style: as in `LineSettings`; an empty voice is one that nobody has chosen yet.
    """

    name: str
    voice: str = ""
    speaker: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """Frozen, as the script is.

    Attributes:
        current: id of the line that the user is at; empty is the first.
        voices: those that lines use.
        characters: names of imported files and who speaks them, so that the next import asks no more.
        dictionary: words that count in this project before the user's own.
        export: settings of the export page as `app.export` writes and checks them.
        takes: renderings that are kept, oldest first; their sounds lie beside the project, under the names that takes say.
        presets: those that count in this project alone.
        tests: blind tests as `app.audition` writes and checks them.
        embeds: the file holds the sounds of takes as well, so that it can be passed on alone.
        sounds: those, by name, on their way between a file and the folder they are played from; in the window there are none here.
        others: what a later version has written; kept as it is.
    """

    script: Script = field(default_factory=Script)
    current: str = ""
    voices: tuple[VoiceReference, ...] = ()
    characters: tuple[Character, ...] = ()
    dictionary: tuple[Entry, ...] = ()
    export: Mapping[str, Any] = field(default_factory=dict)
    takes: tuple[Take, ...] = ()
    presets: Presets = field(default_factory=dict)
    tests: tuple[Mapping[str, Any], ...] = ()
    embeds: bool = False
    sounds: Mapping[str, bytes] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
