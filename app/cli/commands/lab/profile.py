"""`koebako lab profile`: where the time goes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.commands.lab.repeat_options import add_repeats, repeats_of
from app.cli.whole_file import check_target, write_whole
from app.command_parser import Parser
from app.errors import InputError
from app.lab.rows import Row
from app.language import localized
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which `--help` does not need

MOST_DEPTH = 8
READS = True  # sentences, with a BERT


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "処理時間の内訳を測定する", "show where the time goes"


def add_options(parser: Parser) -> None:
    """What is spoken, on what, how often, and files for traces."""
    parser.add_argument(
        "--text", metavar="TEXT", help=localized("読み上げる文（既定: 約 2 秒の文）", "text to speak (default: one of about 2 s)")
    )
    parser.add_argument(
        "--backend", default="cpu", metavar="NAME[:ADAPTER]", help=localized("バックエンド（既定: cpu）", "backend (default: cpu)")
    )
    parser.add_argument(
        "--bert", metavar="ID|PATH", help=localized("使用する BERT（既定: 声が指定するもの）", "BERT to use (default: the voice's own)")
    )
    add_repeats(parser)
    parser.add_argument(
        "--depth",
        type=int,
        default=1,
        metavar="N",
        help=localized("モジュールを区別する階層の深さ（既定: 1）", "levels of modules to distinguish (default: 1)"),
    )
    parser.add_argument(
        "--trace",
        metavar="FILE",
        help=localized("Chrome トレースの保存先（.json、Perfetto で開ける）", "write a Chrome trace (.json), which Perfetto opens"),
    )
    parser.add_argument("--against", metavar="FILE", help=localized("以前のトレースと比較する", "compare with an earlier trace"))


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Stages, modules, operators, memory."""
    from app.bench.texts import LINES
    from app.lab.profile.chrome import read_rows
    from app.lab.profile.run import Wishes, profiled

    earlier = read_rows(Path(options.against)) if options.against is not None else None
    repeats = repeats_of(options)
    text = LINES["short"] if options.text is None else options.text
    found = profiled(subject, Wishes(text, options.backend, options.bert, options.depth, repeats), report)
    if options.trace is not None:
        write_whole(Path(options.trace), found.trace().encode("utf-8"))
    yield from found.found(earlier)


def check_options(options: argparse.Namespace) -> None:
    """Raises InputError for numbers out of range and files that are no traces, OutputFileError where none can be written."""
    repeats_of(options)
    if not 1 <= options.depth <= MOST_DEPTH:
        raise InputError(
            localized(f"--depth には 1 から {MOST_DEPTH} までの値を指定してください。", f"--depth must be from 1 to {MOST_DEPTH}."),
            localized("例: --depth 1", "For example: --depth 1"),
        )
    from app.adapters.ort.placement import parse_placement  # with ONNX Runtime, which options do not need

    parse_placement(options.backend)
    if options.trace is not None:
        check_target(Path(options.trace), ".json")
    if options.against is not None:
        from app.lab.profile.chrome import read_rows

        read_rows(Path(options.against))
