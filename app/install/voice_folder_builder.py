"""Fills a folder with everything an installed voice has: graphs that were proved, manifest, card, icons and samples."""

from __future__ import annotations

import datetime
import shutil
from dataclasses import replace
from pathlib import Path

from app.common.progress import Report
from app.install.preparation_results import PrepareVoice
from app.install.voice_identity import VoiceIdentity, list_prepared_files
from app.voices.containers.voice_card_builder import MAX_SAMPLE_BYTES, build_voice_card
from app.voices.containers.voice_file_sources import VoiceSource
from app.voices.file_fact_cache import sum_file_sizes
from app.voices.prepared_voice import read_prepared_voice
from app.voices.voice_card_data import VoiceCardData, list_media_files, write_card
from app.voices.voice_manifest import write_manifest


def build_voice_folder(
    folder: Path,
    source: VoiceSource,
    identity: VoiceIdentity,
    report: Report,
    prepare: PrepareVoice,
    *,
    name: str | None = None,
    source_name: str = "",
) -> None:
    """Prepare a voice under the id of its identity.

    Args:
        folder: empty.
        name: instead of the voice's own.
        source_name: what the card calls the source, where that is not the name of the file.

    Raises:
        VoiceError: as `prepare`, or the source was changed since it was identified.
        OSError: something cannot be written.
    """
    source.require_unchanged()
    prepared = prepare(source.path, folder, report)
    source.require_unchanged()
    write_manifest(replace(prepared.manifest, id=identity.id, name=name or prepared.manifest.name), folder)
    if identity.card is None:
        card = build_voice_card(identity.config, identity.aivm, folder, emoji=prepared.manifest.emoji)
        card = replace(card, source_name=source_name or source.path.name, source_sha256=identity.sha256, source_bytes=identity.size_bytes)
    else:
        card = _copy_card(identity.card, source.path, folder)
    difference = card.max_abs_diff if prepared.max_abs_diff is None else prepared.max_abs_diff
    size, now = sum_file_sizes(list_prepared_files(folder, card)), datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    write_card(replace(card, prepared_bytes=size, installed_at=now, max_abs_diff=difference, opaque_reason=prepared.reason or ""), folder)
    # Reading the folder back refuses a voice that could not be opened later.
    read_prepared_voice(folder)


def _copy_card(card: VoiceCardData, source: Path, folder: Path) -> VoiceCardData:
    """Copy the card of a voice that was prepared before, with its media; without any of them if one is no plain file of a fair size."""
    if not all(_is_acceptable_file(source / name) for name in list_media_files(card)):
        return replace(card, speakers=())
    for name in list_media_files(card):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(source / name, folder / name)
    return card


def _is_acceptable_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_SAMPLE_BYTES
