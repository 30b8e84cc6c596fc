"""`koebako lab inspect`: what the graphs of a voice or BERT are made of."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

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
    return "グラフの構成を表示する", "show what the graphs are made of"


def add_options(parser: CommandParser) -> None:
    """Add options for the size of the sentence whose multiply-adds are counted."""
    add_size_options(parser)


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Yield the rows of every graph; see `app.lab.inspect.inspect_rows`."""
    from app.lab.inspect.inspect_rows import build_inspect_rows

    yield from build_inspect_rows(subject, parse_sizes(options), report)
