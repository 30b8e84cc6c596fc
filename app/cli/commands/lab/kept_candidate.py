"""Uses the candidate of `--keep` as a folder, a blind test or a part of an installed voice or BERT."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.common.errors import InputError, OutputFileError
from app.common.language import localize
from app.common.progress import Report
from app.common.system_errors import describe_reason
from app.lab.report_rows import Row

if TYPE_CHECKING:
    from app.lab.lab_subject import LabSubject


def check_keep_options(options: argparse.Namespace) -> None:
    """Raise InputError if `--keep` and its purpose do not fit."""
    uses = options.output is not None or options.test is not None or options.install
    if (options.keep is not None) != uses:
        raise InputError(
            localize(
                "--keep は -o、--test、--install のどれかと一緒に指定してください。",
                "--keep needs -o, --test or --install, and they need --keep.",
            ),
            localize("例: --keep int8 -o フォルダー", "For example: --keep int8 -o FOLDER"),
        )
    if (options.test is not None or options.install) and options.only and options.keep not in options.only.split(","):
        raise InputError(
            localize("--only に --keep の候補が含まれていません。", "--only does not contain the candidate of --keep."),
            localize(f"例: --only {options.keep} --keep {options.keep}", f"For example: --only {options.keep} --keep {options.keep}"),
        )


def use_kept_candidate(
    subject: LabSubject, options: argparse.Namespace, graphs: Sequence[str], folder: Path, report: Report
) -> Iterator[Row]:
    """Use the candidate that was kept in a folder."""
    from app.lab.optimise.candidate_slot import install_candidate

    # With the text front end.
    from app.lab.optimise.listening_test import write_listening_test

    for graph in graphs:
        made = next(path for name in (f"{graph}.onnx", f"{graph}_int8.onnx", f"{graph}.ort") if (path := folder / name).is_file())
        if options.test is not None:
            yield write_listening_test(subject, graph, options.keep, made, Path(options.test), report)
        if options.install:
            yield install_candidate(subject, graph, options.keep, made)


def create_output_folder(options: argparse.Namespace) -> Path | None:
    """Return an empty folder, made if there is none; an installed voice or BERT is never written to."""
    if options.output is None:
        return None
    folder = Path(options.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(folder.iterdir())
    except (OSError, ValueError) as exc:
        raise OutputFileError(
            localize(f"フォルダーに書き込めません: {folder}", f"Cannot write to this folder: {folder}"),
            localize(f"別のフォルダーを指定してください。（{describe_reason(exc)}）", f"Specify another folder. ({describe_reason(exc)})"),
        ) from exc
    if occupied:
        raise InputError(
            localize(f"フォルダーが空ではありません: {folder}", f"This folder is not empty: {folder}"),
            localize("空のフォルダーを指定してください。", "Specify an empty folder."),
        )
    return folder
