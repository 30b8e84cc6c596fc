"""Voice files that are spoken with where they lie are prepared once, into `<data>/cache/prepared`, and found there at the next start."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from app.adapters.files.free_space import check_free_space
from app.common.errors import AppError, VoiceError
from app.common.files.paths import find_data_dir, list_subfolders
from app.common.files.private_data_dir import make_private_folder
from app.common.progress import Report, ignore_report
from app.install.preparation_results import PrepareVoice
from app.install.sandboxed_import import prepare_voice_in_sandbox
from app.install.staging_folders import create_staging_folder, move_into_place, remove_folder
from app.install.voice_folder_builder import build_voice_folder
from app.install.voice_identity import VoiceIdentity, compute_source_digest
from app.voices.prepared_voice import Voice, read_prepared_voice
from app.voices.voice_manifest import MANIFEST_NAME

MAX_CACHED_VOICES = 5
# The key is short because Windows limits the length of paths.
CACHE_KEY_LENGTH = 32
MAX_VOICE_CACHE_BYTES = 3 << 30


def find_cache_dir() -> Path:
    """Return the folder of prepared voices; it may be deleted at any time."""
    return find_data_dir() / "cache" / "prepared"


def find_cached_voice(source: Path, report: Report = ignore_report) -> Voice | None:
    """Return the prepared voice of a file from an earlier start; raise VoiceError if the file is no voice or holds several."""
    folder = _choose_cache_folder(compute_source_digest(source, report))
    if not folder.is_dir():
        return None
    try:
        voice = read_prepared_voice(folder)
    except VoiceError:  # damaged: made again
        with contextlib.suppress(AppError):
            remove_folder(folder)
        return None
    with contextlib.suppress(OSError):
        os.utime(folder / MANIFEST_NAME)  # used just now
    return voice


def cache_voice(
    source: Path, identity: VoiceIdentity, report: Report = ignore_report, prepare: PrepareVoice = prepare_voice_in_sandbox
) -> Voice:
    """Prepare the voice of a file and keep it.

    Raises:
        VoiceError: the file is no voice, or what it was turned into does not speak as it does.
        OutputFileError: nothing can be kept.
    """
    folder = _choose_cache_folder(identity.sha256)
    check_free_space(folder, identity.estimate_prepared_bytes())
    with create_staging_folder() as stage:
        staged = stage / folder.name
        make_private_folder(staged)
        build_voice_folder(staged, source, identity, report, prepare)
        move_into_place(staged, folder)
    shrink_cache(folder)
    return read_prepared_voice(folder)


def _choose_cache_folder(sha256: str) -> Path:
    return find_cache_dir() / sha256[:CACHE_KEY_LENGTH]


def shrink_cache(kept_folder: Path | None = None) -> None:
    """Remove the voices not used for longest, until their number and size are within the limits."""
    with contextlib.suppress(OSError):
        left = MAX_VOICE_CACHE_BYTES
        newest = sorted(list_subfolders(find_cache_dir()), key=_read_last_use, reverse=True)
        for place, folder in enumerate(newest):
            left -= sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())
            if folder != kept_folder and (place >= MAX_CACHED_VOICES or left < 0):
                with contextlib.suppress(AppError):  # in use: next time
                    remove_folder(folder)


def _read_last_use(folder: Path) -> float:
    manifest = folder / MANIFEST_NAME
    return manifest.stat().st_mtime if manifest.is_file() else 0.0
