"""The options for the number of repeats of a measurement: hyperfine's rule by default."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.common.command_parser import CommandParser
from app.common.errors import InputError
from app.common.language import localize

if TYPE_CHECKING:
    from app.lab.repeat_rule import Repeats

DEFAULT_REPEATS = {"warmup": 10, "runs": 10, "turns": 10, "seconds": 3.0}
MIN_REPEATS = {"warmup": 0, "runs": 1, "turns": 1, "seconds": 0}
MAX_REPEATS = {"warmup": 1000, "runs": 1000, "turns": 1000, "seconds": 600}


def add_repeat_options(parser: CommandParser, count_option: str = "runs") -> None:
    """Add `--warmup`, `--seconds` and an option for the least number of counted runs."""
    words = {
        "warmup": ("測定前の実行回数", "runs before measuring"),
        count_option: ("測定回数の下限", "minimum number of measured runs"),
        "seconds": ("測定時間の下限（秒）", "minimum time of measuring, in seconds"),
    }
    for name, (ja, en) in words.items():
        default = DEFAULT_REPEATS[name]
        text = localize(f"{ja}（既定: {default:g}）", f"{en} (default: {default:g})")
        parser.add_argument(f"--{name}", type=type(default), default=default, metavar="S" if name == "seconds" else "N", help=text)


def parse_repeats(options: argparse.Namespace, count_option: str = "runs") -> Repeats:
    """Return the requested repeats; raise InputError if one is out of bounds."""
    # With numpy, which `--help` does not need.
    from app.lab.repeat_rule import Repeats

    for name in ("warmup", count_option, "seconds"):
        if not MIN_REPEATS[name] <= getattr(options, name) <= MAX_REPEATS[name]:
            raise InputError(
                localize(
                    f"--{name} には {MIN_REPEATS[name]} から {MAX_REPEATS[name]} までの値を指定してください。",
                    f"--{name} must be from {MIN_REPEATS[name]} to {MAX_REPEATS[name]}.",
                ),
                localize(f"例: --{name} {DEFAULT_REPEATS[name]:g}", f"For example: --{name} {DEFAULT_REPEATS[name]:g}"),
            )
    return Repeats(getattr(options, count_option), options.warmup, options.seconds)
