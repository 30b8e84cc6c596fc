"""Writes what the synthesis thread measures into the history, in the window's thread."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.adapters.ort.backends import is_on_processor
from app.core.synthesis_types import StageTiming
from app.ui.synthesis.latency_history import CPU_TARGET_MS, GPU_TARGET_MS, LatencyHistory
from app.ui.synthesis.synthesis_results import FirstAudioResult, OpenedVoice, SynthesisResult

STAGE_OF_GRAPH = {"decoder": "decode", "whole": "synthesis"}  # where the names differ


def collect_copy_times(voice: OpenedVoice) -> dict[str, tuple[float, float, float]]:
    """Stage → copying in, computing, copying out, ms, as the probe traced them where the voice runs now; while speaking nothing is traced."""
    chosen = (
        item
        for item in voice.measurements
        if (item.get("chosen") if voice.requested_backend == "auto" else item.get("backend") == voice.requested_backend)
    )
    found: dict[str, tuple[float, float, float]] = {}
    for line in next(chosen, {}).get("trace", ()):
        if not isinstance(line, dict):
            continue
        there, run, back = (line.get(name) for name in ("copy_in_ms", "run_ms", "copy_out_ms"))
        if isinstance(there, int | float) and isinstance(run, int | float) and isinstance(back, int | float):
            graph = str(line.get("graph"))
            found[STAGE_OF_GRAPH.get(graph, graph)] = (there, run, back)
    return found


class LatencyRecorder(QObject):
    """Keeps the history up to date.

    Attributes:
        history: measurements so far.

    Signals:
        measured(): a line has begun to sound, ended or was left out; single stages are not reported, they come too often.
    """

    measured = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.history = LatencyHistory()
        self._rates: dict[str, int] = {}  # Hz, by voice
        self._voices: dict[str, str] = {}  # by request, while it runs

    def set_voice(self, voice: OpenedVoice) -> None:
        """Use this voice for all following measurements."""
        self.history.opaque = voice.is_single_graph
        self.history.target_ms = CPU_TARGET_MS if all(is_on_processor(backend) for _, backend in voice.backends) else GPU_TARGET_MS
        self.history.copies_ms = collect_copy_times(voice)
        self._rates[voice.id] = voice.sampling_rate

    def begin_utterance(self, request_id: str, text: str, voice: str = "") -> None:
        """A line is asked for."""
        self._voices[request_id] = voice
        self.history.begin_utterance(request_id, text)

    def stop_utterance(self, request_id: str) -> None:
        """A line was stopped or failed; if nothing of it was computed it is forgotten."""
        self._voices.pop(request_id, None)
        utterance = self.history.find_utterance(request_id)
        if utterance is not None:
            utterance.is_stopped, utterance.is_running = utterance.is_running, False
            self.history.drop_empty_utterance(request_id)
            self.measured.emit()

    @Slot(object)
    def add_stage(self, timing: StageTiming) -> None:
        """One stage of one sentence is done."""
        utterance = self.history.find_utterance(timing.request_id)
        if utterance is not None:
            utterance.add_timing(timing, self._rates.get(self._voices.get(timing.request_id, ""), 1))

    @Slot(object)
    def add_first_audio(self, first_audio: FirstAudioResult) -> None:
        """The first sound is there."""
        utterance = self.history.find_utterance(first_audio.request_id)
        if utterance is not None:
            utterance.first_audio_ms = first_audio.ms
            self.measured.emit()

    @Slot(object)
    def finish_utterance(self, result: SynthesisResult) -> None:
        """All sound is there."""
        self._voices.pop(result.request_id, None)
        utterance = self.history.find_utterance(result.request_id)
        if utterance is not None:
            utterance.is_running = False
            utterance.is_stopped = utterance.is_stopped or result.is_stopped
            self.measured.emit()
