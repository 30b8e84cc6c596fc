"""Finishes voices and BERTs that work already: what the sandbox makes of one joins its folder.

One at a time is refined on a computer, whichever programs run. What is removed, replaced or prepared again meanwhile keeps nothing of it,
and what is killed at any moment works as before and is refined from the start the next time.
"""

import contextlib
import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from app.adapters.files.file_lock import FileLock
from app.adapters.files.part_file import build_write_error
from app.adapters.speech_activity import is_speaking
from app.common.errors import AppError, OutputFileError
from app.common.files.paths import find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.common.files.whole_files import move_path
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.sandboxed_import import refine_bert_in_sandbox, refine_voice_in_sandbox
from app.install.staging_folders import create_staging_folder, lock_moves, sync_files_to_disk
from app.install.voice_identity import list_prepared_files
from app.voices import pending_refinement
from app.voices.bert_models import BERT_GRAPH_NAME, BertModel, BertPreparationResult, rewrite_bert
from app.voices.file_fact_cache import sum_file_sizes
from app.voices.prepared_voice import Voice, VoiceManifest, map_int8_files, read_manifest, write_manifest
from app.voices.voice_card_data import read_card, write_card

REFINEMENT_LOCK_NAME = ".refining"
LOCK_POLL_S = 0.5
RefinementOutcome = Literal["refined", "failed", "replaced"]
_log = logging.getLogger("koebako")


@dataclass(frozen=True, slots=True)
class Installable:
    """A kind of thing whose folder is refined."""

    refine: Callable[..., Any]  # makes the results of a folder in another, empty one, as `refine_voice_in_sandbox` does
    adopt: Callable[[Path, Path, Any], object]  # given both folders and what `refine` returned: moves the graphs, then names them
    note_failure: Callable[[Path], object]  # says in a folder that it keeps what it has
    note_abandoned: Callable[[Path], object]  # says in a folder that nobody wants it refined
    pending_files: frozenset[str]  # the names of files that go once it is refined


def refine_installed(
    installed: Voice | BertModel,
    report: Report = ignore_report,
    *,
    is_paused: Callable[[], bool] = is_speaking,
    refine: Callable[..., Any] | None = None,
) -> RefinementOutcome:
    """Finish a voice or BERT, once no other program finishes anything; pause while `is_paused` says so.

    Returns:
        "failed" where it keeps what it has, which its card or description then says; "replaced" where there is nothing left to do for it.

    Raises:
        OutputFileError: the disk is full or cannot be written; it stays pending.
    """
    if isinstance(installed, Voice):
        kind, folder, name = INSTALLABLES["voice"], installed.path, installed.manifest.id
    else:
        kind, folder, name = INSTALLABLES["bert"], installed.folder, installed.id
    with _lock_refinement():
        pending = pending_refinement.read_pending_refinement(folder)
        if pending is None:
            return "replaced"

        def finish_folder(change_folder: Callable[..., object], *arguments: object) -> bool:
            """Change the folder and remove its mark last; return False, and change nothing, if something else is there by now."""
            with lock_moves(folder.parent):
                if not pending_refinement.is_still_pending(folder, pending.token):
                    return False
                change_folder(folder, *arguments)
                pending_refinement.clear_pending_refinement(folder, kind.pending_files)
                return True

        try:
            with create_staging_folder() as results:
                made = (refine or kind.refine)(folder, results, report, is_paused=is_paused)
                sync_files_to_disk(results)
                return "refined" if finish_folder(kind.adopt, results, made) else "replaced"
        except OutputFileError:
            raise
        except AppError as error:
            _log.warning("%s could not be refined: %s %s", name, error.message, error.hint)
            return "failed" if finish_folder(kind.note_failure) else "replaced"


def abandon_refinement(folder: Path, kind_name: Literal["voice", "bert"]) -> None:
    """Leave the voice or BERT in a folder as it is, a BERT until its file is added again; raise OutputFileError if the disk refuses it."""
    kind = INSTALLABLES[kind_name]
    try:
        with lock_moves(folder.parent):
            if pending_refinement.is_refinement_pending(folder):
                kind.note_abandoned(folder)
            pending_refinement.clear_pending_refinement(folder, kind.pending_files)
    except OSError as exc:
        raise build_write_error(folder, exc) from exc


@contextlib.contextmanager
def _lock_refinement() -> Iterator[None]:
    """Wait until no other program refines a voice or BERT; raise OutputFileError for an OSError, also of the block."""
    data = find_data_dir()
    try:
        make_private_folder(data)
        with FileLock(data / REFINEMENT_LOCK_NAME).hold_lock(math.inf, LOCK_POLL_S):
            yield
    except OSError as exc:
        raise build_write_error(data, exc) from exc


def _adopt_voice(folder: Path, results: Path, made: tuple[VoiceManifest, float | None]) -> None:
    manifest, difference = made
    for file in map_int8_files(manifest).values():
        for path in sorted(results.glob(f"{Path(file).stem}.*")):
            move_path(path, folder / path.name)
    write_manifest(replace(read_manifest(folder), fast=manifest.fast, refused=manifest.refused), folder)
    card = read_card(folder)
    size = sum_file_sizes(list_prepared_files(folder, card))
    write_card(replace(card, prepared_bytes=size, max_abs_diff=card.max_abs_diff if difference is None else difference), folder)


def _note_voice_failure(folder: Path) -> None:
    note = localize(
        "追加の確認を完了できませんでした。声はこのまま使えます。", "The full check could not be completed. The voice can be used as it is."
    )
    card = read_card(folder)
    write_card(replace(card, notes=(*card.notes, note)), folder)


def _adopt_bert(folder: Path, results: Path, refined: BertPreparationResult) -> None:
    for path in sorted(results.iterdir()):
        move_path(path, folder / path.name)
    rewrite_bert(folder, refined.build_description() | {"abandoned": None})
    if refined.files["float32"] != BERT_GRAPH_NAME:
        # One that speaks now may still read them; then they stay until the BERT is removed.
        with contextlib.suppress(OSError):
            for suffix in (".data", ".onnx"):
                (folder / BERT_GRAPH_NAME).with_suffix(suffix).unlink(missing_ok=True)


def _note_bert_failure(folder: Path) -> None:
    note = localize(
        "追加の確認を完了できませんでした。BERT はこのまま使えます。",
        "The full check could not be completed. The BERT can be used as it is.",
    )
    rewrite_bert(folder, {"note": note})


INSTALLABLES = {
    "voice": Installable(
        refine_voice_in_sandbox, _adopt_voice, _note_voice_failure, lambda _folder: None, pending_refinement.PENDING_FILES
    ),
    "bert": Installable(
        refine_bert_in_sandbox,
        _adopt_bert,
        _note_bert_failure,
        lambda folder: rewrite_bert(folder, {"abandoned": True}),
        pending_refinement.BERT_PENDING_FILES,
    ),
}
