"""How long the sentence is that graphs are counted and timed with."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.command_parser import Parser
from app.errors import InputError
from app.language import localized

if TYPE_CHECKING:
    from app.lab.given import Sizes

MOST = {"symbols": 2000, "frames": 20_000, "tokens": 510}
DEFAULTS = {"symbols": 61, "frames": 256, "tokens": 20}
LEAST = 3


def add_sizes(parser: Parser) -> None:
    """`--symbols`, `--frames` and `--tokens`."""
    words = {
        "symbols": ("テキストの記号の数", "symbols of the text"),
        "frames": ("音声のフレーム数", "frames of sound"),
        "tokens": ("BERT のトークン数", "BERT tokens"),
    }
    for name, (ja, en) in words.items():
        text = localized(f"{ja}（既定: {DEFAULTS[name]}）", f"{en} (default: {DEFAULTS[name]})")
        parser.add_argument(f"--{name}", type=int, default=DEFAULTS[name], metavar="N", help=text)


def sizes_of(options: argparse.Namespace) -> Sizes:
    """Those that were asked for; InputError where one is out of bounds."""
    from app.lab.given import Sizes  # numpy and onnx, which `--help` does not need

    for name, most in MOST.items():
        if not LEAST <= getattr(options, name) <= most:
            raise InputError(
                localized(f"--{name} には {LEAST} から {most} までの値を指定してください。", f"--{name} must be from {LEAST} to {most}."),
                localized(f"例: --{name} {DEFAULTS[name]}", f"For example: --{name} {DEFAULTS[name]}"),
            )
    return Sizes(options.symbols, options.frames, options.tokens)
