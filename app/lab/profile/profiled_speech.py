"""The run that is profiled: a voice that speaks a line, or a BERT that reads it; also in the fixed sizes of a device.

It is done again and again, in turns as it is and profiled.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.device_placement import parse_placement
from app.adapters.ort.devices.device_sessions import open_session
from app.adapters.ort.graph_session import SpeakerSession
from app.adapters.ort.ort_synthesizer import OrtBert
from app.adapters.ort.profiled_session import GraphRun, ProfiledSession
from app.bench.repeated_runs import Repeats
from app.bench.stage_timing import build_bench_request
from app.common.progress import Report
from app.compose.graph_sessions import build_synthesizer
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.sound.pipeline import Pipeline
from app.core.sound.render_caches import RenderCaches
from app.core.sound.stage_clock import OnStage
from app.core.synthesis_types import StageTiming
from app.lab.lab_subject import LabSubject
from app.voices.bert_models import BertModel

SpeakOnce = Callable[[OnStage], None]  # speaks once, from nothing remembered


class FixedShapeProfiledSession:
    """Runs everything twice: for its results, and once more in the form and size that the device is given, for the profile."""

    def __init__(self, graph: str, session: SpeakerSession) -> None:
        self._graph, self._session = graph, session
        self._profiled_sessions: dict[tuple[Path, tuple[int, ...]], ProfiledSession] = {}
        self.inputs, self.outputs = session.inputs, session.outputs

    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Run the graph, as `SpeakerSession.run_graph`."""
        results = self._session.run_graph(values, outputs)
        formed = self._session.find_device_inputs(values)
        # Else this size is computed on the CPU.
        if formed is not None:
            file, padded, free = formed
            key = file, tuple(free.values())
            if key not in self._profiled_sessions:
                self._profiled_sessions[key] = ProfiledSession(file, self._session.place, self._graph, free)
            self._profiled_sessions[key].run_graph(padded)
        return results

    def list_sessions(self) -> list[ProfiledSession]:
        return list(self._profiled_sessions.values())

    def terminate(self) -> None:
        """Stop the run in progress, if any."""
        self._session.terminate()

    def end_profiling(self) -> list[GraphRun]:
        """Return all runs of all sizes, in order."""
        runs = [run for session in self._profiled_sessions.values() for run in session.end_profiling()]
        return sorted(runs, key=lambda run: run.start_s)


AnyProfiledSession = ProfiledSession | FixedShapeProfiledSession


@dataclass(frozen=True, slots=True)
class SpeakingWays:
    """The same twice: as it is, and with every graph profiled; graphs, sessions and places by the graph's name."""

    plain: SpeakOnce
    profiled: SpeakOnce
    sessions: dict[str, AnyProfiledSession]
    graphs: dict[str, Path | bytes]
    places: dict[str, str]

    def end_profiling(self) -> list[GraphRun]:
        return [run for session in self.sessions.values() for run in session.end_profiling()]


def open_ways(subject: LabSubject, text: str, backend: str, bert: str | None) -> SpeakingWays:
    """Open a voice with a BERT (any one, if its own is missing), or the BERT alone; raise InputError where it is neither."""
    subject.require_runnable()
    if subject.bert is not None:
        return _open_bert_ways(subject.bert, text, backend)
    assert subject.voice is not None
    speaker = open_speaker(str(subject.voice.path), backend, bert=bert, force_bert=True)
    speaker.wait_for_devices()
    graphs: dict[str, Path | bytes] = {**subject.voice.graphs, **speaker.models}
    graphs = {name: graphs[name] for name in speaker.sessions}
    sessions: dict[str, AnyProfiledSession] = {
        name: FixedShapeProfiledSession(name, session)
        if session.is_fixed_shape
        else ProfiledSession(graphs[name], session.place if session.backend != "cpu" else "cpu", name)
        for name, session in speaker.sessions.items()
    }
    synthesizer = build_synthesizer(speaker.voice, sessions)
    runner = OrtBert(sessions["bert"], "") if "bert" in sessions else None
    profiled = replace(speaker.pipeline, bert=runner, synthesizer=synthesizer, caches=RenderCaches(), warm=set())
    places = speaker.list_graph_backends()
    return SpeakingWays(_create_speak(speaker, speaker.pipeline, text), _create_speak(speaker, profiled, text), sessions, graphs, places)


def _create_speak(speaker: Speaker, pipeline: Pipeline, text: str) -> SpeakOnce:
    request = build_bench_request(speaker, text)
    # Else features would be found on the disk.
    pipeline.caches.stored = None

    def speak(on_stage: OnStage) -> None:
        pipeline.caches.clear()
        for _chunk in pipeline.synthesize(request, on_stage):
            pass

    return speak


def _open_bert_ways(bert: BertModel, text: str, backend: str) -> SpeakingWays:
    ids, device = CharTokenizer(bert.vocabulary).encode(text), parse_placement(backend).bert
    opened = open_session(bert.exact_graph, device, bert.name)
    watched = ProfiledSession(bert.exact_graph, device if opened.backend != "cpu" else "cpu", "bert")

    def create_way(session: Any) -> SpeakOnce:
        runner = OrtBert(session, bert.id)

        def run_bert(on_stage: OnStage) -> None:
            began = time.perf_counter()
            runner.run_graph(ids)
            on_stage(StageTiming("", 0, "bert", (time.perf_counter() - began) * 1000, tokens=len(ids)))

        return run_bert

    return SpeakingWays(
        create_way(opened.session), create_way(watched), {"bert": watched}, {"bert": bert.exact_graph}, {"bert": opened.backend}
    )


@dataclass(frozen=True, slots=True)
class StageSpan:
    """One stage of one sentence, or of one piece of it, in seconds of `time.perf_counter`, and the process's memory at its end."""

    stage: str
    began_s: float
    ended_s: float
    process_bytes: int

    @property
    def ms(self) -> float:
        return (self.ended_s - self.began_s) * 1000


@dataclass(slots=True)
class ProfileTurn:
    """The text once as it is and once profiled: stages in order, and of the profiled way the runs of graphs."""

    plain: list[StageSpan]
    profiled: list[StageSpan]
    began_s: float
    ended_s: float
    graphs: list[GraphRun] = field(default_factory=list)

    @property
    def total_ms(self) -> float:
        """Return the sum of the measured stages."""
        return sum(span.ms for span in self.plain)


def measure_turns(ways: SpeakingWays, repeats: Repeats, report: Report) -> list[ProfileTurn]:
    turns: list[ProfileTurn] = []
    try:
        for number in range(repeats.warmup):
            report("checking", 0.5 * number / repeats.warmup)
            _measure_turn(ways)
        began = time.perf_counter()
        while len(turns) < repeats.runs or time.perf_counter() - began < repeats.seconds:
            report("checking", 0.5 + 0.5 * min(len(turns) / repeats.runs, 1.0))
            turns.append(_measure_turn(ways))
    finally:
        runs = ways.end_profiling()
    runs = sorted(runs, key=lambda run: run.start_s)
    begins = [run.start_s for run in runs]
    for turn in turns:
        turn.graphs = runs[bisect_left(begins, turn.began_s) : bisect_right(begins, turn.ended_s)]
    return turns


def _measure_turn(ways: SpeakingWays) -> ProfileTurn:
    plain = _record_spans(ways.plain)
    for session in ways.sessions.values():
        for part in session.list_sessions():
            part.calls.clear()
    began = time.perf_counter()
    return ProfileTurn(plain, _record_spans(ways.profiled), began, time.perf_counter())


def _record_spans(speak: SpeakOnce) -> list[StageSpan]:
    spans: list[StageSpan] = []
    process = psutil.Process()

    def add_span(timing: StageTiming) -> None:
        ended = time.perf_counter()
        spans.append(StageSpan(timing.stage, ended - timing.ms / 1000, ended, process.memory_info().rss))

    speak(add_span)
    return spans


def choose_typical_turn(turns: Sequence[ProfileTurn]) -> ProfileTurn:
    """Return the median turn by the time of its stages."""
    return sorted(turns, key=lambda turn: turn.total_ms)[len(turns) // 2]
