"""The stages of the pipeline and the clock that times them. Time is measured in the pipeline and nowhere else."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.types import StageTiming

STAGES = ("text", "g2p", "tokenize", "bert", "expand", "prosody", "flow", "decode", "audio")
OPAQUE_STAGES = ("text", "g2p", "tokenize", "bert", "expand", "synthesis", "audio")
ALL_STAGES = (*STAGES[:-1], "synthesis", "pitch", STAGES[-1])  # "pitch" only where a line's pitch or intonation was changed

OnStage = Callable[[StageTiming], None]


class Stopped(Exception):  # noqa: N818
    """The request was cancelled."""


def never() -> bool:
    """For callers that do not cancel."""
    return False


def ignore_stage(_timing: StageTiming) -> None:
    """For callers that do not care."""


@dataclass(slots=True)
class StageClock:
    """Measures one stage of one sentence after another: call `start`, do the work, call `stop`. No stage of a cancelled request starts.

    Attributes:
        on_stage: receives every timing, in the synthesis thread, between two stages.
        cancelled: looked at before every stage.
        warm: stages that have run before; shared by all requests of a pipeline.
        clock: seconds, monotonic.
    """

    request_id: str
    on_stage: OnStage
    cancelled: Callable[[], bool] = never
    warm: set[str] = field(default_factory=set)
    clock: Callable[[], float] = time.perf_counter
    sentence: int = 0
    _began: float = field(default=0.0, repr=False)

    def start(self) -> None:
        """The stage begins now; raises Stopped instead when the request was cancelled."""
        if self.cancelled():
            raise Stopped
        self._began = self.clock()

    def stop(self, stage: str, *, cache_hit: bool = False, tokens: int = 0, phones: int = 0, frames: int = 0, samples: int = 0) -> None:
        """The stage ends now; emits its timing."""
        ms = (self.clock() - self._began) * 1000
        cold = stage not in self.warm and not cache_hit
        if cold:
            self.warm.add(stage)
        self.on_stage(StageTiming(self.request_id, self.sentence, stage, ms, cold, cache_hit, tokens, phones, frames, samples))

    def skip(self, stage: str, *, tokens: int = 0, phones: int = 0, frames: int = 0, samples: int = 0) -> None:
        """The stage need not run: what it would give was remembered."""
        self.on_stage(StageTiming(self.request_id, self.sentence, stage, 0.0, False, True, tokens, phones, frames, samples))
