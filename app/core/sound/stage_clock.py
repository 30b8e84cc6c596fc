"""The stages of the pipeline and the clock that times them. The pipeline is the only place that measures time."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.synthesis_types import StageTiming

PIPELINE_STAGES = ("text", "g2p", "tokenize", "bert", "expand", "prosody", "flow", "decode", "audio")
SINGLE_GRAPH_STAGES = ("text", "g2p", "tokenize", "bert", "expand", "synthesis", "audio")
ALL_STAGES = (
    *PIPELINE_STAGES[:-1],
    "synthesis",
    # Only lines with a changed pitch or intonation have this stage.
    "pitch",
    PIPELINE_STAGES[-1],
)

OnStage = Callable[[StageTiming], None]


class RequestStopped(Exception):  # noqa: N818
    """Raised where a request was cancelled: between two stages, and by a graph whose run was stopped for it.

    No failure, and so no `AppError`: whatever records, reports or remembers failures lets it pass.
    """


def ignore_cancellation() -> bool:
    """Return False, for callers that do not cancel."""
    return False


def ignore_stage(_timing: StageTiming) -> None:
    """Ignore a timing, for callers that need none."""


@dataclass(slots=True)
class StageClock:
    """Measures one stage of one sentence after another: call `start_stage`, do the work, call `stop_stage`. No stage of a cancelled request starts."""

    request_id: str
    on_stage: OnStage  # receives every timing, in the synthesis thread, between two stages
    cancelled: Callable[[], bool] = ignore_cancellation
    warm: set[str] = field(default_factory=set)  # stages that have run before; shared by all requests of a pipeline
    clock: Callable[[], float] = time.perf_counter
    sentence: int = 0
    _started_at: float = field(default=0.0, repr=False)

    def start_stage(self) -> None:
        """Start a stage; raises RequestStopped instead when the request was cancelled."""
        if self.cancelled():
            raise RequestStopped
        self._started_at = self.clock()

    def stop_stage(
        self, stage: str, *, cache_hit: bool = False, tokens: int = 0, phones: int = 0, frames: int = 0, samples: int = 0
    ) -> None:
        """End the stage and emit its timing."""
        ms = (self.clock() - self._started_at) * 1000
        cold = stage not in self.warm and not cache_hit
        if cold:
            self.warm.add(stage)
        self.on_stage(StageTiming(self.request_id, self.sentence, stage, ms, cold, cache_hit, tokens, phones, frames, samples))

    def skip_stage(self, stage: str, *, tokens: int = 0, phones: int = 0, frames: int = 0, samples: int = 0) -> None:
        """Emit the timing of a stage that need not run because its result was cached."""
        # A cached result is still reported, as a stage of 0 ms with `cache_hit`.
        self.on_stage(StageTiming(self.request_id, self.sentence, stage, 0.0, False, True, tokens, phones, frames, samples))
