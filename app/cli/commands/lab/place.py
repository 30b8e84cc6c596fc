"""`koebako lab place`: which backend could run which operators."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.adapters.ort.backends import BACKENDS
from app.cli.commands.lab.asked_places import places_of
from app.command_parser import Parser
from app.lab.rows import Row
from app.language import localized
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which `--help` does not need

KNOWN, ALL = "auto", "all"


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "バックエンドごとの対応状況を表示する", "show what each backend can run"


def add_options(parser: Parser) -> None:
    """Which backends."""
    parser.add_argument(
        "--backend",
        default=KNOWN,
        metavar="NAME[:ADAPTER],…|all",
        help=localized(
            "バックエンド（既定: CPU、DirectML と、使用できるもの）", "backends (default: the CPU, DirectML and those that are available)"
        ),
    )


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """A row a backend and graph."""
    from app.lab.place.rows import known_places, place_rows

    listed = {KNOWN: known_places(), ALL: list(BACKENDS)}
    yield from place_rows(subject, listed.get(options.backend) or places_of(options.backend), report)


def check_options(options: argparse.Namespace) -> None:
    """Raises BackendError for one that nobody knows."""
    if options.backend not in (KNOWN, ALL):
        places_of(options.backend, [ALL])
