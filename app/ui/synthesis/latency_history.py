"""The measurements of the last utterances, what each stage took, came from a cache or was heard first, and their targets.

The figures are those of the bars and the table. No Qt here.
"""

import itertools
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from app.core.sound.stage_clock import ALL_STAGES, PIPELINE_STAGES, SINGLE_GRAPH_STAGES
from app.core.synthesis_types import StageTiming

CPU_TARGET_MS, GPU_TARGET_MS = 580.0, 140.0
# What the parts of a line may take, in the order of the pipeline, each under its last stage. The pipeline's own share is not counted.
CPU_STAGE_TARGETS_MS = {"g2p": 50.0, "bert": 300.0, "expand": 20.0, "decode": 200.0, "audio": 10.0}
GPU_STAGE_TARGETS_MS = {"g2p": 30.0, "bert": 50.0, "expand": 5.0, "decode": 50.0, "audio": 5.0}
PART_OF_STAGE = {"text": "g2p", "tokenize": "bert", "prosody": "decode", "flow": "decode", "synthesis": "decode", "pitch": "decode"}
MAX_KEPT_UTTERANCES = 200

SUMMED_SIZES = ("tokens", "phones", "frames", "samples")


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """Figures of one stage in milliseconds. `last` is None when the last utterance had none, `is_cached` when it came from a cache."""

    last: float | None
    is_cached: bool
    median: float | None  # median, p95: of what was computed, without anything from a cache
    p95: float | None
    backends: tuple[str, ...] = ()  # what computed it in the last utterance that it was computed for
    # new_ms, waited_ms: of `last`, what was spent on sizes that were new to the device, and on the CPU as it was not ready.
    new_ms: float = 0.0
    waited_ms: float = 0.0
    cached_runs: int = 0  # cached_runs, cached_median: how often something came from a cache, and how long that took
    cached_median: float | None = None


@dataclass(slots=True)
class StageTotal:
    """One stage over all sentences of an utterance; `ms` includes `cold_ms` and `new_ms`, and the sizes are sums as well."""

    ms: float = 0.0
    cold_ms: float = 0.0
    new_ms: float = 0.0  # of runs whose size was new to the device
    waited_ms: float = 0.0  # of runs on the CPU for which the device was not ready
    backends: tuple[str, ...] = ()
    runs: int = 0
    hits: int = 0
    tokens: int = 0
    phones: int = 0
    frames: int = 0
    samples: int = 0

    def add_timing(self, timing: StageTiming) -> None:
        self.ms += timing.ms
        self.cold_ms += timing.ms if timing.cold else 0
        self.new_ms += timing.ms if timing.new_size else 0
        self.waited_ms += timing.ms if timing.waited else 0
        if timing.backend and timing.backend not in self.backends:
            self.backends += (timing.backend,)
        self.runs += not timing.cache_hit
        self.hits += timing.cache_hit
        for size in SUMMED_SIZES:
            setattr(self, size, getattr(self, size) + getattr(timing, size))


@dataclass(slots=True)
class Utterance:
    """One line on its way."""

    request_id: str
    label: str
    stages: dict[str, StageTotal] = field(default_factory=dict)  # by name, in the order of the pipeline
    first_audio_ms: float | None = None  # from the request to the first sound, None before
    audio_s: float = 0.0  # sound so far, pauses around the line not counted
    is_running: bool = True
    is_stopped: bool = False

    @property
    def total_ms(self) -> float:
        """Return the time spent in all stages, in ms."""
        return sum(stage.ms for stage in self.stages.values())

    @property
    def rtf(self) -> float | None:
        """Return the time spent per second of sound; None before the first sound."""
        return self.total_ms / 1000 / self.audio_s if self.audio_s else None

    @property
    def is_cached(self) -> bool:
        """Return whether part of the synthesis came from a cache. The reading nearly always does: the window reads lines while they are written."""
        return any(stage.hits for name, stage in self.stages.items() if name != "g2p")

    @property
    def hits(self) -> int:
        """Return the number of readings and features that came from a cache."""
        return sum(self.stages[name].hits for name in ("g2p", "bert") if name in self.stages)

    @property
    def lookups(self) -> int:
        """Return the number of readings and features that were needed."""
        return sum(self.stages[name].runs + self.stages[name].hits for name in ("g2p", "bert") if name in self.stages)

    def add_timing(self, timing: StageTiming, sampling_rate: int) -> None:
        self.stages.setdefault(timing.stage, StageTotal()).add_timing(timing)
        if timing.stage == "audio":
            self.audio_s += timing.samples / sampling_rate

    def iterate_stages(self) -> Iterator[tuple[str, StageTotal]]:
        """Yield the stages that occurred, in the order of the pipeline."""
        return ((name, self.stages[name]) for name in ALL_STAGES if name in self.stages)

    def sum_parts(self) -> dict[str, float]:
        """Return the time spent in each part of the line in ms, by the last stage of the part."""
        spent: defaultdict[str, float] = defaultdict(float)
        for name, stage in self.iterate_stages():
            spent[PART_OF_STAGE.get(name, name)] += stage.ms
        return spent


class LatencyHistory:
    """The last utterances, oldest first."""

    def __init__(self) -> None:
        self.utterances: deque[Utterance] = deque(maxlen=MAX_KEPT_UTTERANCES)
        self.opaque = False  # the voice is one graph
        self.target_ms = CPU_TARGET_MS  # what a line should take at most where it runs now
        # By stage, into the device, computing there and out of it, as far as a probe has measured the voice where it runs now.
        self.copies_ms: dict[str, tuple[float, float, float]] = {}

    @property
    def stages(self) -> tuple[str, ...]:
        """Return the stages of the voice, and "pitch" if any line had its pitch changed."""
        has = SINGLE_GRAPH_STAGES if self.opaque else PIPELINE_STAGES
        changed = any("pitch" in item.stages for item in self.utterances)
        return (*has[:-1], "pitch", has[-1]) if changed else has

    @property
    def stage_targets_ms(self) -> dict[str, float]:
        """Return what the parts of a line should take at most where it runs now."""
        return CPU_STAGE_TARGETS_MS if self.target_ms == CPU_TARGET_MS else GPU_STAGE_TARGETS_MS

    def find_slow_stages(self) -> frozenset[str]:
        """Return the stages of the newest line that took longer than they should, and "total" if the whole did."""
        if self.last is None:
            return frozenset()
        slow = {part for part, ms in self.last.sum_parts().items() if ms > self.stage_targets_ms[part]}
        slow_names = {name for name, _ in self.last.iterate_stages() if PART_OF_STAGE.get(name, name) in slow}
        return frozenset(slow_names | ({"total"} if self.last.total_ms > self.target_ms else set()))

    def list_trend(self, count: int) -> list[Utterance]:
        """Return the newest complete utterances that have sound, oldest first."""
        complete = (item for item in reversed(self.utterances) if not item.is_running and not item.is_stopped and item.audio_s)
        return list(itertools.islice(complete, count))[::-1]

    @property
    def last(self) -> Utterance | None:
        """Return the newest utterance, or None."""
        return self.utterances[-1] if self.utterances else None

    def begin_utterance(self, request_id: str, text: str) -> Utterance:
        utterance = Utterance(request_id, " ".join(text[:80].split()))
        self.utterances.append(utterance)
        return utterance

    def find_utterance(self, request_id: str) -> Utterance | None:
        """Return the utterance of a request, or None if it has left the history."""
        return next((item for item in reversed(self.utterances) if item.request_id == request_id), None)

    def drop_empty_utterance(self, request_id: str) -> None:
        """Forget an utterance of which nothing was computed."""
        utterance = self.find_utterance(request_id)
        if utterance is not None and not utterance.stages:
            self.utterances.remove(utterance)

    def clear_finished(self) -> None:
        """Forget all finished utterances."""
        running = [item for item in self.utterances if item.is_running]
        self.utterances.clear()
        self.utterances.extend(running)

    def compute_stage_row(self, stage: str) -> LatencyRow:
        """Return the figures of a stage; a cached run counts as `last`, but neither for the median nor for p95."""
        seen_ms = [(item.stages[stage].ms, bool(item.stages[stage].hits)) for item in self._iterate_complete() if stage in item.stages]
        last = self.last.stages.get(stage) if self.last else None
        stage_backends = (item.stages[stage].backends for item in reversed(self.utterances) if stage in item.stages)
        row = _build_row(seen_ms, last.ms if last else None, bool(last and last.hits and not last.runs))
        return replace(
            row,
            backends=next(filter(None, stage_backends), ()),
            new_ms=last.new_ms if last else 0.0,
            waited_ms=last.waited_ms if last else 0.0,
        )

    def compute_first_audio_row(self) -> LatencyRow:
        """Return the figures of the time to the first sound."""
        waits = [(item.first_audio_ms, item.is_cached) for item in self._iterate_complete() if item.first_audio_ms]
        return _build_row(waits, self.last.first_audio_ms if self.last else None)

    def compute_total_row(self) -> LatencyRow:
        """Return the figures of whole utterances."""
        return _build_row([(item.total_ms, item.is_cached) for item in self._iterate_complete()], self.last.total_ms if self.last else None)

    def _iterate_complete(self) -> Iterator[Utterance]:
        return (item for item in self.utterances if not item.is_running and not item.is_stopped)


def _build_row(measured_ms: list[tuple[float, bool]], last: float | None, is_cached: bool = False) -> LatencyRow:
    """Return the row of some milliseconds, each with whether it came from a cache."""
    computed, remembered = ([ms for ms, from_cache in measured_ms if from_cache is wanted] for wanted in (False, True))
    median, p95 = map(float, np.percentile(computed, (50, 95))) if computed else (None, None)
    row = LatencyRow(last, is_cached, median, p95)
    return replace(row, cached_runs=len(remembered), cached_median=float(np.median(remembered))) if remembered else row
