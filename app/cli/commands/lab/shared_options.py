"""Options that several parts of the lab have: how often to measure (hyperfine's rule by default), sizes of the sentence, and backends."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.common.command_parser import CommandParser
from app.common.errors import BackendError, InputError
from app.common.language import localize

if TYPE_CHECKING:
    from app.bench.repeated_runs import Repeats
    from app.lab.synthetic_inputs import InputSizes

DEFAULT_REPEATS = {"warmup": 10, "runs": 10, "turns": 10, "seconds": 3.0}
MIN_REPEATS = {"warmup": 0, "runs": 1, "turns": 1, "seconds": 0}
MAX_REPEATS = {"warmup": 1000, "runs": 1000, "turns": 1000, "seconds": 600}
MAX_SIZES = {"symbols": 2000, "frames": 20_000, "tokens": 510}
DEFAULT_SIZES = {"symbols": 61, "frames": 256, "tokens": 20}
MIN_SIZE = 3


def add_repeat_options(parser: CommandParser, count_option: str = "runs") -> None:
    """Add `--warmup`, `--seconds` and an option for the least number of counted runs."""
    words = {
        "warmup": ("測定前の実行回数", "runs before measuring"),
        count_option: ("測定回数の下限", "minimum number of measured runs"),
        "seconds": ("測定時間の下限（秒）", "minimum time of measuring, in seconds"),
    }
    _add_number_options(parser, words, DEFAULT_REPEATS)


def parse_repeats(options: argparse.Namespace, count_option: str = "runs") -> Repeats:
    """Return the requested repeats; raise InputError if one is out of bounds."""
    # With numpy, which `--help` does not need.
    from app.bench.repeated_runs import Repeats

    for name in ("warmup", count_option, "seconds"):
        check_bounds(name, getattr(options, name), MIN_REPEATS[name], MAX_REPEATS[name], DEFAULT_REPEATS[name])
    return Repeats(getattr(options, count_option), options.warmup, options.seconds)


def add_size_options(parser: CommandParser) -> None:
    """Add `--symbols`, `--frames` and `--tokens`."""
    words = {
        "symbols": ("テキストの記号の数", "symbols of the text"),
        "frames": ("音声のフレーム数", "frames of sound"),
        "tokens": ("BERT のトークン数", "BERT tokens"),
    }
    _add_number_options(parser, words, DEFAULT_SIZES)


def parse_sizes(options: argparse.Namespace) -> InputSizes:
    """Return the requested sizes; raise InputError if one is out of bounds."""
    # Numpy and onnx, which `--help` does not need.
    from app.lab.synthetic_inputs import InputSizes

    for name, most in MAX_SIZES.items():
        check_bounds(name, getattr(options, name), MIN_SIZE, most, DEFAULT_SIZES[name])
    return InputSizes(options.symbols, options.frames, options.tokens)


def _add_number_options(parser: CommandParser, words: Mapping[str, tuple[str, str]], defaults: Mapping[str, float]) -> None:
    for name, (ja, en) in words.items():
        default = defaults[name]
        text = localize(f"{ja}（既定: {default:g}）", f"{en} (default: {default:g})")
        parser.add_argument(f"--{name}", type=type(default), default=default, metavar="S" if name == "seconds" else "N", help=text)


def check_bounds(name: str, value: float, low: float, high: float, example: float) -> None:
    """Raise InputError if the value of an option is out of bounds."""
    if not low <= value <= high:
        raise InputError(
            localize(f"--{name} には {low} から {high} までの値を指定してください。", f"--{name} must be from {low} to {high}."),
            localize(f"例: --{name} {example:g}", f"For example: --{name} {example:g}"),
        )


def parse_devices(text: str, other_names: Sequence[str] = ()) -> list[str]:
    """Return each place once, in lower case, and any of the other names; raise BackendError for an unknown one."""
    places = list(dict.fromkeys(item.strip().lower() for item in text.split(",")))
    for place in places:
        if place not in other_names and parse_backend(place) not in BACKENDS:
            raise BackendError(
                localize(f"バックエンド「{place}」はありません。", f"Unknown backend “{place}”."),
                localize("指定できるもの: ", "Choose from: ") + ", ".join([*other_names, *BACKENDS]),
            )
    return places
