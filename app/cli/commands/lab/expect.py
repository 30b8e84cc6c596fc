"""`koebako lab expect`: how long graphs should take on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.cli.commands.lab.repeat_options import add_repeats, repeats_of
from app.cli.commands.lab.sizes import add_sizes, sizes_of
from app.command_parser import Parser
from app.lab.rows import Row
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which `--help` does not need

CONFINES_ITSELF = True  # every graph, also one that nobody has proved, within strict limits


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "想定時間と実測時間を比較する", "compare expected and measured time"


def add_options(parser: Parser) -> None:
    """For a sentence of which size, and how often."""
    add_sizes(parser)
    add_repeats(parser)


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Rows of every graph; see `app.lab.expect.rows`."""
    from app.lab.expect.rows import expect_rows

    yield from expect_rows(subject, sizes_of(options), repeats_of(options), report)
