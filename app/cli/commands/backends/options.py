"""The options of `koebako backends`."""

from __future__ import annotations

import argparse
from typing import Any

from app.cli.voice_options import add_licence_option
from app.command_parser import add_command
from app.language import localized


def add_backends(commands: Any) -> None:
    """`koebako backends`."""
    parser = add_command(commands, "backends", "計算に使える装置を調べる、または速さを測る", "list what can compute, or measure it")
    parser.add_argument(
        "--probe",
        action="store_true",
        help=localized("すべて試して一番速いものを覚える(auto が使う)", "try all of them and remember the fastest, for auto"),
    )
    parser.add_argument(
        "--retry", action="store_true", help=localized("最近異常終了したものも試す", "also try what crashed or hung not long ago")
    )
    parser.add_argument(
        "--voice",
        metavar="ID|NAME|PATH",
        help=localized("測る声(省略すると voices list の最初の声)", "the voice to measure with (default: the first of `voices list`)"),
    )
    add_licence_option(parser)
    parser.set_defaults(force_bert=True)
    parser.add_argument("--trial", help=argparse.SUPPRESS)  # our own child processes
    parser.add_argument("--calls", help=argparse.SUPPRESS)
