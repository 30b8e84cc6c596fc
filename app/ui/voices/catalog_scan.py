"""Reads from the disk what is on the shelf."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.install.identity import PREPARED_TO_SOURCE
from app.install.staging import sweep_at_rest
from app.paths import bert_dirs, data_dir, resources_dir
from app.ui.voices.catalog_voice import CatalogVoice, Place
from app.voices.aivisspeech import aivisspeech_folder, aivisspeech_voices
from app.voices.bert import Bert, installed_berts
from app.voices.card import read_card
from app.voices.library import installed_voices
from app.voices.manifest import VoiceManifest
from app.voices.precision import known_share
from app.voices.voice import Voice


def scan_catalog() -> tuple[tuple[CatalogVoice, ...], tuple[str, ...]]:
    """All voices, and the ids of all BERTs, where also what cancelled work has left is removed. Raises VoiceError where a folder cannot be read."""
    sweep_at_rest()
    berts = {bert.id: bert for bert in reversed(installed_berts(bert_dirs()))}
    own = [_installed(voice, "own", berts) for voice in installed_voices([data_dir() / "voices"])]
    shipped = [_installed(voice, "shipped", berts) for voice in installed_voices([resources_dir() / "voices"])]
    known = {voice.manifest.id for voice in (*own, *shipped)}
    found = [item for item in aivisspeech_voices(aivisspeech_folder()) if item.manifest.id not in known]
    theirs = [_unprepared(item.manifest, item.path, berts) for item in found]
    if shipped:
        shipped[0] = _first(shipped[0])
    return (*own, *shipped, *theirs), tuple(berts)


def _installed(voice: Voice, place: Place, berts: dict[str, Bert]) -> CatalogVoice:
    manifest, bert = voice.manifest, berts.get(voice.manifest.bert)
    both = bert is not None and "int8" in bert.graphs
    share = known_share(voice, bert) if bert is not None and both else None
    card = read_card(voice.path)
    size = sum(item.stat().st_size for item in voice.path.iterdir() if item.is_file())
    return CatalogVoice(manifest.id, manifest, voice.path, place, card, size, share, bert is not None, both)


def _unprepared(manifest: VoiceManifest, path: Path, berts: dict[str, Bert]) -> CatalogVoice:
    needed = round(PREPARED_TO_SOURCE * path.stat().st_size)
    return CatalogVoice(manifest.id, manifest, path, "aivisspeech", size_bytes=needed, has_bert=manifest.bert in berts)


def _first(voice: CatalogVoice) -> CatalogVoice:
    """The voice that lines without one speak with."""
    return replace(voice, id="")
