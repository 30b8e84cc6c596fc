"""Finishes voices that speak already: what `app.install.voice_refinement` makes in the sandbox joins the voice's folder.

One voice at a time is refined on a computer, whichever programs run. A voice that is removed, replaced or prepared again meanwhile keeps
nothing of it, and one that is killed at any moment speaks as before and is refined from the start the next time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from app.adapters.speech_activity import is_speaking
from app.common.files.atomic_write import move_path
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.refinement_runs import ChangeFolder, RefinementOutcome, run_refinement
from app.install.sandboxed_import import refine_voice_in_sandbox
from app.install.voice_identity import list_prepared_files
from app.install.voice_import import find_user_voices_dir
from app.voices.file_fact_cache import sum_file_sizes
from app.voices.installed_voices import list_installed_voices
from app.voices.pending_refinement import PENDING_NAME, is_refinement_pending
from app.voices.prepared_voice import Voice
from app.voices.voice_card_data import read_card, write_card
from app.voices.voice_manifest import VoiceManifest, map_int8_files, read_manifest, write_manifest


class RefineVoice(Protocol):
    """A function that makes the results of refining the voice in a folder."""

    def __call__(
        self, folder: Path, results: Path, report: Report = ..., *, is_paused: Callable[[], bool]
    ) -> tuple[VoiceManifest, float | None]:
        """Write the results into an empty folder."""


def list_pending_voices() -> list[Voice]:
    """Return the user's voices that are still to be refined."""
    folder = find_user_voices_dir()
    # Asked every few seconds for hours: without a mark, no voice is read.
    if next(folder.glob(f"*/{PENDING_NAME}"), None) is None:
        return []
    return [voice for voice in list_installed_voices([folder]) if is_refinement_pending(voice.path)]


def refine_voice(
    voice: Voice,
    report: Report = ignore_report,
    *,
    is_paused: Callable[[], bool] = is_speaking,
    refine: RefineVoice = refine_voice_in_sandbox,
) -> RefinementOutcome:
    """Finish a voice, once no other program finishes one; it stands still while `is_paused` says so.

    Returns:
        "failed" where the voice keeps what it has, which its card then says; "replaced" where there is nothing left to do for it.

    Raises:
        OutputFileError: the disk is full or cannot be written; the voice stays pending.
    """

    def compute_results(results: Path) -> ChangeFolder:
        manifest, difference = refine(voice.path, results, report, is_paused=is_paused)
        return partial(_adopt_results, voice.path, results, manifest, difference)

    return run_refinement(voice.path, voice.manifest.id, compute_results, partial(_add_failure_note, voice.path))


def _adopt_results(folder: Path, results: Path, made: VoiceManifest, difference: float | None) -> None:
    """Move the int8 graphs into the voice's folder, then name them in its manifest."""
    for file in map_int8_files(made).values():
        for path in sorted(results.glob(f"{Path(file).stem}.*")):
            move_path(path, folder / path.name)
    write_manifest(replace(read_manifest(folder), fast=made.fast, refused=made.refused), folder)
    card = read_card(folder)
    size = sum_file_sizes(list_prepared_files(folder, card))
    write_card(replace(card, prepared_bytes=size, max_abs_diff=card.max_abs_diff if difference is None else difference), folder)


def _add_failure_note(folder: Path) -> None:
    """Say on the voice's card that it stays as it is."""
    note = localize(
        "追加の確認を完了できませんでした。声はこのまま使えます。", "The full check could not be completed. The voice can be used as it is."
    )
    card = read_card(folder)
    write_card(replace(card, notes=(*card.notes, note)), folder)
