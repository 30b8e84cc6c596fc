"""`koebako bench`: what each stage costs, cold, warm and from the cache."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tqdm import tqdm

from app.adapters.ort.providers import intra_threads
from app.adapters.ort.session import VERSION
from app.bench.backends import asked_backends, cross_overs, winners
from app.bench.machine import cpu_name, peak_mb
from app.bench.stages import COLUMNS, Measured, measure, request_of
from app.bench.texts import LINES, text_of
from app.bench.work import Peak, Work, measured_peak, work_of
from app.cli.commands.bench.plot import check_target, plot
from app.cli.commands.bench.tables import csv_row, print_comparison, print_table
from app.cli.output import json_line, note, result
from app.cli.voice_choice import chosen_voice
from app.cli.waiting import preparing_device, slow_notice
from app.compose.opening import open_speaker
from app.compose.speaker import Speaker
from app.errors import InputError
from app.language import localized

MOST_RUNS = 10_000


def run(options: argparse.Namespace) -> int:
    """Measures and prints one table (or rows) a text, then a summary."""
    if options.reference or options.memory_of:
        from app.cli.commands.bench.reference import run_reference

        return run_reference(options)
    texts = {str(length): text_of(length) for length in _lengths(options.tokens)} | (LINES if options.lines else {})
    if not 1 <= options.runs <= MOST_RUNS or not 0 <= options.warmup <= MOST_RUNS:
        raise InputError(
            localized(f"回数には 1 から {MOST_RUNS} までの値を指定してください。", f"The number of runs must be from 1 to {MOST_RUNS}."),
            "--runs 10 --warmup 3",
        )
    if options.plot:
        check_target(Path(options.plot))
    speakers, load_ms = _opened(options)
    if options.csv and not options.json:
        result(",".join(COLUMNS))
    found: list[Measured] = []
    for name, text in texts.items():
        turns = partial(tqdm, leave=False, disable=None, desc=name)
        found += measure(speakers, name, text, lambda count, turns=turns: turns(range(count)), runs=options.runs, warmup=options.warmup)  # type: ignore[misc]
    peak = peak_mb()  # before graphs are opened once more to count what they do
    ceiling = _count_work(speakers, found, texts)
    _print(found, ceiling, options)
    _summarise(speakers, found, options, {"load_ms": load_ms, "peak_mb": peak} | _rates(ceiling))
    if options.plot:
        plot(found, ceiling, Path(options.plot))
    return 0


def _lengths(text: str) -> list[int]:
    try:
        lengths = [int(item) for item in text.split(",")]
    except ValueError:
        lengths = []
    if not lengths or min(lengths) < 1 or max(lengths) > 500:
        raise InputError(
            localized(f"長さの指定が正しくありません: {text}", f"These lengths are not valid: {text}"),
            localized(
                "1 から 500 までの数をコンマで区切って指定してください。例: 5,20,40",
                "Use numbers from 1 to 500 separated by commas, for example 5,20,40",
            ),
        )
    return lengths


def _opened(options: argparse.Namespace) -> tuple[dict[str, Speaker], float]:
    """A speaker by backend, and how long the first one took to open."""
    backends = asked_backends(options.backend)
    wanted = chosen_voice(options)
    speakers, took_ms = {}, []
    for backend in backends:
        began = time.perf_counter()
        speakers[backend] = open_speaker(wanted, backend, bert=options.bert, sound=options.precision, force_bert=options.force_bert)
        took_ms.append((time.perf_counter() - began) * 1000)
        with slow_notice(preparing_device()):
            speakers[backend].wait_for_devices()
    return speakers, took_ms[0]


def _count_work(speakers: dict[str, Speaker], found: list[Measured], texts: dict[str, str]) -> Peak:
    """Fills in the work of what was measured; speakers of the same graphs do the same."""
    known: dict[frozenset[Path], dict[str, dict[str, Work]]] = {}
    for backend, speaker in speakers.items():
        files = frozenset(speaker.models.values())
        if files not in known:
            known[files] = work_of(speaker, {name: request_of(speaker, text) for name, text in texts.items()})
        for item in found:
            if item.backend == backend:
                item.work = known[files][item.text]
    return measured_peak()


def _print(found: list[Measured], peak: Peak, options: argparse.Namespace) -> None:
    for item in found:
        if options.json or options.csv:
            for row in item.rows(peak):
                json_line(row) if options.json else result(csv_row(row))
        else:
            print_table(item, peak)
    if not options.json and not options.csv and len({item.backend for item in found}) > 1:
        print_comparison(found)


def _rates(peak: Peak) -> dict[str, float]:
    return {"peak_float32_gflops": 2 * peak.floats_gmac_s, "peak_int8_gflops": 2 * peak.bytes_gmac_s}


def _summarise(speakers: dict[str, Speaker], found: list[Measured], options: argparse.Namespace, figures: dict[str, float]) -> None:
    first = next(iter(speakers.values()))
    summary: dict[str, object] = {
        "summary": True,
        **figures,
        "backend": first.backends,
        "fallback": first.fallback,
        "ort": VERSION.removeprefix("onnxruntime "),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "threads": intra_threads(),
        "precision": first.models["bert"].stem,
        "fast_graphs": sorted(first.fast_graphs),
    }
    if len(speakers) > 1:
        summary |= {"ran_on": {name: speaker.backends for name, speaker in speakers.items()}, "winners": winners(found)}
        summary["cross_overs"] = [asdict(item) for item in cross_overs(found)]
    if options.json:
        json_line(summary)
        return
    note(
        localized(
            f"読み込み {figures['load_ms']:.0f} ms、最大メモリー {figures['peak_mb']:.0f} MB、CPU の上限 "
            f"{figures['peak_float32_gflops']:.0f} GFLOP/s（float32）、{figures['peak_int8_gflops']:.0f}（int8）",
            f"load time {figures['load_ms']:.0f} ms, peak memory {figures['peak_mb']:.0f} MB, CPU peak "
            f"{figures['peak_float32_gflops']:.0f} GFLOP/s in float32, {figures['peak_int8_gflops']:.0f} in int8",
        )
    )
    for name, speaker in speakers.items():
        if speaker.fallback:
            note(f"{name}: {speaker.fallback}")
