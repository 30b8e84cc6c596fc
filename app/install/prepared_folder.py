"""Fills a folder with everything an installed voice has: graphs that were proved, manifest, card, icons and samples."""

from __future__ import annotations

import datetime
import shutil
from dataclasses import replace
from pathlib import Path

from app.install.identity import Identity, prepared_files
from app.install.prepared import Prepare
from app.progress import Report
from app.voices.card import Card, media_files, write_card
from app.voices.containers.card_reader import LARGEST_SAMPLE_BYTES, card_of
from app.voices.digest import total_bytes
from app.voices.manifest import write_manifest
from app.voices.voice import read_prepared


def prepare_into(
    folder: Path, source: Path, identity: Identity, report: Report, prepare: Prepare, *, name: str | None = None, source_name: str = ""
) -> None:
    """Prepares a voice under the id of its identity.

    Args:
        folder: empty.
        name: instead of the voice's own.
        source_name: what the card calls the source, where that is not the name of the file.

    Raises:
        VoiceError: as `prepare`.
        OSError: something cannot be written.
    """
    prepared = prepare(source, folder, report)
    write_manifest(replace(prepared.manifest, id=identity.id, name=name or prepared.manifest.name), folder)
    if identity.card is None:
        card = card_of(identity.config, identity.aivm, folder, emoji=prepared.manifest.emoji)
        card = replace(card, source_name=source_name or source.name, source_sha256=identity.sha256, source_bytes=identity.size_bytes)
    else:
        card = _copied(identity.card, source, folder)
    difference = card.max_abs_diff if prepared.max_abs_diff is None else prepared.max_abs_diff
    size, now = total_bytes(prepared_files(folder, card)), datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    write_card(replace(card, prepared_bytes=size, installed_at=now, max_abs_diff=difference, opaque_reason=prepared.reason or ""), folder)
    read_prepared(folder)  # refuses what could not be opened later


def _copied(card: Card, source: Path, folder: Path) -> Card:
    """The card of a voice that was prepared before, its media copied; without them all when one is no plain file of a fair size."""
    if not all(_fair(source / name) for name in media_files(card)):
        return replace(card, speakers=())
    for name in media_files(card):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(source / name, folder / name)
    return card


def _fair(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST_SAMPLE_BYTES
