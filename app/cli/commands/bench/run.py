"""`koebako bench`: what each stage costs, cold, warm and from the cache."""

import argparse
import csv
import io
import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tqdm import trange

from app.adapters.files.part_file import PartFile
from app.adapters.ort.graph_session import ORT_VERSION
from app.adapters.ort.session_options import count_intra_threads
from app.bench.multiply_adds import GraphWorkload, ProcessorPeak, count_workloads, find_cpu_name, measure_peak, measure_peak_mb
from app.bench.stage_chart import draw_chart
from app.bench.stage_timing import (
    BENCH_LINES,
    STAGE_TABLE_COLUMNS,
    BenchMeasurement,
    StageRow,
    build_bench_request,
    build_text,
    find_crossovers,
    find_fastest_backends,
    list_rows,
    measure_text,
    parse_backends,
)
from app.cli.command_files import write_output_file
from app.cli.console_output import print_json, print_localized_note, print_note, print_result
from app.cli.progress_display import describe_device_preparation, show_slow_notice
from app.cli.served_voices import prepare_chosen_voice
from app.common.errors import InputError
from app.common.language import localize
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker

MAX_RUNS = 10_000
TABLE_FIGURES = ("median_ms", "mean_ms", "p95_ms", "p99_ms", "min_ms")


def run(options: argparse.Namespace) -> int:
    """Measure and print one table (or rows) for each text, then a summary."""
    if options.reference or options.memory_of:
        from app.cli.commands.bench.reference_report import run_reference

        return run_reference(options)
    texts = {str(length): build_text(length) for length in _parse_lengths(options.tokens)} | (BENCH_LINES if options.lines else {})
    if not 1 <= options.runs <= MAX_RUNS or not 0 <= options.warmup <= MAX_RUNS:
        raise InputError(
            localize(f"回数には 1 から {MAX_RUNS} までの値を指定してください。", f"The number of runs must be from 1 to {MAX_RUNS}."),
            "--runs 10 --warmup 3",
        )
    if options.plot:
        check_picture_path(Path(options.plot))
    speakers, load_ms = _open_speakers(options)
    if options.csv and not options.json:
        print_result(",".join(STAGE_TABLE_COLUMNS))
    measurements: list[BenchMeasurement] = []
    for name, text in texts.items():
        turns = partial(trange, leave=False, disable=None, desc=name)
        measurements += measure_text(speakers, name, text, turns, runs=options.runs, warmup=options.warmup)
    # The peak is read before graphs are opened once more to count operations.
    peak = measure_peak_mb()
    ceiling = _count_workloads(speakers, measurements, texts)
    _print_measurements(measurements, ceiling, options)
    rates = {"peak_float32_gflops": 2 * ceiling.floats_gmac_s, "peak_int8_gflops": 2 * ceiling.bytes_gmac_s}
    _report_summary(speakers, measurements, options, {"load_ms": load_ms, "peak_mb": peak} | rates)
    if options.plot:
        write_picture(measurements, ceiling, Path(options.plot))
    return 0


def _parse_lengths(text: str) -> list[int]:
    try:
        lengths = [int(item) for item in text.split(",")]
    except ValueError:
        lengths = []
    if not lengths or min(lengths) < 1 or max(lengths) > 500:
        raise InputError(
            localize(f"長さの指定が正しくありません: {text}", f"These lengths are not valid: {text}"),
            localize(
                "1 から 500 までの数をコンマで区切って指定してください。例: 5,20,40",
                "Use numbers from 1 to 500 separated by commas, for example 5,20,40",
            ),
        )
    return lengths


def _open_speakers(options: argparse.Namespace) -> tuple[dict[str, Speaker], float]:
    """Return a speaker by backend, and the time that the first one took to open."""
    backends = parse_backends(options.backend)
    voice_name = prepare_chosen_voice(options)
    speakers, took_ms = {}, []
    for backend in backends:
        began = time.perf_counter()
        speakers[backend] = open_speaker(
            voice_name, backend, bert=options.bert, graph_precision=options.precision, force_bert=options.force_bert
        )
        took_ms.append((time.perf_counter() - began) * 1000)
        with show_slow_notice(describe_device_preparation()):
            speakers[backend].wait_for_devices()
    return speakers, took_ms[0]


def _count_workloads(speakers: dict[str, Speaker], measurements: list[BenchMeasurement], texts: dict[str, str]) -> ProcessorPeak:
    """Count the work of the measurements; speakers of the same graphs do the same work."""
    workloads: dict[frozenset[Path], dict[str, dict[str, GraphWorkload]]] = {}
    for backend, speaker in speakers.items():
        files = frozenset(speaker.models.values())
        if files not in workloads:
            workloads[files] = count_workloads(speaker, {name: build_bench_request(speaker, text) for name, text in texts.items()})
        for item in measurements:
            if item.backend == backend:
                item.workloads = workloads[files][item.text]
    return measure_peak()


def _print_measurements(measurements: list[BenchMeasurement], peak: ProcessorPeak, options: argparse.Namespace) -> None:
    for item in measurements:
        if options.json or options.csv:
            for row in item.build_rows(peak):
                if options.json:
                    print_json(asdict(row))
                    continue
                line = io.StringIO()
                csv.DictWriter(line, STAGE_TABLE_COLUMNS, lineterminator="").writerow(asdict(row))
                print_result(line.getvalue())
        else:
            print_table(item, peak)
    if not options.json and not options.csv and len({item.backend for item in measurements}) > 1:
        print_comparison(measurements)


def _report_summary(
    speakers: dict[str, Speaker], measurements: list[BenchMeasurement], options: argparse.Namespace, figures: dict[str, float]
) -> None:
    first = next(iter(speakers.values()))
    summary: dict[str, object] = {
        "summary": True,
        **figures,
        "backend": first.backends,
        "fallback": first.fallback,
        "ort": ORT_VERSION.removeprefix("onnxruntime "),
        "cpu": find_cpu_name(),
        "cores": os.cpu_count(),
        "threads": count_intra_threads(),
        "precision": first.models["bert"].stem if "bert" in first.models else "",
        "fast_graphs": sorted(first.fast_graphs),
    }
    if len(speakers) > 1:
        summary |= {
            "ran_on": {name: speaker.backends for name, speaker in speakers.items()},
            "winners": find_fastest_backends(measurements),
        }
        summary["cross_overs"] = [asdict(item) for item in find_crossovers(measurements)]
    if options.json:
        print_json(summary)
        return
    print_localized_note(
        f"読み込み {figures['load_ms']:.0f} ms、最大メモリー {figures['peak_mb']:.0f} MB、CPU の上限 "
        f"{figures['peak_float32_gflops']:.0f} GFLOP/s（float32）、{figures['peak_int8_gflops']:.0f}（int8）",
        f"load time {figures['load_ms']:.0f} ms, peak memory {figures['peak_mb']:.0f} MB, CPU peak "
        f"{figures['peak_float32_gflops']:.0f} GFLOP/s in float32, {figures['peak_int8_gflops']:.0f} in int8",
    )
    for name, speaker in speakers.items():
        if speaker.fallback:
            print_note(f"{name}: {speaker.fallback}")


def print_table(item: BenchMeasurement, peak: ProcessorPeak) -> None:
    """Print one text on one backend in milliseconds, with a line for each stage."""
    rows = {(row.state, row.stage): row for row in item.build_rows(peak)}
    tokens = localize(f"{item.text} トークン", f"{item.text} tokens") if item.text.isdecimal() else item.text
    print_result(f"{tokens} · {item.backend} (ms)")
    names = ("cold", "warm", "mean", "p95", "p99", "min", "cached", "compute", "target")
    print_result(f"  {'':<12}" + "".join(f"{name:>9}" for name in names))
    for stage in list_rows(is_single_graph=item.is_single_graph):
        warm = rows["warm", stage]
        figures = [
            rows["cold", stage].median_ms,
            *(getattr(warm, name) for name in TABLE_FIGURES),
            rows["cached", stage].median_ms,
            warm.expected_ms,
        ]
        print_result(
            f"  {stage:<12}" + "".join(f"{value:9.2f}" if isinstance(value, float) else " " * 9 for value in figures) + _format_target(warm)
        )
    rtf = rows["warm", "total"].rtf
    if rtf is not None:
        print_result(f"  RTF {rtf:.3f}")
    print_result("")


def _format_target(warm: StageRow) -> str:
    """Return the product's target, and whether the median keeps it."""
    target, median = warm.target_ms, warm.median_ms
    if not isinstance(target, float):
        return ""
    return f"{target:9.0f} {'✓' if median <= target else '✗'}"


def print_comparison(measurements: Sequence[BenchMeasurement]) -> None:
    """Print the fastest backend of each text, and the token counts from which one backend overtakes another."""
    for text, backend in find_fastest_backends(measurements).items():
        print_result(localize(f"{text}: {backend} が最速", f"{text}: {backend} is fastest"))
    for item in find_crossovers(measurements):
        print_result(
            localize(
                f"約 {item.tokens:.0f} トークン以上では {item.above} が {item.below} より速い",
                f"from about {item.tokens:.0f} tokens, {item.above} is faster than {item.below}",
            )
        )


def check_picture_path(target: Path) -> None:
    """Raise InputError for a name of another format, and OutputFileError if the file cannot be written, before any measuring starts."""
    if target.suffix.lower() != ".svg":
        raise InputError(
            localize(f"この形式のグラフは書き出せません: {target}", f"Charts cannot be written in this format: {target}"),
            localize("ファイル名の末尾を .svg にしてください。", "Use a file name that ends with .svg."),
        )
    PartFile(target).discard()


def write_picture(measurements: Sequence[BenchMeasurement], peak: ProcessorPeak, target: Path) -> None:
    """Draw the measurements; raise OutputFileError if the picture cannot be written."""
    machine = f"{find_cpu_name()}, {count_intra_threads()} threads, {ORT_VERSION}, {2 * peak.floats_gmac_s:.0f} GFLOP/s"
    write_output_file(target, draw_chart(measurements, peak, machine).encode("utf-8"))
