"""What is run to be profiled: a voice that speaks a line, or a BERT that reads it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.failover import FailoverSession
from app.adapters.ort.placement import parse_placement
from app.adapters.ort.profiled_session import GraphRun, ProfiledSession
from app.adapters.ort.session import open_session
from app.bench.stages import request_of
from app.compose.opening import open_speaker
from app.compose.sessions import synthesizer_of
from app.compose.speaker import Speaker
from app.core.pipeline import Pipeline
from app.core.renderings import Caches
from app.core.timing import OnStage
from app.core.types import StageTiming
from app.lab.profile.formed import FormedSession
from app.lab.subject import Subject
from app.voices.bert import Bert

Speak = Callable[[OnStage], None]
"""Speaks once, from nothing remembered."""
Watched = ProfiledSession | FormedSession


@dataclass(frozen=True, slots=True)
class Ways:
    """The same twice: as it is, and with every graph profiled.

    Attributes:
        graphs: by name, what was opened; a graph that is in memory only is there too.
        places: by graph.
    """

    plain: Speak
    profiled: Speak
    sessions: dict[str, Watched]
    graphs: dict[str, Path | bytes]
    places: dict[str, str]

    def end(self) -> list[GraphRun]:
        """All runs of all graphs that were profiled."""
        return [run for session in self.sessions.values() for run in session.end()]


def ways_of(subject: Subject, text: str, backend: str, bert: str | None) -> Ways:
    """Opens a voice with a BERT (any one, where its own is missing), or the BERT alone.

    Errors as opening them for speaking raises, and InputError where it is neither.
    """
    subject.require_runs()
    if subject.bert is not None:
        return _reading(subject.bert, text, backend)
    assert subject.voice is not None
    speaker = open_speaker(str(subject.voice.path), backend, bert=bert, force_bert=True)
    speaker.wait_for_devices()
    graphs: dict[str, Path | bytes] = {**subject.voice.graphs, **speaker.models}
    graphs = {name: graphs[name] for name in speaker.sessions}
    sessions = {name: _watched(name, graphs[name], session) for name, session in speaker.sessions.items()}
    synthesizer = synthesizer_of(speaker.voice, sessions)
    profiled = replace(speaker.pipeline, bert=OrtBert(sessions["bert"], ""), synthesizer=synthesizer, caches=Caches(), warm=set())
    places = speaker.backends_by_graph()
    return Ways(_spoken(speaker, speaker.pipeline, text), _spoken(speaker, profiled, text), sessions, graphs, places)


def _watched(name: str, graph: Path | bytes, session: FailoverSession) -> Watched:
    return (
        FormedSession(name, session)
        if session.sized
        else ProfiledSession(graph, session.place if session.backend != "cpu" else "cpu", name)
    )


def _spoken(speaker: Speaker, pipeline: Pipeline, text: str) -> Speak:
    request = request_of(speaker, text)
    pipeline.caches.stored = None  # else features would be found on the disk

    def speak(on_stage: OnStage) -> None:
        pipeline.caches.clear()
        for _chunk in pipeline.synthesize(request, on_stage):
            pass

    return speak


def _reading(bert: Bert, text: str, backend: str) -> Ways:
    ids, place = CharTokenizer(bert.vocabulary).encode(text), parse_placement(backend).bert
    opened = open_session(bert.graph, place, bert.name)
    watched = ProfiledSession(bert.graph, place if opened.backend != "cpu" else "cpu", "bert")

    def way(session: Any) -> Speak:
        runner = OrtBert(session, bert.id)

        def read(on_stage: OnStage) -> None:
            began = time.perf_counter()
            runner.run(ids)
            on_stage(StageTiming("", 0, "bert", (time.perf_counter() - began) * 1000, tokens=len(ids)))

        return read

    return Ways(way(opened.session), way(watched), {"bert": watched}, {"bert": bert.graph}, {"bert": opened.backend})
