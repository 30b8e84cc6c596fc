"""`koebako lab place`: which backend could run which operators."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.adapters.ort.backends import BACKENDS
from app.cli.commands.lab.device_option import parse_devices
from app.common.command_parser import CommandParser
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import Row

if TYPE_CHECKING:
    # With all that prepares voices, which `--help` does not need.
    from app.lab.lab_subject import LabSubject

KNOWN, ALL = "auto", "all"


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "バックエンドごとの対応状況を表示する", "show what each backend can run"


def add_options(parser: CommandParser) -> None:
    """Add the options that choose the backends."""
    parser.add_argument(
        "--backend",
        default=KNOWN,
        metavar="NAME[:ADAPTER],…|all",
        help=localize(
            "バックエンド（既定: CPU、DirectML と、使用できるもの）", "backends (default: the CPU, DirectML and those that are available)"
        ),
    )


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Yield a row for each backend and graph."""
    from app.lab.place.coverage_rows import build_coverage_rows, list_known_devices

    listed = {KNOWN: list_known_devices(), ALL: list(BACKENDS)}
    yield from build_coverage_rows(subject, listed.get(options.backend) or parse_devices(options.backend), report)


def check_options(options: argparse.Namespace) -> None:
    """Raise BackendError for an unknown backend."""
    if options.backend not in (KNOWN, ALL):
        parse_devices(options.backend, [ALL])
