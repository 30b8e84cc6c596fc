"""The options of `koebako backends`."""

import argparse
from typing import Any

from app.cli.voice_options import add_licence_option
from app.common.command_parser import add_command_parser


def add_backends(commands: Any) -> None:
    parser = add_command_parser(commands, "backends", "バックエンドの一覧を表示する、または速度を測定する", "list or measure the backends")
    parser.add_switch(
        "--probe", "すべて測定し、一番速いものを記録する（auto が使用）", "measure all of them and remember the fastest, for auto"
    )
    parser.add_switch("--retry", "最近異常終了したものも測定する", "also try backends that crashed or hung recently")
    parser.add_option(
        "--voice",
        "測定に使う声（既定: voices list のうち、必要な BERT がある先頭の声）",
        "voice to measure with (default: the first in `voices list` whose BERT is installed)",
        metavar="ID|NAME|PATH",
    )
    add_licence_option(parser)
    parser.set_defaults(force_bert=True)
    parser.add_argument("--trial", help=argparse.SUPPRESS)  # our own child processes
    parser.add_argument("--calls", help=argparse.SUPPRESS)
