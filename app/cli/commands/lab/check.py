"""`koebako lab check`: whether a voice or BERT is what it should be; for continuous integration."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.whole_file import write_whole
from app.command_parser import Parser
from app.errors import InputError
from app.lab.rows import Row
from app.language import localized
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject

READS = True  # sentences, with a BERT

# What checks, and what opens sessions, is imported where it is used: `--help` needs none of it.


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "声や BERT に問題がないか検査する（CI 向け）", "check a voice or BERT for problems (for CI)"


def add_options(parser: Parser) -> None:
    """Where placement is checked, what is too slow, and where JUnit goes."""
    parser.add_argument(
        "--backend",
        default="cpu",
        metavar="NAME[:ADAPTER]",
        help=localized("割り当てを検査するバックエンド（既定: cpu）", "backend whose placement is checked (default: cpu)"),
    )
    parser.add_argument(
        "--budget-ms",
        type=float,
        metavar="MS",
        help=localized(
            "再生が始まるまで（BERT は特徴量が出るまで）の時間の上限（既定: なし）",
            "limit until the first audio, or a BERT's features (default: none)",
        ),
    )
    parser.add_argument("--junit", metavar="FILE", help=localized("JUnit 形式の保存先（.xml）", "write the results as JUnit (.xml)"))


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """A row a finding; writes the JUnit file after the last."""
    from app.adapters.ort.placement import parse_placement
    from app.lab.check.junit import as_junit
    from app.lab.check.run import checks

    budget = options.budget_ms
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        raise InputError(
            localized(f"時間の上限が正しくありません: {budget:g}", f"The budget is not valid: {budget:g}"),
            localized("0 より大きいミリ秒を指定してください。", "Specify milliseconds above 0."),
        )
    found = []
    for row in checks(subject, placement=parse_placement(options.backend), budget_ms=budget, report=report):
        found.append(row)
        yield row
    if options.junit is not None:
        write_whole(Path(options.junit), as_junit(found, subject.name))


def exit_code(rows: Sequence[Row]) -> int:
    """0 where everything passed, else 3."""
    from app.lab.check.finding import FAILED_CODE, all_passed

    return 0 if all_passed(rows) else FAILED_CODE
