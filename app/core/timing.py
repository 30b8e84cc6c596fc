"""The stages of the pipeline and the clock that times them. Time is measured in the pipeline and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.types import StageTiming

STAGES = ("text", "g2p", "tokenize", "bert", "expand", "prosody", "flow", "decode", "audio")
OPAQUE_STAGES = ("text", "g2p", "tokenize", "bert", "expand", "synthesis", "audio")

OnStage = Callable[[StageTiming], None]


def ignore_stage(_timing: StageTiming) -> None:
    """For callers that do not care."""


@dataclass(slots=True)
class StageClock:
    """Measures one stage after another: call `start`, do the work, call `stop`.

    Attributes:
        on_stage: receives every timing, in the synthesis thread.
        warm: stages that have run before; shared by all requests of a pipeline.
        clock: seconds, monotonic.
    """

    request_id: str
    on_stage: OnStage
    warm: set[str] = field(default_factory=set)
    clock: Callable[[], float] = time.perf_counter
    sentence: int = 0
    _began: float = 0.0

    def start(self) -> None:
        """The stage begins now."""
        self._began = self.clock()

    def stop(self, stage: str, *, cache_hit: bool = False, tokens: int = 0, phones: int = 0, frames: int = 0, samples: int = 0) -> None:
        """The stage ends now; emits its timing."""
        ms = (self.clock() - self._began) * 1000
        cold = stage not in self.warm and not cache_hit
        if cold:
            self.warm.add(stage)
        self.on_stage(StageTiming(self.request_id, self.sentence, stage, ms, cold, cache_hit, tokens, phones, frames, samples))
