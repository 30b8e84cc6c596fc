"""AivisSpeech's voices, where that program keeps them. They are read in place and never written to."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.common.errors import VoiceError
from app.common.files.untrusted_json import require_int, sanitise_short_text
from app.settings.user_settings import load_usable_settings
from app.voices.containers.container_facts import build_aivm_manifest_error
from app.voices.containers.voice_descriptions import build_manifest
from app.voices.containers.voice_sources import read_source_facts
from app.voices.file_fact_cache import FileFactCache
from app.voices.prepared_voice import MAX_MANIFEST_ID, VoiceManifest, convert_manifest_to_json, parse_manifest
from app.voices.voice_card_data import SpeakerCard, StyleCard

FOLDER_SETTING_OFF = "off"
AIVMX_GLOB = "*.aivmx"


@dataclass(frozen=True, slots=True)
class UnpreparedVoice:
    """A voice file that is not prepared."""

    manifest: VoiceManifest
    path: Path


def find_aivisspeech_folder() -> Path | None:
    """Return the folder in which AivisSpeech keeps its voices; None when it is not installed, or turned off in the settings."""
    setting = load_usable_settings().aivisspeech_folder.strip()
    if setting.lower() == FOLDER_SETTING_OFF:
        return None
    folder = Path(setting).expanduser() if setting else _build_default_folder()
    try:
        return folder if folder.is_dir() else None
    except OSError:
        return None


def _build_default_folder() -> Path:
    if sys.platform == "win32":
        root = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "AivisSpeech-Engine" / "Models"


def list_aivisspeech_voices(folder: Path | None) -> list[UnpreparedVoice]:
    """Return the voices in the folder, by name of file; unreadable ones are left out, as AivisSpeech itself reports them."""
    if folder is None:
        return []
    try:
        paths = sorted(item for item in folder.glob(AIVMX_GLOB) if item.is_file())
    except OSError:
        return []
    cache = FileFactCache("aivisspeech.json")
    voices = [UnpreparedVoice(manifest, path) for path in paths if (manifest := _read_manifest(path, cache)) is not None]
    cache.save_cache()
    return voices


def read_speaker_cards(voices: Sequence[UnpreparedVoice]) -> dict[str, tuple[SpeakerCard, ...]]:
    """Return the speakers of such voices with UUIDs and ids of styles, by id of the voice. The first call takes as long as the files are large."""
    cache = FileFactCache("aivisspeech_speakers.json")
    speakers = {voice.manifest.id: _read_speakers(voice.path, cache) for voice in voices}
    cache.save_cache()
    return speakers


def _read_speakers(path: Path, fact_cache: FileFactCache) -> tuple[SpeakerCard, ...]:
    values = fact_cache.find_value(path)
    if values is None:
        try:
            speakers = read_source_facts(path).aivm_manifest.get("speakers", [])
            values = [[item["local_id"], item["uuid"], [style["local_id"] for style in item["styles"]]] for item in speakers]
        except (VoiceError, ValueError, KeyError, TypeError, AttributeError):
            values = []
        fact_cache.store_value(path, values)
    try:
        return tuple(
            SpeakerCard(
                require_int(number, 0, MAX_MANIFEST_ID),
                sanitise_short_text(uuid),
                styles=tuple(StyleCard(require_int(style, 0, MAX_MANIFEST_ID)) for style in styles),
            )
            for number, uuid, styles in values
        )
    except (ValueError, TypeError):
        return ()


def _read_manifest(path: Path, fact_cache: FileFactCache) -> VoiceManifest | None:
    values = fact_cache.find_value(path)
    if values == {}:
        return None
    if values is not None:
        with suppress(ValueError, KeyError, TypeError, AttributeError):
            return parse_manifest(values)
    try:
        facts = read_source_facts(path)
        if facts.kind != "aivmx":
            raise build_aivm_manifest_error(path)
        # The graph is not looked at, for that takes a hundred times as long: whether it is multilingual shows when it is opened.
        manifest = build_manifest(path, facts, str(facts.aivm_manifest["uuid"]), ("whole",), speakers=None, multilingual=False)
    except VoiceError:
        fact_cache.store_value(path, {})
        return None
    fact_cache.store_value(path, convert_manifest_to_json(manifest))
    return manifest
