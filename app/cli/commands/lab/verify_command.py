"""`koebako lab verify`: whether every way to compute a graph gives the same."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from app.cli.commands.lab.shared_options import parse_devices
from app.common.command_parser import CommandParser
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import Row

if TYPE_CHECKING:
    # With all that prepares voices, which `--help` does not need.
    from app.lab.lab_subject import LabSubject

VERIFY_FAILED_EXIT_CODE = 3
ALL_BACKENDS = "all"
SPECIAL_BACKENDS = (ALL_BACKENDS, "auto")
READS = True  # sentences, with a BERT


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "計算結果が一致するか検証する", "verify that every way to compute the graphs gives the same result"


def add_options(parser: CommandParser) -> None:
    """Add the options for further comparisons."""
    parser.add_argument(
        "--backend",
        default=ALL_BACKENDS,
        metavar="NAME,NAME",
        help=localize(
            "CPU と比較するバックエンド（既定: 利用可能なすべて）", "backends to compare with the CPU (default: all that are there)"
        ),
    )
    parser.add_argument(
        "--sweep",
        action="store_true",
        help=localize(
            "長さ 1～64、128、256、510、512 と複数文の同時計算も検証する",
            "also verify lengths 1 to 64, 128, 256, 510 and 512, and several sentences at once",
        ),
    )


def check_options(options: argparse.Namespace) -> None:
    """Raise BackendError for an unknown backend."""
    parse_devices(options.backend, SPECIAL_BACKENDS)


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Yield a row for each comparison and sentence."""
    # Onnx is slow to import.
    from app.lab.verify.verification_run import verify_subject

    yield from verify_subject(subject, _list_devices(options.backend), should_sweep=options.sweep, report=report)


def _list_devices(backends: str) -> list[str]:
    """Return all devices but the CPU, with which they are compared."""
    from app.adapters.ort.devices.ort_devices import list_usable_backends

    names = list_usable_backends() if backends == ALL_BACKENDS else parse_devices(backends, SPECIAL_BACKENDS)
    return [name for name in names if name not in ("cpu", "auto")]


def choose_exit_code(rows: Sequence[Row]) -> int:
    """Return 3 if a limit was exceeded, else 0."""
    from app.lab.verify.verification_run import has_passed

    return 0 if has_passed(rows) else VERIFY_FAILED_EXIT_CODE
