"""A voice that is ready to speak, and where it does."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from app.adapters.ort.bert import OrtBert
from app.adapters.ort.device_failures import DeviceFailures
from app.adapters.ort.failover import FailoverSession
from app.adapters.ort.synthesizer import OrtOpaqueSynthesizer, OrtSynthesizer
from app.core.pipeline import Pipeline
from app.core.types import StageTiming
from app.stage_words import STAGE_OF_GRAPH
from app.voices.manifest import fast_files
from app.voices.voice import Voice

DEVICES_S = 1200.0  # for converting a voice and its BERT, and opening them in all sizes
_GRAPH_OF_STAGE = {stage: graph for graph, stage in STAGE_OF_GRAPH.items()}


@dataclass(frozen=True, slots=True)
class Speaker:
    """A pipeline that is ready to speak.

    Attributes:
        voice: its graphs are open; serialised ones are held no longer.
        sessions: by graph; the BERT among them.
        models: the files of graphs; those that were only in memory are not kept.
        bert: id of the BERT, which is the voice's own unless another one was forced.
        failures: what is known of devices that failed.
    """

    pipeline: Pipeline
    voice: Voice
    sessions: dict[str, FailoverSession]
    models: dict[str, Path]
    bert: str
    failures: DeviceFailures
    _runners: tuple[OrtBert | OrtSynthesizer | OrtOpaqueSynthesizer, ...]

    def backends_by_graph(self) -> dict[str, str]:
        """Where each graph runs now."""
        return {graph: session.backend for graph, session in self.sessions.items()}

    @property
    def backends(self) -> dict[str, str]:
        """Where each stage runs now, by stage name."""
        return {STAGE_OF_GRAPH.get(graph, graph): backend for graph, backend in self.backends_by_graph().items()}

    @property
    def fast_graphs(self) -> frozenset[str]:
        """Names of the graphs that run in int8 for speed."""
        files = fast_files(self.voice.manifest)
        return frozenset(name for name, file in files.items() if self.models[name].name == file)

    @property
    def fallback(self) -> str | None:
        """Why a stage does not run where it was asked to, or None; a device may fail at any time. One failure a place is enough."""
        away = [session for session in self.sessions.values() if session.fallback]
        failures = {session.place: session.fallback for session in reversed(away) if session.failed}
        staying = [session.fallback for session in away if session.place not in failures]
        return "\n".join(dict.fromkeys(filter(None, [*reversed(failures.values()), *staying]))) or None

    @property
    def failed(self) -> bool:
        """Whether `fallback` is about a failure; else a graph has no room on its device, or no form."""
        return any(session.fallback and session.failed for session in self.sessions.values())

    def wait_for_devices(self, limit_s: float = DEVICES_S) -> None:
        """Waits until all that is to run on a device does; until then the CPU speaks."""
        end = time.monotonic() + limit_s
        for session in self.sessions.values():
            session.settle(max(0.0, end - time.monotonic()))

    def located(self, timing: StageTiming) -> StageTiming:
        """A timing that has just been taken, with what its graph ran on."""
        session = self.sessions.get(_GRAPH_OF_STAGE.get(timing.stage, timing.stage))
        if session is None or timing.cache_hit:
            return timing
        return replace(timing, backend=session.ran_on, new_size=session.new_size, waited=session.waited)

    @property
    def lost(self) -> bool:
        """Whether a device that it was put on failed, so that nothing more is tried there."""
        return any(session.place in self.failures.lost for session in self.sessions.values())

    def terminate(self) -> None:
        """Stops the graph that is running now, from any thread."""
        for runner in self._runners:
            runner.terminate()
