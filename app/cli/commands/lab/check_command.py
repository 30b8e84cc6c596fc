"""`koebako lab check`: whether a voice or BERT is what it should be; for continuous integration."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.atomic_output import write_output_file
from app.common.command_parser import CommandParser
from app.common.errors import InputError
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import Row

if TYPE_CHECKING:
    from app.lab.lab_subject import LabSubject

READS = True  # sentences, with a BERT

# What checks, and what opens sessions, is imported where it is used: `--help` needs none of it.


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "声や BERT に問題がないか検査する（CI 向け）", "check a voice or BERT for problems (for CI)"


def add_options(parser: CommandParser) -> None:
    """Add the options for the placement check, the limit of speed and the JUnit file."""
    parser.add_argument(
        "--backend",
        default="cpu",
        metavar="NAME[:ADAPTER]",
        help=localize("割り当てを検査するバックエンド（既定: cpu）", "backend whose placement is checked (default: cpu)"),
    )
    parser.add_argument(
        "--budget-ms",
        type=float,
        metavar="MS",
        help=localize(
            "再生が始まるまで（BERT は特徴量が出るまで）の時間の上限（既定: なし）",
            "limit until the first audio, or a BERT's features (default: none)",
        ),
    )
    parser.add_argument("--junit", metavar="FILE", help=localize("JUnit 形式の保存先（.xml）", "write the results as JUnit (.xml)"))


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Yield a row for each finding, and write the JUnit file after the last."""
    from app.adapters.ort.device_placement import parse_placement
    from app.lab.check.junit import format_as_junit
    from app.lab.check.subject_checks import run_checks

    budget = options.budget_ms
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        raise InputError(
            localize(f"時間の上限が正しくありません: {budget:g}", f"The budget is not valid: {budget:g}"),
            localize("0 より大きいミリ秒を指定してください。", "Specify milliseconds above 0."),
        )
    found = []
    for row in run_checks(subject, placement=parse_placement(options.backend), budget_ms=budget, report=report):
        found.append(row)
        yield row
    if options.junit is not None:
        write_output_file(Path(options.junit), format_as_junit(found, subject.name))


def choose_exit_code(rows: Sequence[Row]) -> int:
    """Return 0 if everything passed, else 3."""
    from app.lab.check.check_row import FAILED_CODE, has_all_passed

    return 0 if has_all_passed(rows) else FAILED_CODE
