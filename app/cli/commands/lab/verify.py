"""`koebako lab verify`: whether every way to compute a graph gives the same."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from app.cli.commands.lab.asked_places import places_of
from app.command_parser import Parser
from app.lab.rows import Row
from app.language import localized
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which `--help` does not need

FAILED = 3
ALL = "all"
OTHERS = (ALL, "auto")
READS = True  # sentences, with a BERT


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "計算結果が一致するか検証する", "verify that every way to compute the graphs gives the same result"


def add_options(parser: Parser) -> None:
    """What else is compared."""
    parser.add_argument(
        "--backend",
        default=ALL,
        metavar="NAME,NAME",
        help=localized(
            "CPU と比較するバックエンド（既定: 利用可能なすべて）", "backends to compare with the CPU (default: all that are there)"
        ),
    )
    parser.add_argument(
        "--sweep",
        action="store_true",
        help=localized(
            "長さ 1～64、128、256、510、512 と複数文の同時計算も検証する",
            "also verify lengths 1 to 64, 128, 256, 510 and 512, and several sentences at once",
        ),
    )


def check_options(options: argparse.Namespace) -> None:
    """Raises BackendError for a backend that nobody knows."""
    places_of(options.backend, OTHERS)


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """A row a comparison and sentence."""
    from app.lab.verify.run import verify_rows  # onnx is slow to import

    yield from verify_rows(subject, _places(options.backend), sweep=options.sweep, report=report)


def _places(asked: str) -> list[str]:
    """All but the CPU, with which they are compared."""
    from app.adapters.ort.providers import available_backends

    names = available_backends() if asked == ALL else places_of(asked, OTHERS)
    return [name for name in names if name not in ("cpu", "auto")]


def exit_code(found: Sequence[Row]) -> int:
    """3 where a limit was exceeded."""
    from app.lab.verify.run import passed

    return 0 if passed(found) else FAILED
