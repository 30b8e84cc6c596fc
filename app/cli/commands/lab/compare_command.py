"""`koebako lab compare`: which way to run a voice or BERT is the fastest, at which length."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.cli.commands.lab.device_option import parse_devices
from app.cli.commands.lab.repeat_options import add_repeat_options, parse_repeats
from app.common.command_parser import CommandParser
from app.common.errors import InputError
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import Row

if TYPE_CHECKING:
    # With all that prepares voices, which `--help` does not need.
    from app.lab.lab_subject import LabSubject

COMPARE_CHOICES = {
    "levels": ("none", "basic", "extended", "all"),
    "precisions": ("float32", "int8"),
    "formats": ("source", "prepared", "ort"),
}
READS = True  # sentences, with a BERT


def describe_command() -> tuple[str, str]:
    """Return one line of help, in both languages."""
    return "速度を交互に測定して比較する", "compare speeds, measured in turns"


def add_options(parser: CommandParser) -> None:
    """Add the options for the compared things and the number of repeats."""
    add = parser.add_argument
    add("--backend", default="cpu", metavar="NAME,NAME", help=localize("バックエンド（既定: cpu）", "backends (default: cpu)"))
    add(
        "--levels", default="all", metavar="LEVEL,…",
        help=localize("ONNX Runtime の最適化の段階: none、basic、extended、all（既定: all）", "levels of optimisation: none, basic, extended, all (default: all)"),
    )  # fmt: skip
    add(
        "--precisions", default="float32,int8", metavar="NAME,…",
        help=localize("精度: float32、int8（既定: すべて）", "precisions: float32, int8 (default: all that are there)"),
    )  # fmt: skip
    add(
        "--formats", default="source,prepared,ort", metavar="NAME,…",
        help=localize("グラフの形式: source、prepared、ort（既定: すべて）", "forms of the graphs: source, prepared, ort (default: all that are there)"),
    )  # fmt: skip
    add(
        "--tokens", default="5,20,40", metavar="N,N",
        help=localize("テキストの長さ（BERT のトークン数）。短い行と長い行も測定します", "text lengths, in BERT tokens; a short and a long line are measured as well"),
    )  # fmt: skip
    add(
        "--batch", default="1", metavar="N,N",
        help=localize("同時に計算する文の数（既定: 1）", "sentences at once (default: 1)"),
    )  # fmt: skip
    add_repeat_options(parser)


def check_options(options: argparse.Namespace) -> None:
    """Raise BackendError for an unknown backend, InputError for numbers out of range."""
    parse_devices(options.backend)
    parse_repeats(options)


def find_rows(subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """Yield a row for each candidate, graph, length and batch."""
    # Onnx is slow to import.
    from app.lab.compare.comparison_run import CompareOptions, run_comparison

    asked = CompareOptions(
        places=parse_devices(options.backend),
        levels=_parse_choices("levels", options.levels),
        precisions=_parse_choices("precisions", options.precisions),
        forms=_parse_choices("formats", options.formats),
        tokens=_parse_numbers("tokens", options.tokens),
        batches=_parse_numbers("batch", options.batch),
        repeats=parse_repeats(options),
    )
    yield from run_comparison(subject, asked, report)


def _parse_choices(option: str, text: str) -> list[str]:
    names = [item.strip() for item in text.split(",")]
    if not set(names) <= set(COMPARE_CHOICES[option]):
        raise _create_option_error(option, text, ",".join(COMPARE_CHOICES[option]))
    return list(dict.fromkeys(names))


def _parse_numbers(option: str, text: str) -> list[int]:
    try:
        numbers = [int(item) for item in text.split(",")]
    except ValueError:
        numbers = [0]
    if not all(1 <= number <= 510 for number in numbers):
        raise _create_option_error(option, text, "1,2,8")
    return list(dict.fromkeys(numbers))


def _create_option_error(option: str, text: str, example: str) -> InputError:
    return InputError(
        localize(f"--{option} の指定「{text}」が正しくありません。", f"“{text}” is not valid for --{option}."),
        localize(f"例: {example}", f"For example: {example}"),
    )
