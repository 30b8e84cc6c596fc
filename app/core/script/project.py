"""A project: a script with everything that belongs to it, as one file holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.core.script.presets import Presets
from app.core.script.script import Script
from app.core.script.takes import LineTake

if TYPE_CHECKING:
    # Only for types: the window starts without loading the dictionary.
    from app.core.text.dictionary_entries import DictionaryEntry

SCRIPT_SUFFIXES = (".vvproj", ".aisp", ".csv", ".tsv", ".tab", ".rpy", ".yarn", ".txt", ".md")
"""Suffixes of scripts that can be imported: files of other programs, tables and texts."""

PROJECT_SUFFIX = ".koebako"


@dataclass(frozen=True, slots=True)
class VoiceReference:
    """A voice that lines use, so that it is recognised, named and found on another machine.

    Attributes:
        id: the id in `LineSettings.voice`.
        name: shown to people where the voice is missing.
        uuid: UUID of the model, as AIVM files carry it; empty where the model has none.
        address: address of the page that offers the voice; nothing is fetched from there without the user's consent.
        unknown: fields of a later version as JSON, kept unchanged; empty where there are none.
    """

    id: str
    name: str = ""
    uuid: str = ""
    address: str = ""
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class VoiceAssignment:
    """The voice behind a name that files of other programs use.

    Attributes:
        name: name as in the file, with the style where the file names one.
        voice, speaker, style: as in `LineSettings`; an empty voice is not chosen yet.
    """

    name: str
    voice: str = ""
    speaker: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """A script and everything saved with it; frozen, as the script is.

    Attributes:
        current: id of the line that the user is at; empty is the first.
        voices: voices that lines use.
        assignments: names that stand in the place of voices, with the voices chosen for them; only while a script is read. The cast of the
            script keeps what was chosen.
        dictionary: words that count in this project before the user's own.
        export: settings of the export page as `app.export` writes and checks them.
        takes: renderings that are kept, oldest first; their sounds lie beside the project, under the names that takes say.
        presets: presets of this project alone.
        tests: blind tests as `app.audition` writes and checks them.
        embeds: the file holds the sounds of takes as well, so that it can be passed on alone.
        sounds: sounds by name, only while they move between a file and the folder they are played from; empty in the window.
        others: fields that a later version has written, kept unchanged.
    """

    script: Script = field(default_factory=Script)
    current: str = ""
    voices: tuple[VoiceReference, ...] = ()
    assignments: tuple[VoiceAssignment, ...] = ()
    dictionary: tuple[DictionaryEntry, ...] = ()
    export: Mapping[str, Any] = field(default_factory=dict)
    takes: tuple[LineTake, ...] = ()
    presets: Presets = field(default_factory=dict)
    tests: tuple[Mapping[str, Any], ...] = ()
    embeds: bool = False
    sounds: Mapping[str, bytes] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
