"""Times the stages of one or several speakers, in turns: cold, warm, and with text and features remembered."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from app.adapters.ort.backends import on_processor
from app.bench.targets import SYNTHESIS, backend_of_row, rows_of, target_ms
from app.bench.work import Peak, Work
from app.compose.speaker import Speaker
from app.core.types import StageTiming, SynthesisRequest

STATES = ("cold", "warm", "cached")
COLUMNS = (
    "tokens", "state", "stage", "runs", "mean_ms", "median_ms", "p95_ms", "p99_ms", "min_ms", "rtf",
    "backend", "target_ms", "gmac", "expected_ms",
)  # fmt: skip
Row = dict[str, object]
Figures = Mapping[str, float]


@dataclass(slots=True)
class Measured:
    """One text spoken on one backend.

    Attributes:
        text: "20" for so many tokens, or the name of a line.
        backend: as it was asked for.
        figures: state → for each run milliseconds by stage, `first_audio`, `total`, and `audio_s`.
        work: multiply-adds by stage, where they were counted.
    """

    text: str
    backend: str
    ran_on: Mapping[str, str]
    opaque: bool
    figures: dict[str, list[Figures]] = field(default_factory=lambda: defaultdict(list))
    work: Mapping[str, Work] = field(default_factory=dict)

    def median(self, state: str, row: str) -> float:
        """Milliseconds."""
        return float(np.median([figures.get(row, 0.0) for figures in self.figures[state]]))

    def rows(self, peak: Peak | None) -> list[Row]:
        """What is printed of it, with the columns of COLUMNS."""
        return [self._row(state, row, peak) for state in STATES for row in rows_of(opaque=self.opaque)]

    def _row(self, state: str, stage: str, peak: Peak | None) -> Row:
        values = [figures.get(stage, 0.0) for figures in self.figures[state]]
        p50, p95, p99 = (float(value) for value in np.percentile(values, (50, 95, 99)))
        row = dict.fromkeys(COLUMNS) | {"tokens": self.text, "state": state, "stage": stage, "runs": len(values)}
        row |= {"mean_ms": float(np.mean(values)), "median_ms": p50, "p95_ms": p95, "p99_ms": p99, "min_ms": min(values)}
        audio_s = float(np.median([figures["audio_s"] for figures in self.figures[state]]))
        if stage == "total" and audio_s:
            row["rtf"] = p50 / 1000 / audio_s
        work = self.work_of(stage)
        row |= {"backend": self.backend, "target_ms": target_ms(stage, self.ran_on)}
        if state == "warm" and work is not None:
            here = on_processor(backend_of_row(stage, self.ran_on))  # whose peak was measured
            row |= {"gmac": work.gmac, "expected_ms": peak.expected_ms(work) if peak is not None and here else None}
        return row

    def work_of(self, row: str) -> Work | None:
        """Multiply-adds of a stage or of several; None where none were counted."""
        parts = SYNTHESIS if row == "synthesis" and not self.opaque else tuple(self.work) if row == "total" else (row,)
        known = [self.work[part] for part in parts if part in self.work]
        return sum(known, Work()) if known else None


def request_of(speaker: Speaker, text: str) -> SynthesisRequest:
    """A request that any voice can speak, without silences."""
    voice = speaker.pipeline.voice
    style, who = min(voice.styles, default=0), min(voice.speakers, default=0)
    return SynthesisRequest(text, style=style, speaker=who, pre_silence_s=0, post_silence_s=0)


def measure(
    speakers: Mapping[str, Speaker],
    name: str,
    text: str,
    turns: Callable[[int], Iterable[int]],
    *,
    runs: int,
    warmup: int,
) -> list[Measured]:
    """Speaks a text on every backend: cold once, then in turns warm and with what is remembered of the text.

    Args:
        speakers: by backend.
        turns: makes the loop over so many turns, and may show how far it is.
    """
    found = {}
    for backend, speaker in speakers.items():
        speaker.pipeline.warm.clear()
        speaker.pipeline.caches.stored = None  # else a warm run would find its features on the disk
        found[backend] = Measured(name, backend, speaker.backends, speaker.pipeline.opaque)
        found[backend].figures["cold"].append(run_once(speaker, request_of(speaker, text), cached=False))
    for turn in turns(warmup + runs):
        for state in ("warm", "cached"):
            for backend, speaker in speakers.items():
                figures = run_once(speaker, request_of(speaker, text), cached=state == "cached")
                if turn >= warmup:
                    found[backend].figures[state].append(figures)
    return list(found.values())


def run_once(speaker: Speaker, request: SynthesisRequest, *, cached: bool) -> Figures:
    """Milliseconds by stage, to the first audio and in all; `audio_s` of sound, and its `frames`.

    Args:
        cached: text and features are as they were remembered; sound never is.
    """
    pipeline = speaker.pipeline
    if cached:
        pipeline.caches.forget_sound()
    else:
        pipeline.caches.clear()
    spent: dict[str, float] = defaultdict(float)

    def add(timing: StageTiming) -> None:
        spent[timing.stage] += timing.ms
        if timing.stage in ("flow", "synthesis"):
            spent["frames"] += timing.frames

    began = time.perf_counter()
    for chunk in pipeline.synthesize(request, add):
        if not chunk.silence:
            spent.setdefault("first_audio", (time.perf_counter() - began) * 1000)
            spent["audio_s"] += len(chunk.samples) / chunk.sampling_rate
    spent["total"] = (time.perf_counter() - began) * 1000
    if not pipeline.opaque:
        spent["synthesis"] = sum(spent[stage] for stage in SYNTHESIS)
    return spent
