"""The options of `koebako bench`."""

from __future__ import annotations

import argparse
from typing import Any

from app.cli.voice_options import add_voice_options
from app.command_parser import Parser, add_command
from app.language import localized


def add_bench(commands: Any) -> None:
    """What is timed, and how often."""
    parser = add_command(commands, "bench", "段階ごとの時間を測る", "measure how long each stage takes")
    add_voice_options(parser)
    _add_measurement(parser)


def _add_measurement(parser: Parser) -> None:
    parser.add_argument(
        "--tokens", default="5,20,40", metavar="N,N", help=localized("文の長さ(BERT のトークン数)", "lengths of the texts in BERT tokens")
    )
    parser.add_argument("--lines", action="store_true", help=localized("短い行と長い行も測る", "also a short and a long line"))
    parser.add_argument(
        "--bert", metavar="ID|PATH", help=localized("BERT(省略すると声が求めるもの)", "the BERT (default: the one the voice names)")
    )
    parser.add_argument("--csv", action="store_true", help=localized("結果を CSV で出力する", "print the result as CSV"))
    parser.add_argument("--plot", metavar="FILE", help=localized("結果の図(.svg)", "a picture of the result (.svg)"))
    parser.add_argument("--runs", type=int, default=10, metavar="N", help=localized("測る回数(10)", "measured runs (10)"))
    parser.add_argument("--warmup", type=int, default=3, metavar="N", help=localized("測る前に動かす回数(3)", "runs before measuring (3)"))
    parser.add_argument(
        "--reference",
        action="store_true",
        help=localized(
            "元のファイルをそのまま使う構成と交互に測って比べる(--voice と --bert に元のファイル)",
            "compare, in turns, with a configuration that runs the files as they come (--voice and --bert name such files)",
        ),
    )
    parser.add_argument(
        "--turns", type=int, default=12, metavar="N", help=localized("--reference で交互に測る回数(12)", "turns of --reference (12)")
    )
    parser.add_argument("--memory-of", choices=["ours", "reference"], help=argparse.SUPPRESS)  # our own child processes
