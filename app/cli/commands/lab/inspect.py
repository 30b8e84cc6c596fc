"""`koebako lab inspect`: what the graphs of a voice or BERT are made of."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.cli.commands.lab.sizes import add_sizes, sizes_of
from app.command_parser import Parser
from app.lab.rows import Row
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which `--help` does not need

CONFINES_ITSELF = True  # every graph, also one that nobody has proved, within strict limits


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "グラフの構成を表示する", "show what the graphs are made of"


def add_options(parser: Parser) -> None:
    """For a sentence of which size multiply-adds are counted."""
    add_sizes(parser)


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Rows of every graph; see `app.lab.inspect.rows`."""
    from app.lab.inspect.rows import inspect_rows

    yield from inspect_rows(subject, sizes_of(options), report)
