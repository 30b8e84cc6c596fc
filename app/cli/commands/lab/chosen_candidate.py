"""What happens to the candidate of `--keep`: a folder, a blind test, a part of what is installed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import InputError, OutputFileError
from app.lab.rows import Row
from app.language import localized
from app.progress import Report
from app.system_errors import reason_of

if TYPE_CHECKING:
    from app.lab.subject import Subject


def check_keeping(options: argparse.Namespace) -> None:
    """Raises InputError where `--keep` and what it is for do not fit."""
    uses = options.output is not None or options.test is not None or options.install
    if (options.keep is not None) != uses:
        raise InputError(
            localized(
                "--keep は -o、--test、--install のどれかと一緒に指定してください。",
                "--keep needs -o, --test or --install, and they need --keep.",
            ),
            localized("例: --keep int8 -o フォルダー", "For example: --keep int8 -o FOLDER"),
        )
    if (options.test is not None or options.install) and options.only and options.keep not in options.only.split(","):
        raise InputError(
            localized("--only に --keep の候補が含まれていません。", "--only does not contain the candidate of --keep."),
            localized(f"例: --only {options.keep} --keep {options.keep}", f"For example: --only {options.keep} --keep {options.keep}"),
        )


def with_chosen(subject: Subject, options: argparse.Namespace, graphs: Sequence[str], folder: Path, report: Report) -> Iterator[Row]:
    """What happens to the candidate that was kept in a folder."""
    from app.lab.optimise.heard import write_test  # with the text front end
    from app.lab.optimise.slot import install

    for graph in graphs:
        made = next(path for name in (f"{graph}.onnx", f"{graph}_int8.onnx", f"{graph}.ort") if (path := folder / name).is_file())
        if options.test is not None:
            yield write_test(subject, graph, options.keep, made, Path(options.test), report)
        if options.install:
            yield install(subject, graph, options.keep, made)


def folder_for(options: argparse.Namespace) -> Path | None:
    """An empty folder, made where there is none; a voice or BERT that is installed is never written to."""
    if options.output is None:
        return None
    folder = Path(options.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(folder.iterdir())
    except (OSError, ValueError) as exc:
        raise OutputFileError(
            localized(f"フォルダーに書き込めません: {folder}", f"Cannot write to this folder: {folder}"),
            localized(f"別のフォルダーを指定してください。（{reason_of(exc)}）", f"Specify another folder. ({reason_of(exc)})"),
        ) from exc
    if occupied:
        raise InputError(
            localized(f"フォルダーが空ではありません: {folder}", f"This folder is not empty: {folder}"),
            localized("空のフォルダーを指定してください。", "Specify an empty folder."),
        )
    return folder
