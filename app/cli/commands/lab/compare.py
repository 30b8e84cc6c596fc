"""`koebako lab compare`: which way to run a voice or BERT is the fastest, at which length."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.cli.commands.lab.asked_places import places_of
from app.cli.commands.lab.repeat_options import add_repeats, repeats_of
from app.command_parser import Parser
from app.errors import InputError
from app.lab.rows import Row
from app.language import localized
from app.progress import Report

if TYPE_CHECKING:
    from app.lab.subject import Subject  # with all that prepares voices, which `--help` does not need

CHOICES = {
    "levels": ("none", "basic", "extended", "all"),
    "precisions": ("float32", "int8"),
    "formats": ("source", "prepared", "ort"),
}
READS = True  # sentences, with a BERT


def summary() -> tuple[str, str]:
    """One line of help, in both languages."""
    return "速度を交互に測定して比較する", "compare speeds, measured in turns"


def add_options(parser: Parser) -> None:
    """What is compared, and how often."""
    add = parser.add_argument
    add("--backend", default="cpu", metavar="NAME,NAME", help=localized("バックエンド（既定: cpu）", "backends (default: cpu)"))
    add(
        "--levels", default="all", metavar="LEVEL,…",
        help=localized("ONNX Runtime の最適化の段階: none、basic、extended、all（既定: all）", "levels of optimisation: none, basic, extended, all (default: all)"),
    )  # fmt: skip
    add(
        "--precisions", default="float32,int8", metavar="NAME,…",
        help=localized("精度: float32、int8（既定: すべて）", "precisions: float32, int8 (default: all that are there)"),
    )  # fmt: skip
    add(
        "--formats", default="source,prepared,ort", metavar="NAME,…",
        help=localized("グラフの形式: source、prepared、ort（既定: すべて）", "forms of the graphs: source, prepared, ort (default: all that are there)"),
    )  # fmt: skip
    add(
        "--tokens", default="5,20,40", metavar="N,N",
        help=localized("テキストの長さ（BERT のトークン数）。短い行と長い行も測定します", "text lengths, in BERT tokens; a short and a long line are measured as well"),
    )  # fmt: skip
    add(
        "--batch", default="1", metavar="N,N",
        help=localized("同時に計算する文の数（既定: 1）", "sentences at once (default: 1)"),
    )  # fmt: skip
    add_repeats(parser)


def check_options(options: argparse.Namespace) -> None:
    """Raises BackendError for a backend that nobody knows, InputError for numbers out of range."""
    places_of(options.backend)
    repeats_of(options)


def rows(subject: Subject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
    """A row a candidate, graph, length and batch."""
    from app.lab.compare.run import Asked, compare_rows  # onnx is slow to import

    asked = Asked(
        places=places_of(options.backend),
        levels=_chosen("levels", options.levels),
        precisions=_chosen("precisions", options.precisions),
        forms=_chosen("formats", options.formats),
        tokens=_numbers("tokens", options.tokens),
        batches=_numbers("batch", options.batch),
        repeats=repeats_of(options),
    )
    yield from compare_rows(subject, asked, report)


def _chosen(option: str, text: str) -> list[str]:
    names = [item.strip() for item in text.split(",")]
    if not set(names) <= set(CHOICES[option]):
        raise _wrong(option, text, ",".join(CHOICES[option]))
    return list(dict.fromkeys(names))


def _numbers(option: str, text: str) -> list[int]:
    try:
        numbers = [int(item) for item in text.split(",")]
    except ValueError:
        numbers = [0]
    if not all(1 <= number <= 510 for number in numbers):
        raise _wrong(option, text, "1,2,8")
    return list(dict.fromkeys(numbers))


def _wrong(option: str, text: str, example: str) -> InputError:
    return InputError(
        localized(f"--{option} の指定「{text}」が正しくありません。", f"“{text}” is not valid for --{option}."),
        localized(f"例: {example}", f"For example: {example}"),
    )
