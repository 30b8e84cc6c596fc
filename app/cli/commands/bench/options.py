"""The options of `koebako bench`."""

import argparse
from typing import Any

from app.cli.voice_options import add_voice_options
from app.common.command_parser import CommandParser, add_command_parser


def add_bench(commands: Any) -> None:
    parser = add_command_parser(commands, "bench", "処理ごとの時間を測定する", "measure how long each stage takes")
    add_voice_options(parser)
    _add_measurement(parser)


def _add_measurement(parser: CommandParser) -> None:
    parser.add_option("--tokens", "テキストの長さ（BERT のトークン数）", "text lengths, in BERT tokens", default="5,20,40", metavar="N,N")
    parser.add_switch("--lines", "短い行と長い行も測定する", "also measure a short and a long line")
    parser.add_option("--bert", "BERT（既定: 声が使うもの）", "BERT (default: the one the voice needs)", metavar="ID|PATH")
    parser.add_switch("--csv", "結果を CSV で出力する", "print the results as CSV")
    parser.add_option("--plot", "結果のグラフの保存先（.svg）", "write a chart of the results (.svg)", metavar="FILE")
    parser.add_option("--runs", "測定回数（既定: 10）", "number of measured runs (default: 10)", type=int, default=10, metavar="N")
    parser.add_option("--warmup", "測定前の試行回数（既定: 3）", "number of warm-up runs (default: 3)", type=int, default=3, metavar="N")
    parser.add_switch(
        "--reference",
        "元のファイルを変換せずに使う構成と交互に測定して比較する（--voice と --bert に元のファイルを指定）",
        "compare, in turns, with a setup that runs the original files (given by --voice and --bert)",
    )
    parser.add_option(
        "--turns",
        "--reference で交互に測定する回数（既定: 12）",
        "number of turns for --reference (default: 12)",
        type=int,
        default=12,
        metavar="N",
    )
    parser.add_argument("--memory-of", choices=["ours", "reference"], help=argparse.SUPPRESS)  # our own child processes
