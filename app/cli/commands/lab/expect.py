"""`koebako lab expect`: how long graphs should take on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.cli.commands.lab.sizes import add_sizes, sizes_of
from app.command_parser import Parser
from app.errors import InputError
from app.lab.rows import Row
from app.language import localized
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which `--help` does not need

MOST_RUNS = 1000
CONFINES_ITSELF = True  # every graph, also one that nobody has proved, within strict limits


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "計算にかかるはずの時間と実測時間を比較する", "compare expected and measured time"


def add_options(parser: Parser) -> None:
    """For a sentence of which size, and how often."""
    add_sizes(parser)
    parser.add_argument(
        "--runs", type=int, default=10, metavar="N", help=localized("測定回数（既定: 10）", "number of measured runs (default: 10)")
    )


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Rows of every graph; see `app.lab.expect.rows`."""
    if not 1 <= options.runs <= MOST_RUNS:
        raise InputError(
            localized(f"回数には 1 から {MOST_RUNS} までの値を指定してください。", f"The number of runs must be from 1 to {MOST_RUNS}."),
            "--runs 10",
        )
    from app.lab.expect.rows import expect_rows

    yield from expect_rows(subject, sizes_of(options), options.runs, report)
