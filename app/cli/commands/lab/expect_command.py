"""`koebako lab expect`: how long graphs should take on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.cli.commands.lab.repeat_options import add_repeat_options, parse_repeats
from app.cli.commands.lab.size_options import add_size_options, parse_sizes
from app.common.command_parser import CommandParser
from app.common.progress import Report
from app.lab.report_rows import Row

if TYPE_CHECKING:
    # With all that prepares voices, which `--help` does not need.
    from app.lab.lab_subject import LabSubject

# Every graph, also one that nobody has proved, within strict limits.
CONFINES_ITSELF = True


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "想定時間と実測時間を比較する", "compare expected and measured time"


def add_options(parser: CommandParser) -> None:
    """Add options for the size of the sentence, and for the number of runs."""
    add_size_options(parser)
    add_repeat_options(parser)


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Yield the rows of every graph; see `app.lab.expect.expect_rows`."""
    from app.lab.expect.expect_rows import build_expect_rows

    yield from build_expect_rows(subject, parse_sizes(options), parse_repeats(options), report)
