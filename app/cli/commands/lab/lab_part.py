"""A part of `koebako lab`, the options that several have: how often to measure (hyperfine's rule by default), sizes, backends.

Here is also which parts there are and what options each takes, for programs such as our own window (`koebako lab parts`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.common.command_parser import CommandParser
from app.common.errors import BackendError, InputError
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import Row, make_row

if TYPE_CHECKING:
    from app.bench.repeated_runs import Repeats
    from app.lab.lab_subject import LabSubject
    from app.lab.synthetic_runs import InputSizes

DEFAULT_REPEATS = {"warmup": 10, "runs": 10, "turns": 10, "seconds": 3.0}
MIN_REPEATS = {"warmup": 0, "runs": 1, "turns": 1, "seconds": 0}
MAX_REPEATS = {"warmup": 1000, "runs": 1000, "turns": 1000, "seconds": 600}
MAX_SIZES = {"symbols": 2000, "frames": 20_000, "tokens": 510}
DEFAULT_SIZES = {"symbols": 61, "frames": 256, "tokens": 20}
MIN_SIZE = 3


class LabPart:
    """A part: its options, and what it finds in a subject."""

    summary: ClassVar[tuple[str, str]]  # one line of help, in both languages
    reads_text: ClassVar[bool] = False  # it speaks or reads sentences, with a BERT
    confines_itself: ClassVar[bool] = False  # it looks into every graph, also one that nobody has proved, within strict limits of its own

    def add_options(self, parser: CommandParser) -> None:
        raise NotImplementedError

    def check_options(self, options: argparse.Namespace) -> None:
        """Raise an AppError for what can be refused before a voice is prepared for minutes."""

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield the findings as they come."""
        raise NotImplementedError

    def choose_exit_code(self, _rows: Sequence[Row]) -> int:
        return 0


class _OptionRecorder(CommandParser):
    """Notes what is added."""

    def __init__(self) -> None:
        self.actions: list[argparse.Action] = []
        super().__init__()

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        self.actions.append(super().add_argument(*names, **settings))
        return self.actions[-1]


def list_commands(parts: Mapping[str, LabPart]) -> Iterator[Row]:
    """Yield a row for each part, and at the end the places that `--backend` takes here."""
    for name, part in parts.items():
        parser = _OptionRecorder()
        part.add_options(parser)
        options = [_describe_option(action) for action in parser.actions if action.option_strings and action.dest != "help"]
        yield make_row("part", part=name, summary=localize(*part.summary), options=options)
    from app.adapters.ort.devices.ort_devices import has_device, list_places  # with ONNX Runtime

    yield make_row("places", places=[device for device in filter(has_device, list_places()) if device != "cpu"] + ["cpu"])


def _describe_option(action: argparse.Action) -> Row:
    many = action.nargs in ("*", "+") or (isinstance(action.nargs, int) and action.nargs > 0)
    kind = "switch" if action.nargs == 0 else "number" if action.type in (int, float) and not many else "text"
    default = " ".join(map(str, action.default)) if isinstance(action.default, list | tuple) else action.default
    return {
        "option": action.option_strings[-1],
        "kind": kind,
        "many": many,
        "choices": [str(item) for item in action.choices] if action.choices is not None and not many else [],
        "default": "" if default is None else default if isinstance(default, bool | int | float) else str(default),
        "metavar": action.metavar if isinstance(action.metavar, str) else "",
        "help": (action.help or "").replace("%%", "%"),
    }


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
    from app.lab.synthetic_runs import InputSizes

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
    for device in places:
        if device not in other_names and parse_backend(device) not in BACKENDS:
            raise BackendError(
                localize(f"バックエンド「{device}」はありません。", f"Unknown backend “{device}”."),
                localize("指定できるもの: ", "Choose from: ") + ", ".join([*other_names, *BACKENDS]),
            )
    return places
