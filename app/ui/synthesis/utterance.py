"""One line on its way: what each stage took, what came from a cache, when it was first heard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from app.core.sound.stage_clock import ALL_STAGES
from app.core.synthesis_types import StageTiming

SUMMED_SIZES = ("tokens", "phones", "frames", "samples")


@dataclass(slots=True)
class StageTotal:
    """One stage over all sentences of an utterance; `ms` includes `cold_ms` and `new_ms`, and the sizes are sums as well.

    Attributes:
        new_ms: of runs whose size was new to the device.
        waited_ms: of runs on the CPU for which the device was not ready.
        backends: what computed it, in the order of their first runs.
    """

    ms: float = 0.0
    cold_ms: float = 0.0
    new_ms: float = 0.0
    waited_ms: float = 0.0
    backends: tuple[str, ...] = ()
    runs: int = 0
    hits: int = 0
    tokens: int = 0
    phones: int = 0
    frames: int = 0
    samples: int = 0

    def add_timing(self, timing: StageTiming) -> None:
        """Add one timing."""
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
    """One line on its way.

    Attributes:
        label: its first words.
        stages: by name, in the order of the pipeline.
        first_audio_ms: from the request to the first sound, None before.
        audio_s: sound so far, pauses around the line not counted.
        is_running: more is to come.
    """

    request_id: str
    label: str
    stages: dict[str, StageTotal] = field(default_factory=dict)
    first_audio_ms: float | None = None
    audio_s: float = 0.0
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
        """Add one timing."""
        self.stages.setdefault(timing.stage, StageTotal()).add_timing(timing)
        if timing.stage == "audio":
            self.audio_s += timing.samples / sampling_rate

    def iterate_stages(self) -> Iterator[tuple[str, StageTotal]]:
        """Yield the stages that occurred, in the order of the pipeline."""
        return ((name, self.stages[name]) for name in ALL_STAGES if name in self.stages)
