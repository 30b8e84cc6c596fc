"""`koebako bench`: what each stage costs, cold, warm and from the cache."""

from __future__ import annotations

import argparse
import csv
import io
import os
import platform
import time
from collections import defaultdict
from functools import partial

import numpy as np
import onnxruntime as ort
import psutil
from tqdm import tqdm

from app.cli.output import json_line, note, result
from app.compose import Speaker, open_speaker
from app.core.timing import OPAQUE_STAGES, STAGES
from app.core.types import StageTiming, SynthesisRequest
from app.errors import InputError
from app.language import say

LINES = {
    "short": "今日はとてもいい天気なので、歩きます。",
    "long": "今日はとてもいい天気なので、駅前の公園まで歩いて行って、友達と写真をたくさん撮りました。",
}
SENTENCE = "今日はとてもいい天気なので、駅前の公園まで歩いて行って、友達と写真を撮りました。夕方には家に帰って、温かいお茶を飲みながら本を読みました。"


def run(options: argparse.Namespace) -> int:
    """Measures and prints one table (or JSON lines) a length, then a summary."""
    texts = {str(length): _text(length) for length in _lengths(options.tokens)} | (LINES if options.lines else {})
    if options.runs < 1 or options.warmup < 0:
        raise InputError(say("回数は 1 以上にしてください。", "Give at least one run."), "--runs 10 --warmup 3")
    began = time.perf_counter()
    speaker = open_speaker(options.voice, options.backend, bert=options.bert, force_bert=options.force_bert)
    load_ms = (time.perf_counter() - began) * 1000
    columns = [*_row("", "", "", [0.0], 0.0), "rtf"]
    if options.csv:
        result(",".join(columns))
    show = json_line if options.json else partial(_print_csv, columns) if options.csv else _print_row
    for name, text in texts.items():
        for row in _measure(speaker, name, text, options.runs, options.warmup):
            show(row)
    summary = {
        "summary": True,
        "load_ms": load_ms,
        "peak_mb": _peak_mb(),
        "backend": speaker.backends,
        "fallback": speaker.fallback,
        "ort": ort.__version__,
        "cpu": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }
    if options.json:
        json_line(summary)
    else:
        note(
            say(
                f"読み込み {load_ms:.0f} ms、最大メモリー {summary['peak_mb']:.0f} MB",
                f"loading {load_ms:.0f} ms, peak memory {summary['peak_mb']:.0f} MB",
            )
        )
    return 0


def _lengths(text: str) -> list[int]:
    try:
        lengths = [int(item) for item in text.split(",")]
    except ValueError:
        lengths = []
    if not lengths or min(lengths) < 1 or max(lengths) > 500:
        raise InputError(
            say(f"長さの指定が読めません: {text}", f"These lengths cannot be read: {text}"),
            say("1 から 500 までの数をコンマで区切ってください。例: 5,20,40", "Give numbers from 1 to 500 with commas, such as 5,20,40"),
        )
    return lengths


def _text(tokens: int) -> str:
    """Text that BERT reads as so many tokens, [CLS] and [SEP] among them."""
    length = max(1, tokens - 2)
    return (SENTENCE * (length // len(SENTENCE) + 1))[:length]


def _measure(speaker: Speaker, name: str, text: str, runs: int, warmup: int) -> list[dict[str, object]]:
    """Rows for every stage, `first_audio` and `total` of one text: the first run is cold, then warm ones without and with caches."""
    states: dict[str, list[dict[str, float]]] = defaultdict(list)
    speaker.pipeline.warm.clear()
    states["cold"].append(_run_once(speaker, text, cached=False))
    for turn in tqdm(range(warmup + runs), leave=False, disable=None, desc=name):
        for state in ("warm", "cached"):
            figures = _run_once(speaker, text, cached=state == "cached")
            if turn >= warmup:
                states[state].append(figures)
    stages = OPAQUE_STAGES if speaker.pipeline.opaque else STAGES
    return [
        _row(name, state, stage, [figures.get(stage, 0.0) for figures in results], np.median([figures["audio_s"] for figures in results]))
        for state, results in states.items()
        for stage in (*stages, "first_audio", "total")
    ]


def _run_once(speaker: Speaker, text: str, *, cached: bool) -> dict[str, float]:
    """Milliseconds by stage, to the first audio and in all."""
    pipeline = speaker.pipeline
    if not cached:
        pipeline.phones.clear()
        pipeline.features.clear()
    spent: dict[str, float] = defaultdict(float)

    def add(timing: StageTiming) -> None:
        spent[timing.stage] += timing.ms

    began = time.perf_counter()
    for chunk in pipeline.synthesize(SynthesisRequest(text, pre_silence_s=0, post_silence_s=0), add):
        if not chunk.silence:
            spent.setdefault("first_audio", (time.perf_counter() - began) * 1000)
            spent["audio_s"] += len(chunk.samples) / chunk.sampling_rate
    spent["total"] = (time.perf_counter() - began) * 1000
    return spent


def _row(name: str, state: str, stage: str, values: list[float], audio_s: float) -> dict[str, object]:
    p50, p95, p99 = (float(value) for value in np.percentile(values, (50, 95, 99)))
    row: dict[str, object] = {"tokens": name, "state": state, "stage": stage, "runs": len(values)}
    row |= {"mean_ms": float(np.mean(values)), "median_ms": p50, "p95_ms": p95, "p99_ms": p99, "min_ms": min(values)}
    if stage == "total":
        row["rtf"] = p50 / 1000 / audio_s if audio_s else None
    return row


def _print_csv(columns: list[str], row: dict[str, object]) -> None:
    line = io.StringIO()
    csv.DictWriter(line, columns, lineterminator="").writerow(row)
    result(line.getvalue())


def _print_row(row: dict[str, object]) -> None:
    rtf = f"  RTF {row['rtf']:.3f}" if row.get("rtf") else ""
    result(f"{row['tokens']:>5} {row['state']:<6} {row['stage']:<11} median {row['median_ms']:8.2f}  p95 {row['p95_ms']:8.2f} ms{rtf}")


def _peak_mb() -> float:
    """Largest resident memory of this process so far."""
    memory = psutil.Process().memory_info()
    peak = getattr(memory, "peak_wset", None)
    if peak is None:
        import resource  # not on Windows, which reports the peak itself

        scale = 1 if platform.system() == "Darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale
    return float(peak / 2**20)
