"""`koebako lab profile`: where the time goes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.atomic_output import check_output_path, refuse_existing_file, write_output_file
from app.cli.commands.lab.shared_options import add_repeat_options, parse_repeats
from app.common.command_parser import CommandParser
from app.common.errors import InputError
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import ReportRow

if TYPE_CHECKING:
    # With all that prepares voices, which `--help` does not need.
    from app.lab.lab_subject import LabSubject

MAX_PROFILE_DEPTH = 8
READS = True  # sentences, with a BERT


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "処理時間の内訳を測定する", "show where the time goes"


def add_options(parser: CommandParser) -> None:
    """Add the options for the text, the device, the number of repeats and the trace files."""
    parser.add_argument(
        "--text", metavar="TEXT", help=localize("読み上げる文（既定: 約 2 秒の文）", "text to speak (default: one of about 2 s)")
    )
    parser.add_argument(
        "--backend", default="cpu", metavar="NAME[:ADAPTER]", help=localize("バックエンド（既定: cpu）", "backend (default: cpu)")
    )
    parser.add_argument(
        "--bert", metavar="ID|PATH", help=localize("使用する BERT（既定: 声が指定するもの）", "BERT to use (default: the voice's own)")
    )
    add_repeat_options(parser)
    parser.add_argument(
        "--depth",
        type=int,
        default=1,
        metavar="N",
        help=localize("モジュールを区別する階層の深さ（既定: 1）", "levels of modules to distinguish (default: 1)"),
    )
    parser.add_argument(
        "--trace",
        metavar="FILE",
        help=localize("Chrome トレースの保存先（.json、Perfetto で開ける）", "write a Chrome trace (.json), which Perfetto opens"),
    )
    parser.add_argument("--against", metavar="FILE", help=localize("以前のトレースと比較する", "compare with an earlier trace"))


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[ReportRow]:
    """Yield the rows of stages, modules, operators and memory."""
    from app.bench.bench_texts import BENCH_LINES
    from app.lab.profile.profile_run import ProfileOptions, read_earlier_rows, run_profile

    earlier = read_earlier_rows(Path(options.against)) if options.against is not None else None
    repeats = parse_repeats(options)
    text = BENCH_LINES["short"] if options.text is None else options.text
    found = run_profile(subject, ProfileOptions(text, options.backend, options.bert, options.depth, repeats), report)
    if options.trace is not None:
        write_output_file(Path(options.trace), found.build_trace().encode("utf-8"))
    yield from found.build_rows(earlier)


def check_options(options: argparse.Namespace) -> None:
    """Raise InputError for numbers out of range and files that are no traces, OutputFileError if a file cannot be written."""
    parse_repeats(options)
    if not 1 <= options.depth <= MAX_PROFILE_DEPTH:
        raise InputError(
            localize(
                f"--depth には 1 から {MAX_PROFILE_DEPTH} までの値を指定してください。", f"--depth must be from 1 to {MAX_PROFILE_DEPTH}."
            ),
            localize("例: --depth 1", "For example: --depth 1"),
        )
    # With ONNX Runtime, which options do not need.
    from app.adapters.ort.device_placement import parse_placement

    parse_placement(options.backend)
    if options.trace is not None:
        check_output_path(Path(options.trace), ".json")
        refuse_existing_file(Path(options.trace), may_replace=True, sources=[options.against])
    if options.against is not None:
        from app.lab.profile.profile_run import read_earlier_rows

        read_earlier_rows(Path(options.against))
