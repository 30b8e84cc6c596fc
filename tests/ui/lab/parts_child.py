"""Stands for our command line in tests of the Lab window: the real one, with parts of which it is known what they find, and when.

What a part waits for is a file: `WAIT_FOR` in the environment names it.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np

from app.audition.take_store import TakeStore, find_sound_folder
from app.cli.commands.lab.lab_part import LabPart
from app.cli.commands.lab.lab_parts import LAB_PARTS, InspectPart
from app.cli.main import main
from app.common.command_parser import CommandParser
from app.common.errors import BackendError
from app.common.progress import Report
from app.lab.report_rows import Row

WAIT_FOR = "KOEBAKO_TEST_WAIT_FOR"
Rows = Callable[[argparse.Namespace, Report], Iterator[Row]]


class KnownPart(LabPart):
    """A part whose rows are known."""

    summary = "試験用", "For tests"

    def __init__(self, add_own_options: Callable[[CommandParser], None], found: Rows, exit_code: int = 0) -> None:
        self.add_own_options, self.found, self.exit_code = add_own_options, found, exit_code

    def add_options(self, parser: CommandParser) -> None:
        self.add_own_options(parser)

    def choose_exit_code(self, _rows: Sequence[Row]) -> int:
        return self.exit_code

    def find_rows(self, _subject: object, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        return self.found(options, report)


def compare_options(parser: CommandParser) -> None:
    parser.add_argument("--backend", default="auto", help="what is measured, of 100%%")
    parser.add_argument("--lengths", type=int, nargs="+", default=[5, 20, 40], help="tokens")
    parser.add_argument("--runs", type=int, default=10, help="how often")
    parser.add_argument("--precision", choices=("float32", "int8"), help="of the decoder")
    parser.add_argument("--cold", action="store_true", help="with new sessions")


def compare(options: argparse.Namespace, report: Report) -> Iterator[Row]:
    for number in range(6):
        report("measuring", (number + 1) / 6)
        ms = (12.5, 3.25, 40.0, 7.0, 101.0, 0.5)[number]
        name = f"cpu{'+int8' if number % 2 else ''}"
        yield {"type": "compare", "candidate": name, "graph": "decoder", "length": 5 * number, "batch": 1, "runs": options.runs} | {
            "mean_ms": ms * 1.1,
            "median_ms": ms,
            "p90_ms": ms * 1.4,
            "p95_ms": None,
            "winner": number % 2 == 1,
        }
        if number == 2 and WAIT_FOR in os.environ:
            while not Path(os.environ[WAIT_FOR]).exists():
                time.sleep(0.02)


def profile(options: argparse.Namespace, _report: Report) -> Iterator[Row]:
    operators = {"Conv": {"count": 40, "ms": 12.5}, "MatMul": {"count": 47, "ms": 8.1}}
    yield {"type": "profile", "stage": "decode", "ms": 24.5, "share": 0.61, "operators": operators}
    yield {"type": "profile", "stage": "bert", "ms": 12.25, "share": 0.31, "operators": {"MatMul": 4}}
    if options.trace:
        Path(options.trace).write_text(json.dumps({"traceEvents": []}), encoding="utf-8")


def verify(_options: argparse.Namespace, _report: Report) -> Iterator[Row]:
    yield {"type": "verify", "graph": "flow", "case": "211", "max_abs_diff": 2e-6, "snr_db": 104.2, "first_difference": None}
    raise BackendError("The decoder could not run.", "Choose another backend.")


def place(options: argparse.Namespace, _report: Report) -> Iterator[Row]:
    unsupported = [
        {"op": "STFT", "version": 17, "types": ["float"], "count": 2},
        {"op": "DFT", "version": 20, "types": ["float"], "count": 1},
    ]
    for graph in ("prosody", "flow", "decoder"):
        missing = unsupported if graph == "decoder" else []
        yield {
            "type": "place",
            "graph": graph,
            "backend": options.backend,
            "nodes": 190,
            "supported": 187,
            "unsupported": missing,
            "boundaries": 2,
        }


def optimise_options(parser: CommandParser) -> None:
    for option in ("--only", "--keep", "--graph", "--turns", "--warmup", "--seconds"):
        parser.add_argument(option)
    parser.add_argument("--test", metavar="FILE")
    parser.add_argument("--install", action="store_true")


def optimise(options: argparse.Namespace, _report: Report) -> Iterator[Row]:
    """As the real one; a candidate that is heard is fainter, one called `same` is not."""
    figures = {"speedup": 1.82, "bytes": 3_480_776, "snr_db": 41.0, "cosine": 0.99987, "frames_equal": 0.996, "kept": False, "note": ""}
    for candidate in ("prepared", "int8-32", "fp16", "same"):
        yield {"type": "optimise", "graph": "decoder", "candidate": candidate} | figures
    chosen = {"graph": options.graph, "candidate": options.keep}
    if options.test:
        store, sound = TakeStore(find_sound_folder(Path(options.test))), np.sin(np.arange(4410, dtype=np.float32) / 20)
        pair = [store.keep_sound(sound * np.float32(gain), 44100).name for gain in (0.5, 0.5 if options.keep == "same" else 0.4)]
        sounds = [] if options.keep == "same" else [pair]
        spoken = {"texts": ["はい。"] * len(sounds), "voice": "Mei"}
        yield (
            {"type": "test", "file": options.test, "names": ["Exact", options.keep], "sounds": sounds, "note": "The same."}
            | spoken
            | chosen
        )
    if options.install and options.keep == "int8-32":
        yield {"type": "installed", "note": f"Installed {options.graph}."} | chosen
    elif options.install:
        raise BackendError("Not near enough.", "Choose another candidate.")


def check(_options: argparse.Namespace, _report: Report) -> Iterator[Row]:
    yield {"type": "check", "check": "parity", "passed": True, "message": ""}
    yield {"type": "check", "check": "latency", "passed": False, "message": "212 ms > 200 ms"}


def with_backend(parser: CommandParser) -> None:
    parser.add_argument("--backend", default="cpu", help="where")


def with_trace(parser: CommandParser) -> None:
    parser.add_argument("--trace", metavar="FILE")


def with_report(parser: CommandParser) -> None:
    parser.add_argument("--junit", metavar="FILE")


def known_parts() -> dict[str, LabPart]:
    return {
        "place": KnownPart(with_backend, place),
        "profile": KnownPart(with_trace, profile),
        "compare": KnownPart(compare_options, compare),
        "verify": KnownPart(with_backend, verify),
        "check": KnownPart(with_report, check, 3),
        "optimise": KnownPart(optimise_options, optimise),
        "unheard_of": KnownPart(optimise_options, optimise),
    }


if __name__ == "__main__":
    LAB_PARTS.clear()
    LAB_PARTS.update({"inspect": InspectPart()} | known_parts())
    sys.exit(main())
