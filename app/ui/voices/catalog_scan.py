"""Reads the installed, shipped and AivisSpeech voices from the disk."""

from dataclasses import replace
from pathlib import Path

from app.common.files.paths import find_data_dir, find_resources_dir, list_bert_dirs
from app.install.natural_voice_first_start import find_default_voice_id
from app.install.refinement_work import is_renewal_due
from app.install.staging_folders import remove_leftovers_when_idle
from app.install.voice_identity import PREPARED_TO_SOURCE_RATIO
from app.ui.voices.catalog_voice import CatalogScan, CatalogVoice, VoiceOrigin
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices
from app.voices.bert_models import BertModel, find_equal_duration_share, list_installed_berts
from app.voices.installed_voices import find_shipped_voice_id, list_installed_voices
from app.voices.pending_refinement import is_refinement_pending
from app.voices.prepared_voice import Voice, VoiceManifest
from app.voices.voice_card_data import read_card


def scan_catalog() -> CatalogScan:
    """Return all voices and BERTs.

    Also removes what cancelled work has left. Raises VoiceError if a folder cannot be read.
    """
    remove_leftovers_when_idle()
    berts = {bert.id: bert for bert in reversed(list_installed_berts(list_bert_dirs()))}
    own = [_build_installed_entry(voice, "own", berts) for voice in list_installed_voices([find_data_dir() / "voices"])]
    shipped = [_build_installed_entry(voice, "shipped", berts) for voice in list_installed_voices([find_resources_dir() / "voices"])]
    # A shipped voice whose speakers the user has blended has a copy of the same id, which is found in its place.
    shipped = [voice for voice in shipped if voice.manifest.id not in {item.manifest.id for item in own}]
    installed_ids = {voice.manifest.id for voice in (*own, *shipped)}
    # A prepared copy has the manifest id of its AivisSpeech original, and the list would show both.
    unprepared = [item for item in list_aivisspeech_voices(find_aivisspeech_folder()) if item.manifest.id not in installed_ids]
    theirs = [_build_unprepared_entry(item.manifest, item.path, berts) for item in unprepared]
    unnamed, default = find_shipped_voice_id(), find_default_voice_id()
    shipped = [replace(voice, id="") if voice.manifest.id == unnamed else voice for voice in shipped]
    return CatalogScan(
        tuple(replace(voice, is_default=voice.manifest.id == default) for voice in (*own, *shipped, *theirs)),
        tuple(berts),
        tuple(bert for bert in berts.values() if is_refinement_pending(bert.folder)),
        "" if default == unnamed else default,
    )


def _build_installed_entry(voice: Voice, origin: VoiceOrigin, berts: dict[str, BertModel]) -> CatalogVoice:
    manifest, bert = voice.manifest, berts.get(voice.manifest.bert)
    has_int8_bert = bert is not None and "int8" in bert.graphs
    share = find_equal_duration_share(voice, bert) if bert is not None and has_int8_bert else None
    return CatalogVoice(
        manifest.id,
        manifest,
        voice.path,
        origin,
        read_card(voice.path),
        sum(item.stat().st_size for item in voice.path.iterdir() if item.is_file()),
        share,
        has_bert=bert is not None or not manifest.bert,
        has_int8_bert=has_int8_bert,
        is_pending=is_refinement_pending(voice.path),
        is_bert_pending=bert is not None and is_refinement_pending(bert.folder),
        is_renewal_due=is_renewal_due(voice),
    )


def _build_unprepared_entry(manifest: VoiceManifest, path: Path, berts: dict[str, BertModel]) -> CatalogVoice:
    needed = round(PREPARED_TO_SOURCE_RATIO * path.stat().st_size)
    return CatalogVoice(manifest.id, manifest, path, "aivisspeech", size_bytes=needed, has_bert=manifest.bert in berts)
