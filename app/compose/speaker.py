"""A voice that is ready to speak, and where it does."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.ort.graph_session import SpeakerSession
from app.adapters.ort.ort_synthesizer import OrtBert, OrtSingleGraphSynthesizer, OrtSynthesizer
from app.common.stages import STAGE_OF_GRAPH
from app.core.sound.pipeline import Pipeline
from app.core.synthesis_types import StageTiming
from app.voices.prepared_voice import Voice, map_int8_files

if TYPE_CHECKING:
    from app.adapters.ort.devices.failed_devices import FailedDevices

DEVICE_WAIT_S = 1200.0  # for converting a voice and its BERT, and opening them in all sizes
_GRAPHS_BY_STAGE = {stage: graph for graph, stage in STAGE_OF_GRAPH.items()}


@dataclass(frozen=True, slots=True)
class Speaker:
    """A pipeline that is ready to speak."""

    pipeline: Pipeline
    voice: Voice  # its graphs are open; serialised ones are held no longer
    sessions: dict[str, SpeakerSession]
    models: dict[str, Path]  # the files of graphs; those that were only in memory are not kept
    bert: str  # id of the BERT, which is the voice's own unless another one was forced; "" for a voice that needs none
    failures: FailedDevices | None  # what is known of devices that failed; None while no voice was put on one
    _runners: tuple[OrtBert | OrtSynthesizer | OrtSingleGraphSynthesizer, ...]

    def list_graph_backends(self) -> dict[str, str]:
        """Return where each graph runs now."""
        return {graph: session.backend for graph, session in self.sessions.items()}

    @property
    def backends(self) -> dict[str, str]:
        """Return where each stage runs now, by stage name."""
        return {STAGE_OF_GRAPH.get(graph, graph): backend for graph, backend in self.list_graph_backends().items()}

    @property
    def fast_graphs(self) -> frozenset[str]:
        """Return the names of the graphs that run in int8 for speed."""
        files = map_int8_files(self.voice.manifest)
        return frozenset(name for name, file in files.items() if self.models[name].name == file)

    @property
    def fallback(self) -> str | None:
        """Return why a stage does not run where it was asked to, or None; a device may fail at any time. One failure a place is enough."""
        away = [session for session in self.sessions.values() if session.fallback_reason]
        failures = {session.place: session.fallback_reason for session in reversed(away) if session.has_failed}
        staying = [session.fallback_reason for session in away if session.place not in failures]
        return "\n".join(dict.fromkeys(filter(None, [*reversed(failures.values()), *staying]))) or None

    @property
    def has_failed(self) -> bool:
        """Return whether `fallback` is about a failure; else a graph has no room on its device, or no form."""
        return any(session.fallback_reason and session.has_failed for session in self.sessions.values())

    def wait_for_devices(self, limit_s: float = DEVICE_WAIT_S) -> None:
        """Wait until every graph meant for a device runs there; until then the CPU speaks."""
        end = time.monotonic() + limit_s
        for session in self.sessions.values():
            session.wait_until_settled(max(0.0, end - time.monotonic()))

    def add_backend(self, timing: StageTiming) -> StageTiming:
        """Return a timing that has just been taken, with the backend that its graph ran on."""
        session = self.sessions.get(_GRAPHS_BY_STAGE.get(timing.stage, timing.stage))
        if session is None or timing.cache_hit:
            return timing
        return replace(timing, backend=session.ran_on, new_size=session.new_size, waited=session.waited)

    @property
    def is_device_lost(self) -> bool:
        """Return whether a device that it was put on failed, so that nothing more is tried there."""
        return self.failures is not None and any(session.place in self.failures.lost_reasons for session in self.sessions.values())

    def terminate(self) -> None:
        """Stop the running graph; may be called from any thread."""
        for runner in self._runners:
            runner.terminate()
