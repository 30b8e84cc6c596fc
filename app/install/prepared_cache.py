"""Voice files that are spoken with where they lie are prepared once, into `<data>/cache/prepared`, and found there at the next start."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from app.adapters.files.disk_room import check_room
from app.errors import AppError, VoiceError
from app.install.confined import prepare_voice_confined
from app.install.identity import Identity, digest_of
from app.install.prepared import Prepare
from app.install.prepared_folder import prepare_into
from app.install.staging import put_in_place, remove_folder, staged_folder
from app.own_folder import make_folder
from app.paths import data_dir, folders_in
from app.progress import Report, unreported
from app.voices.manifest import MANIFEST_NAME
from app.voices.voice import Voice, read_prepared

MOST_VOICES = 5
DIGEST_LETTERS = 32  # short, for paths end early on Windows
LARGEST_CACHE_BYTES = 3 << 30


def cache_dir() -> Path:
    """Where they are kept; may be deleted at any time."""
    return data_dir() / "cache" / "prepared"


def kept_voice(source: Path, report: Report = unreported) -> Voice | None:
    """The prepared voice of a file, made at an earlier start; a VoiceError when the file is no voice or holds several."""
    folder = _folder(digest_of(source, report))
    if not folder.is_dir():
        return None
    try:
        voice = read_prepared(folder)
    except VoiceError:  # damaged: made again
        with contextlib.suppress(AppError):
            remove_folder(folder)
        return None
    with contextlib.suppress(OSError):
        os.utime(folder / MANIFEST_NAME)  # used just now
    return voice


def keep_voice(source: Path, identity: Identity, report: Report = unreported, prepare: Prepare = prepare_voice_confined) -> Voice:
    """Prepares the voice of a file and keeps it.

    Raises:
        VoiceError: the file is no voice, or what it was turned into does not speak as it does.
        OutputFileError: nothing can be kept.
    """
    folder = _folder(identity.sha256)
    check_room(folder, identity.prepared_bytes())
    with staged_folder() as stage:
        staged = stage / folder.name
        make_folder(staged)
        prepare_into(staged, source, identity, report, prepare)
        put_in_place(staged, folder)
    shrink(folder)
    return read_prepared(folder)


def _folder(sha256: str) -> Path:
    return cache_dir() / sha256[:DIGEST_LETTERS]


def shrink(keep: Path | None = None) -> None:
    """Drops those not used for longest, until few enough and little enough are left."""
    with contextlib.suppress(OSError):
        left = LARGEST_CACHE_BYTES
        newest = sorted(folders_in(cache_dir()), key=_last_use, reverse=True)
        for place, folder in enumerate(newest):
            left -= sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())
            if folder != keep and (place >= MOST_VOICES or left < 0):
                with contextlib.suppress(AppError):  # in use: next time
                    remove_folder(folder)


def _last_use(folder: Path) -> float:
    manifest = folder / MANIFEST_NAME
    return manifest.stat().st_mtime if manifest.is_file() else 0.0
