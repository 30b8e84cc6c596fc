"""Memory and loading time of each side, measured in a fresh process for each."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from app.bench.bench_home import OriginalFiles, PreparedFiles
from app.bench.bench_texts import BENCH_LINES
from app.bench.machine_facts import measure_peak_mb
from app.bench.reference_comparison import build_line_request, open_bench_speaker
from app.bench.reference_speaker import ReferenceSpeaker
from app.bench.stage_timing import run_once
from app.common.errors import InternalError
from app.common.files.untrusted_json import parse_object_lines
from app.common.language import localize
from app.common.processes.self_launch import run_own_program
from app.core.synthesis_types import SynthesisRequest

BenchSide = Literal["ours", "reference"]
BENCH_CHILD_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class ProcessCost:
    """The memory and loading time of a side in a process of its own.

    Attributes:
        load_ms: until voice and BERT are open.
        peak_mb: after it has spoken both lines twice.
    """

    load_ms: float
    peak_mb: float


def measure_ours(prepared: PreparedFiles) -> ProcessCost:
    """Measure our cost in this process."""
    began = time.perf_counter()
    speaker = open_bench_speaker(prepared)
    load_ms = (time.perf_counter() - began) * 1000
    for text in (*BENCH_LINES.values(), *BENCH_LINES.values()):
        run_once(speaker, build_line_request(speaker, text), cached=False)
    return ProcessCost(load_ms, measure_peak_mb())


def measure_reference(originals: OriginalFiles) -> ProcessCost:
    """Measure the reference's cost in this process."""
    began = time.perf_counter()
    reference = ReferenceSpeaker(originals)
    load_ms = (time.perf_counter() - began) * 1000
    for text in (*BENCH_LINES.values(), *BENCH_LINES.values()):
        reference.speak_request(SynthesisRequest(text, noise_w=0.0, sdp_ratio=0.0))
    return ProcessCost(load_ms, measure_peak_mb())


def measure_in_child(side: BenchSide, voice: str, bert: str) -> ProcessCost:
    """Measure a side in a child; `voice` and `bert` are ids for ours, files for the reference."""
    done = run_own_program("bench", "--memory-of", side, "--voice", voice, "--bert", bert, "--json", timeout_s=BENCH_CHILD_LIMIT_S)
    text = done.stdout.decode("utf-8", "replace")
    values = next((line for line in parse_object_lines(text) if {"load_ms", "peak_mb"} <= line.keys()), None)
    if values is None or done.returncode:
        reason = (text.splitlines() or done.stderr.decode("utf-8", "replace").splitlines() or [""])[-1]
        raise InternalError(localize("メモリーの測定に失敗しました。", "Memory use could not be measured."), reason[:300])
    return ProcessCost(values["load_ms"], values["peak_mb"])
