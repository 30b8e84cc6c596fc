"""How often something is measured, as options: hyperfine's rule by default."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.command_parser import Parser
from app.errors import InputError
from app.language import localized

if TYPE_CHECKING:
    from app.lab.repeats import Repeats

DEFAULTS = {"warmup": 10, "runs": 10, "turns": 10, "seconds": 3.0}
LEAST = {"warmup": 0, "runs": 1, "turns": 1, "seconds": 0}
MOST = {"warmup": 1000, "runs": 1000, "turns": 1000, "seconds": 600}


def add_repeats(parser: Parser, counted: str = "runs") -> None:
    """`--warmup`, `--seconds` and an option for the least number of what counts."""
    words = {
        "warmup": ("測定前の実行回数", "runs before measuring"),
        counted: ("測定回数の下限", "minimum number of measured runs"),
        "seconds": ("測定時間の下限（秒）", "minimum time of measuring, in seconds"),
    }
    for name, (ja, en) in words.items():
        default = DEFAULTS[name]
        text = localized(f"{ja}（既定: {default:g}）", f"{en} (default: {default:g})")
        parser.add_argument(f"--{name}", type=type(default), default=default, metavar="S" if name == "seconds" else "N", help=text)


def repeats_of(options: argparse.Namespace, counted: str = "runs") -> Repeats:
    """Those that were asked for; InputError where one is out of bounds."""
    from app.lab.repeats import Repeats  # with numpy, which `--help` does not need

    for name in ("warmup", counted, "seconds"):
        if not LEAST[name] <= getattr(options, name) <= MOST[name]:
            raise InputError(
                localized(
                    f"--{name} には {LEAST[name]} から {MOST[name]} までの値を指定してください。",
                    f"--{name} must be from {LEAST[name]} to {MOST[name]}.",
                ),
                localized(f"例: --{name} {DEFAULTS[name]:g}", f"For example: --{name} {DEFAULTS[name]:g}"),
            )
    return Repeats(getattr(options, counted), options.warmup, options.seconds)
