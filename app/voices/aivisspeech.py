"""AivisSpeech's voices, where that program keeps them. They are read in place and never written to."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.errors import VoiceError
from app.json_text import short_text, whole
from app.settings import known_settings
from app.voices.card import SpeakerCard, StyleCard
from app.voices.containers.description import describe
from app.voices.containers.facts import bad_manifest
from app.voices.containers.sources import read_facts
from app.voices.manifest import HIGHEST_ID, VoiceManifest, manifest_from, manifest_values
from app.voices.remembered import Remembered

OFF = "off"
PATTERN = "*.aivmx"


@dataclass(frozen=True, slots=True)
class FoundVoice:
    """A voice file that is not prepared."""

    manifest: VoiceManifest
    path: Path


def aivisspeech_folder(setting: str | None = None) -> Path | None:
    """Where AivisSpeech keeps its voices; None when it is not installed or turned off.

    Args:
        setting: a folder, "off", or "" for its usual place; None is what the user's settings say.
    """
    wanted = known_settings().aivisspeech_folder if setting is None else setting
    if wanted.strip().lower() == OFF:
        return None
    folder = Path(wanted).expanduser() if wanted.strip() else _usual_folder()
    try:
        return folder if folder.is_dir() else None
    except OSError:
        return None


def _usual_folder() -> Path:
    if sys.platform == "win32":
        root = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "AivisSpeech-Engine" / "Models"


def aivisspeech_voices(folder: Path | None) -> list[FoundVoice]:
    """The voices in its folder, by name of file; what cannot be read is left out, as AivisSpeech itself reports it."""
    if folder is None:
        return []
    try:
        paths = sorted(item for item in folder.glob(PATTERN) if item.is_file())
    except OSError:
        return []
    known = Remembered("aivisspeech.json")
    found = [FoundVoice(manifest, path) for path in paths if (manifest := _manifest(path, known)) is not None]
    known.save()
    return found


def speakers_in(voices: Sequence[FoundVoice]) -> dict[str, tuple[SpeakerCard, ...]]:
    """Speakers of such voices with their UUIDs and the ids of their styles, by id of the voice. Takes as long as the files are large, once."""
    known = Remembered("aivisspeech_speakers.json")
    found = {voice.manifest.id: _speakers(voice.path, known) for voice in voices}
    known.save()
    return found


def _speakers(path: Path, known: Remembered) -> tuple[SpeakerCard, ...]:
    values = known.get(path)
    if values is None:
        try:
            speakers = read_facts(path).aivm.get("speakers", [])
            values = [[item["local_id"], item["uuid"], [style["local_id"] for style in item["styles"]]] for item in speakers]
        except (VoiceError, ValueError, KeyError, TypeError, AttributeError):
            values = []
        known.put(path, values)
    try:
        return tuple(
            SpeakerCard(
                whole(number, 0, HIGHEST_ID), short_text(uuid), styles=tuple(StyleCard(whole(style, 0, HIGHEST_ID)) for style in styles)
            )
            for number, uuid, styles in values
        )
    except (ValueError, TypeError):
        return ()


def _manifest(path: Path, known: Remembered) -> VoiceManifest | None:
    values = known.get(path)
    if values == {}:
        return None
    if values is not None:
        try:
            return manifest_from(values)
        except (ValueError, KeyError, TypeError, AttributeError):
            pass
    try:
        facts = read_facts(path)
        if facts.kind != "aivmx":
            raise bad_manifest(path)
        # The graph is not looked at, for that takes a hundred times as long: whether it is multilingual shows when it is opened.
        manifest = describe(path, facts, str(facts.aivm["uuid"]), ("whole",), speakers=None, multilingual=False)
    except VoiceError:
        known.put(path, {})
        return None
    known.put(path, manifest_values(manifest))
    return manifest
