"""The options for the length of the sentence with which graphs are counted and timed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.common.command_parser import CommandParser
from app.common.errors import InputError
from app.common.language import localize

if TYPE_CHECKING:
    from app.lab.synthetic_inputs import InputSizes

MAX_SIZES = {"symbols": 2000, "frames": 20_000, "tokens": 510}
DEFAULT_SIZES = {"symbols": 61, "frames": 256, "tokens": 20}
MIN_SIZE = 3


def add_size_options(parser: CommandParser) -> None:
    """Add `--symbols`, `--frames` and `--tokens`."""
    words = {
        "symbols": ("テキストの記号の数", "symbols of the text"),
        "frames": ("音声のフレーム数", "frames of sound"),
        "tokens": ("BERT のトークン数", "BERT tokens"),
    }
    for name, (ja, en) in words.items():
        text = localize(f"{ja}（既定: {DEFAULT_SIZES[name]}）", f"{en} (default: {DEFAULT_SIZES[name]})")
        parser.add_argument(f"--{name}", type=int, default=DEFAULT_SIZES[name], metavar="N", help=text)


def parse_sizes(options: argparse.Namespace) -> InputSizes:
    """Return the requested sizes; raise InputError if one is out of bounds."""
    # Numpy and onnx, which `--help` does not need.
    from app.lab.synthetic_inputs import InputSizes

    for name, most in MAX_SIZES.items():
        if not MIN_SIZE <= getattr(options, name) <= most:
            raise InputError(
                localize(
                    f"--{name} には {MIN_SIZE} から {most} までの値を指定してください。", f"--{name} must be from {MIN_SIZE} to {most}."
                ),
                localize(f"例: --{name} {DEFAULT_SIZES[name]}", f"For example: --{name} {DEFAULT_SIZES[name]}"),
            )
    return InputSizes(options.symbols, options.frames, options.tokens)
