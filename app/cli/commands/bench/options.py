"""The options of `koebako bench`."""

from __future__ import annotations

import argparse
from typing import Any

from app.cli.voice_options import add_voice_options
from app.common.command_parser import CommandParser, add_command_parser
from app.common.language import localize


def add_bench(commands: Any) -> None:
    """Add the `bench` command and the options for the timed parts and the number of repeats."""
    parser = add_command_parser(commands, "bench", "処理ごとの時間を測定する", "measure how long each stage takes")
    add_voice_options(parser)
    _add_measurement(parser)


def _add_measurement(parser: CommandParser) -> None:
    parser.add_argument(
        "--tokens", default="5,20,40", metavar="N,N", help=localize("テキストの長さ（BERT のトークン数）", "text lengths, in BERT tokens")
    )
    parser.add_argument("--lines", action="store_true", help=localize("短い行と長い行も測定する", "also measure a short and a long line"))
    parser.add_argument("--bert", metavar="ID|PATH", help=localize("BERT（既定: 声が使うもの）", "BERT (default: the one the voice needs)"))
    parser.add_argument("--csv", action="store_true", help=localize("結果を CSV で出力する", "print the results as CSV"))
    parser.add_argument("--plot", metavar="FILE", help=localize("結果のグラフの保存先（.svg）", "write a chart of the results (.svg)"))
    parser.add_argument(
        "--runs", type=int, default=10, metavar="N", help=localize("測定回数（既定: 10）", "number of measured runs (default: 10)")
    )
    parser.add_argument(
        "--warmup", type=int, default=3, metavar="N", help=localize("測定前の試行回数（既定: 3）", "number of warm-up runs (default: 3)")
    )
    parser.add_argument(
        "--reference",
        action="store_true",
        help=localize(
            "元のファイルを変換せずに使う構成と交互に測定して比較する（--voice と --bert に元のファイルを指定）",
            "compare, in turns, with a setup that runs the original files (given by --voice and --bert)",
        ),
    )
    parser.add_argument(
        "--turns",
        type=int,
        default=12,
        metavar="N",
        help=localize("--reference で交互に測定する回数（既定: 12）", "number of turns for --reference (default: 12)"),
    )
    parser.add_argument("--memory-of", choices=["ours", "reference"], help=argparse.SUPPRESS)  # our own child processes
