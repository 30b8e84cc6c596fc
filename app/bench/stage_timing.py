"""Times the stages of one or several speakers, in turns: cold, warm, and with text and features remembered."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from app.adapters.ort.backends import is_on_processor
from app.bench.multiply_adds import GraphWorkload, ProcessorPeak
from app.bench.target_times import SYNTHESIS, find_row_backend, find_target_ms, list_rows
from app.compose.speaker import Speaker
from app.core.synthesis_types import StageTiming, SynthesisRequest

CACHE_STATES = ("cold", "warm", "cached")
STAGE_TABLE_COLUMNS = (
    "tokens", "state", "stage", "runs", "mean_ms", "median_ms", "p95_ms", "p99_ms", "min_ms", "rtf",
    "backend", "target_ms", "gmac", "expected_ms",
)  # fmt: skip
StageRow = dict[str, object]
RunFigures = Mapping[str, float]


@dataclass(slots=True)
class BenchMeasurement:
    """One text spoken on one backend.

    Attributes:
        text: "20" for so many tokens, or the name of a line.
        backend: as it was asked for.
        figures: state → for each run milliseconds by stage, `first_audio`, `total`, and `audio_s`.
        workloads: multiply-adds by stage, where they were counted.
    """

    text: str
    backend: str
    ran_on: Mapping[str, str]
    is_single_graph: bool
    figures: dict[str, list[RunFigures]] = field(default_factory=lambda: defaultdict(list))
    workloads: Mapping[str, GraphWorkload] = field(default_factory=dict)

    def compute_median(self, state: str, row: str) -> float:
        """Return the median in milliseconds."""
        return float(np.median([figures.get(row, 0.0) for figures in self.figures[state]]))

    def build_rows(self, peak: ProcessorPeak | None) -> list[StageRow]:
        """Return what is printed of it, with the columns of COLUMNS."""
        return [self._build_row(state, row, peak) for state in CACHE_STATES for row in list_rows(is_single_graph=self.is_single_graph)]

    def _build_row(self, state: str, stage: str, peak: ProcessorPeak | None) -> StageRow:
        values = [figures.get(stage, 0.0) for figures in self.figures[state]]
        p50, p95, p99 = (float(value) for value in np.percentile(values, (50, 95, 99)))
        row = dict.fromkeys(STAGE_TABLE_COLUMNS) | {"tokens": self.text, "state": state, "stage": stage, "runs": len(values)}
        row |= {"mean_ms": float(np.mean(values)), "median_ms": p50, "p95_ms": p95, "p99_ms": p99, "min_ms": min(values)}
        audio_s = float(np.median([figures["audio_s"] for figures in self.figures[state]]))
        if stage == "total" and audio_s:
            row["rtf"] = p50 / 1000 / audio_s
        work = self.find_workload(stage)
        row |= {"backend": self.backend, "target_ms": find_target_ms(stage, self.ran_on)}
        if state == "warm" and work is not None:
            here = is_on_processor(find_row_backend(stage, self.ran_on))  # whose peak was measured
            row |= {"gmac": work.gmac, "expected_ms": peak.compute_expected_ms(work) if peak is not None and here else None}
        return row

    def find_workload(self, row: str) -> GraphWorkload | None:
        """Return the multiply-adds of a stage or of several; None if none were counted."""
        parts = SYNTHESIS if row == "synthesis" and not self.is_single_graph else tuple(self.workloads) if row == "total" else (row,)
        known = [self.workloads[part] for part in parts if part in self.workloads]
        return sum(known, GraphWorkload()) if known else None


def build_bench_request(speaker: Speaker, text: str) -> SynthesisRequest:
    """Return a request that any voice can speak, without silences."""
    voice = speaker.pipeline.voice
    style, who = min(voice.styles, default=0), min(voice.speakers, default=0)
    return SynthesisRequest(text, style=style, speaker=who, pre_silence_s=0, post_silence_s=0)


def measure_text(
    speakers: Mapping[str, Speaker],
    name: str,
    text: str,
    turns: Callable[[int], Iterable[int]],
    *,
    runs: int,
    warmup: int,
) -> list[BenchMeasurement]:
    """Speak a text on every backend: cold once, then in turns warm and with cached results of the text.

    Args:
        speakers: by backend.
        turns: makes the loop over so many turns, and may show how far it is.
    """
    found = {}
    for backend, speaker in speakers.items():
        speaker.pipeline.warm.clear()
        # Else a warm run would find its features on the disk.
        speaker.pipeline.caches.stored = None
        found[backend] = BenchMeasurement(name, backend, speaker.backends, speaker.pipeline.is_single_graph)
        found[backend].figures["cold"].append(run_once(speaker, build_bench_request(speaker, text), cached=False))
    for turn in turns(warmup + runs):
        for state in ("warm", "cached"):
            for backend, speaker in speakers.items():
                figures = run_once(speaker, build_bench_request(speaker, text), cached=state == "cached")
                if turn >= warmup:
                    found[backend].figures[state].append(figures)
    return list(found.values())


def run_once(speaker: Speaker, request: SynthesisRequest, *, cached: bool) -> RunFigures:
    """Return milliseconds by stage, to the first audio and in all; `audio_s` of sound, and its `frames`.

    Args:
        cached: text and features are as they were remembered; sound never is.
    """
    pipeline = speaker.pipeline
    if cached:
        pipeline.caches.forget_sound()
    else:
        pipeline.caches.clear()
    spent: dict[str, float] = defaultdict(float)

    def add_timing(timing: StageTiming) -> None:
        spent[timing.stage] += timing.ms
        if timing.stage in ("flow", "synthesis"):
            spent["frames"] += timing.frames

    began = time.perf_counter()
    for chunk in pipeline.synthesize(request, add_timing):
        if not chunk.silence:
            spent.setdefault("first_audio", (time.perf_counter() - began) * 1000)
            spent["audio_s"] += len(chunk.samples) / chunk.sampling_rate
    spent["total"] = (time.perf_counter() - began) * 1000
    if not pipeline.is_single_graph:
        spent["synthesis"] = sum(spent[stage] for stage in SYNTHESIS)
    return spent
