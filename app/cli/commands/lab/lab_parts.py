"""The parts of `koebako lab`: their options, and what they find. What opens sessions is imported where it is used: `--help` needs none of it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.ort.backends import BACKENDS
from app.cli.command_files import check_output_path, refuse_existing_file, write_output_file
from app.cli.commands.lab.lab_part import (
    LabPart,
    add_repeat_options,
    add_size_options,
    check_bounds,
    parse_devices,
    parse_repeats,
    parse_sizes,
)
from app.cli.commands.lab.optimise_part import OptimisePart
from app.common.command_parser import CommandParser
from app.common.errors import InputError
from app.common.language import localize
from app.common.progress import Report
from app.lab.report_rows import Row

if TYPE_CHECKING:
    from app.lab.lab_subject import LabSubject

COMPARE_CHOICES = {
    "levels": ("none", "basic", "extended", "all"),
    "precisions": ("float32", "int8"),
    "formats": ("source", "prepared", "ort"),
}
FAILED_EXIT_CODE = 3
KNOWN_BACKENDS, ALL_BACKENDS = "auto", "all"
MAX_PROFILE_DEPTH = 8


class InspectPart(LabPart):
    """Shows what the graphs are made of."""

    summary = "グラフの構成を表示する", "show what the graphs are made of"
    confines_itself = True

    def add_options(self, parser: CommandParser) -> None:
        """Add options for the size of the sentence whose multiply-adds are counted."""
        add_size_options(parser)

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield the rows of every graph."""
        from app.lab.inspect.inspect_rows import build_inspect_rows

        yield from build_inspect_rows(subject, parse_sizes(options), report)


class ExpectPart(LabPart):
    """Compares the time that graphs should take on this machine with the time that they take."""

    summary = "想定時間と実測時間を比較する", "compare expected and measured time"
    confines_itself = True

    def add_options(self, parser: CommandParser) -> None:
        """Add options for the size of the sentence, and for the number of runs."""
        add_size_options(parser)
        add_repeat_options(parser)

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield the rows of every graph."""
        from app.lab.expect.expect_rows import build_expect_rows

        yield from build_expect_rows(subject, parse_sizes(options), parse_repeats(options), report)


class ProfilePart(LabPart):
    """Shows where the time goes."""

    summary = "処理時間の内訳を測定する", "show where the time goes"
    reads_text = True

    def add_options(self, parser: CommandParser) -> None:
        """Add the options for the text, the device, the number of repeats and the trace files."""
        add = parser.add_argument
        add("--text", metavar="TEXT", help=localize("読み上げる文（既定: 約 2 秒の文）", "text to speak (default: one of about 2 s)"))
        add("--backend", default="cpu", metavar="NAME[:ADAPTER]", help=localize("バックエンド（既定: cpu）", "backend (default: cpu)"))
        add("--bert", metavar="ID|PATH", help=localize("使用する BERT（既定: 声が指定するもの）", "BERT to use (default: the voice's own)"))
        add_repeat_options(parser)
        depth = localize("モジュールを区別する階層の深さ（既定: 1）", "levels of modules to distinguish (default: 1)")
        add("--depth", type=int, default=1, metavar="N", help=depth)
        trace = localize("Chrome トレースの保存先（.json、Perfetto で開ける）", "write a Chrome trace (.json), which Perfetto opens")
        add("--trace", metavar="FILE", help=trace)
        add("--against", metavar="FILE", help=localize("以前のトレースと比較する", "compare with an earlier trace"))

    def check_options(self, options: argparse.Namespace) -> None:
        """Raise InputError for numbers out of range and files that are no traces, OutputFileError if a file cannot be written."""
        from app.adapters.ort.device_placement import parse_placement

        parse_repeats(options)
        check_bounds("depth", options.depth, 1, MAX_PROFILE_DEPTH, 1)
        parse_placement(options.backend)
        if options.trace is not None:
            check_output_path(Path(options.trace), ".json")
            refuse_existing_file(Path(options.trace), may_replace=True, sources=[options.against])
        if options.against is not None:
            from app.lab.profile.profile_run import read_earlier_rows

            read_earlier_rows(Path(options.against))

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield the rows of stages, modules, operators and memory."""
        from app.bench.stage_timing import BENCH_LINES
        from app.lab.profile.profile_run import ProfileOptions, read_earlier_rows, run_profile

        earlier = read_earlier_rows(Path(options.against)) if options.against is not None else None
        text = BENCH_LINES["short"] if options.text is None else options.text
        profile = run_profile(subject, ProfileOptions(text, options.backend, options.bert, options.depth, parse_repeats(options)), report)
        if options.trace is not None:
            write_output_file(Path(options.trace), profile.build_trace().encode("utf-8"))
        yield from profile.build_rows(earlier)


class PlacePart(LabPart):
    """Shows which backend could run which operators."""

    summary = "バックエンドごとの対応状況を表示する", "show what each backend can run"

    def add_options(self, parser: CommandParser) -> None:
        """Add the option that chooses the backends."""
        words = localize(
            "バックエンド（既定: CPU、DirectML と、使用できるもの）", "backends (default: the CPU, DirectML and those that are available)"
        )
        parser.add_argument("--backend", default=KNOWN_BACKENDS, metavar="NAME[:ADAPTER],…|all", help=words)

    def check_options(self, options: argparse.Namespace) -> None:
        """Raise BackendError for an unknown backend."""
        if options.backend not in (KNOWN_BACKENDS, ALL_BACKENDS):
            parse_devices(options.backend, [ALL_BACKENDS])

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield a row for each backend and graph."""
        from app.lab.place.coverage_rows import build_coverage_rows, list_known_devices

        listed = {KNOWN_BACKENDS: list_known_devices(), ALL_BACKENDS: list(BACKENDS)}
        yield from build_coverage_rows(subject, listed.get(options.backend) or parse_devices(options.backend), report)


class VerifyPart(LabPart):
    """Verifies that every way to compute a graph gives the same."""

    summary = "計算結果が一致するか検証する", "verify that every way to compute the graphs gives the same result"
    reads_text = True

    def add_options(self, parser: CommandParser) -> None:
        """Add the options for further comparisons."""
        backends = localize(
            "CPU と比較するバックエンド（既定: 利用可能なすべて）", "backends to compare with the CPU (default: all that are there)"
        )
        parser.add_argument("--backend", default=ALL_BACKENDS, metavar="NAME,NAME", help=backends)
        sweep = localize(
            "長さ 1～64、128、256、510、512 と複数文の同時計算も検証する",
            "also verify lengths 1 to 64, 128, 256, 510 and 512, and several sentences at once",
        )
        parser.add_argument("--sweep", action="store_true", help=sweep)

    def check_options(self, options: argparse.Namespace) -> None:
        """Raise BackendError for an unknown backend."""
        parse_devices(options.backend, (ALL_BACKENDS, KNOWN_BACKENDS))

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield a row for each comparison and sentence; every other device is compared with the CPU."""
        from app.adapters.ort.devices.ort_devices import list_usable_backends
        from app.lab.verify.verification_run import verify_subject

        all_places = options.backend == ALL_BACKENDS
        places = list_usable_backends() if all_places else parse_devices(options.backend, (ALL_BACKENDS, KNOWN_BACKENDS))
        devices = [device for device in places if device not in ("cpu", KNOWN_BACKENDS)]
        yield from verify_subject(subject, devices, should_sweep=options.sweep, report=report)

    def choose_exit_code(self, rows: Sequence[Row]) -> int:
        """Return 3 if a limit was exceeded, else 0."""
        from app.lab.verify.verification_run import has_passed

        return 0 if has_passed(rows) else FAILED_EXIT_CODE


class ComparePart(LabPart):
    """Finds which way to run a voice or BERT is the fastest, at which length."""

    summary = "速度を交互に測定して比較する", "compare speeds, measured in turns"
    reads_text = True

    def add_options(self, parser: CommandParser) -> None:
        """Add the options for the compared things and the number of repeats."""
        add = parser.add_argument
        add("--backend", default="cpu", metavar="NAME,NAME", help=localize("バックエンド（既定: cpu）", "backends (default: cpu)"))
        levels = localize(
            "ONNX Runtime の最適化の段階: none、basic、extended、all（既定: all）",
            "levels of optimisation: none, basic, extended, all (default: all)",
        )
        add("--levels", default="all", metavar="LEVEL,…", help=levels)
        precisions = localize("精度: float32、int8（既定: すべて）", "precisions: float32, int8 (default: all that are there)")
        add("--precisions", default="float32,int8", metavar="NAME,…", help=precisions)
        formats = localize(
            "グラフの形式: source、prepared、ort（既定: すべて）",
            "forms of the graphs: source, prepared, ort (default: all that are there)",
        )
        add("--formats", default="source,prepared,ort", metavar="NAME,…", help=formats)
        tokens = localize(
            "テキストの長さ（BERT のトークン数）。短い行と長い行も測定します",
            "text lengths, in BERT tokens; a short and a long line are measured as well",
        )
        add("--tokens", default="5,20,40", metavar="N,N", help=tokens)
        add("--batch", default="1", metavar="N,N", help=localize("同時に計算する文の数（既定: 1）", "sentences at once (default: 1)"))
        add_repeat_options(parser)

    def check_options(self, options: argparse.Namespace) -> None:
        """Raise BackendError for an unknown backend, InputError for numbers out of range."""
        parse_devices(options.backend)
        parse_repeats(options)

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield a row for each candidate, graph, length and batch."""
        from app.lab.compare.comparison_run import CompareOptions, run_comparison

        compare_options = CompareOptions(
            places=parse_devices(options.backend),
            levels=_parse_choices("levels", options.levels),
            precisions=_parse_choices("precisions", options.precisions),
            forms=_parse_choices("formats", options.formats),
            tokens=_parse_numbers("tokens", options.tokens),
            batches=_parse_numbers("batch", options.batch),
            repeats=parse_repeats(options),
        )
        yield from run_comparison(subject, compare_options, report)


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


class CheckPart(LabPart):
    """Checks that a voice or BERT is what it should be, for continuous integration."""

    summary = "声や BERT に問題がないか検査する（CI 向け）", "check a voice or BERT for problems (for CI)"
    reads_text = True

    def add_options(self, parser: CommandParser) -> None:
        """Add the options for the placement check, the limit of speed and the JUnit file."""
        backend = localize("割り当てを検査するバックエンド（既定: cpu）", "backend whose placement is checked (default: cpu)")
        parser.add_argument("--backend", default="cpu", metavar="NAME[:ADAPTER]", help=backend)
        budget = localize(
            "再生が始まるまで（BERT は特徴量が出るまで）の時間の上限（既定: なし）",
            "limit until the first audio, or a BERT's features (default: none)",
        )
        parser.add_argument("--budget-ms", type=float, metavar="MS", help=budget)
        parser.add_argument("--junit", metavar="FILE", help=localize("JUnit 形式の保存先（.xml）", "write the results as JUnit (.xml)"))

    def find_rows(self, subject: LabSubject, options: argparse.Namespace, report: Report) -> Iterator[Row]:
        """Yield a row for each finding, and write the JUnit file after the last."""
        from app.adapters.ort.device_placement import parse_placement
        from app.lab.check.subject_checks import format_as_junit, run_checks

        budget = options.budget_ms
        if budget is not None and not (math.isfinite(budget) and budget > 0):
            raise InputError(
                localize(f"時間の上限が正しくありません: {budget:g}", f"The budget is not valid: {budget:g}"),
                localize("0 より大きいミリ秒を指定してください。", "Specify milliseconds above 0."),
            )
        rows = list[Row]()
        for row in run_checks(subject, placement=parse_placement(options.backend), budget_ms=budget, report=report):
            rows.append(row)
            yield row
        if options.junit is not None:
            write_output_file(Path(options.junit), format_as_junit(rows, subject.name))

    def choose_exit_code(self, rows: Sequence[Row]) -> int:
        """Return 0 if everything passed, else 3."""
        from app.lab.check.subject_checks import has_all_passed

        return 0 if has_all_passed(rows) else FAILED_EXIT_CODE


LAB_PARTS: dict[str, LabPart] = {
    "inspect": InspectPart(),
    "expect": ExpectPart(),
    "profile": ProfilePart(),
    "place": PlacePart(),
    "verify": VerifyPart(),
    "compare": ComparePart(),
    "optimise": OptimisePart(),
    "check": CheckPart(),
}
