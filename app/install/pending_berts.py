"""Finishes BERTs that can be used already: what `app.install.bert_refinement` makes in the sandbox joins the BERT's folder.

As with voices (`app.install.pending_voices`) one is refined at a time, and one that is killed at any moment works as before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from app.adapters.speech_activity import is_speaking
from app.common.files.atomic_write import move_path
from app.common.files.paths import find_data_dir
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.preparation_results import BertPreparationResult
from app.install.refinement_runs import ChangeFolder, RefinementOutcome, abandon_refinement, run_refinement
from app.install.sandboxed_import import refine_bert_in_sandbox
from app.voices.bert_models import BERT_GRAPH_NAME, BertModel, list_installed_berts, rewrite_bert
from app.voices.pending_refinement import BERT_PENDING_FILES, PENDING_NAME, is_refinement_pending


class RefineBert(Protocol):
    """A function that makes the results of refining the BERT in a folder."""

    def __call__(self, folder: Path, results: Path, report: Report = ..., *, is_paused: Callable[[], bool]) -> BertPreparationResult:
        """Write the results into an empty folder."""


def list_pending_berts() -> list[BertModel]:
    """Return the user's BERTs that are still to be refined."""
    folder = find_data_dir() / "bert"
    # Asked every few seconds for hours: without a mark, no BERT is read.
    if next(folder.glob(f"*/{PENDING_NAME}"), None) is None:
        return []
    return [bert for bert in list_installed_berts([folder]) if is_refinement_pending(bert.folder)]


def refine_bert(
    bert: BertModel,
    report: Report = ignore_report,
    *,
    is_paused: Callable[[], bool] = is_speaking,
    refine: RefineBert = refine_bert_in_sandbox,
) -> RefinementOutcome:
    """Finish a BERT, once no other program finishes a voice or BERT; it stands still while `is_paused` says so.

    Returns:
        "failed" where the BERT keeps what it has, which its description then says; "replaced" where there is nothing left to do for it.

    Raises:
        OutputFileError: the disk is full or cannot be written; the BERT stays pending.
    """

    def compute_results(results: Path) -> ChangeFolder:
        refined = refine(bert.folder, results, report, is_paused=is_paused)
        return partial(_adopt_results, bert.folder, results, refined)

    note_failure = partial(_add_failure_note, bert.folder)
    return run_refinement(bert.folder, bert.id, compute_results, note_failure, pending_files=BERT_PENDING_FILES)


def abandon_bert(folder: Path) -> None:
    """Leave the BERT in a folder as it is until its file is added again; raise OutputFileError if the disk refuses it."""
    abandon_refinement(folder, BERT_PENDING_FILES, partial(rewrite_bert, folder, {"abandoned": True}))


def _adopt_results(folder: Path, results: Path, refined: BertPreparationResult) -> None:
    """Move the graphs into the BERT's folder, then name them in its description."""
    for path in sorted(results.iterdir()):
        move_path(path, folder / path.name)
    rewrite_bert(folder, refined.build_description() | {"abandoned": None})
    if refined.files["float32"] != BERT_GRAPH_NAME:
        # One that speaks now may still read them; then they stay until the BERT is removed.
        with contextlib.suppress(OSError):
            for path in folder.glob(f"{Path(BERT_GRAPH_NAME).stem}.*"):
                if path.suffix in (".onnx", ".data"):
                    path.unlink()


def _add_failure_note(folder: Path) -> None:
    """Say in the BERT's description that it stays as it is."""
    note = localize(
        "追加の確認を完了できませんでした。BERT はこのまま使えます。",
        "The full check could not be completed. The BERT can be used as it is.",
    )
    rewrite_bert(folder, {"note": note})
