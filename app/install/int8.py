"""Makes the faster way to speak of a voice: its graphs in int8, each kept only where it is close to the exact one and pays.

A few sentences are spoken with the exact graphs. Some of them show how large the numbers become, the others how much an int8 graph made of
that differs. Whether 8-bit products are exact, and fast, depends on the processor, so what is measured holds here.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.session import Session, open_session
from app.core.types import Float32, Int64
from app.errors import AppError
from app.install.spoken import Sentence, Voiced, Watched, sentences_of
from app.progress import Report, part, unreported
from app.voices.fast import ENOUGH_EQUAL, FAST_GRAPHS, LEAST_GAIN, LEAST_SNR_DB, MOST_LSD_DB, Fast, FastGraph, RefusedGraph, Why
from app.voices.likeness import log_spectral_distance_db, signal_to_noise_db
from app.voices.manifest import VoiceManifest, write_manifest
from app.voices.voice import Voice

CALIBRATING, COMPARED = 3, 3  # sentences whose numbers are looked at; others whose sound is compared. Durations are compared in all others.
TURNS = 3
SUFFIX = "_int8"
_log = logging.getLogger("koebako")


@dataclass(frozen=True, slots=True)
class ExactVoice:
    """The exact voice: its sessions, what they were given, and what came of it.

    Attributes:
        given: by graph, of the first CALIBRATING sentences those that graphs in int8 are made by.
        frames, samples: of the sentences; samples of the first ones only.
    """

    sessions: dict[str, Session]
    given: dict[str, list[dict[str, Any]]]
    sentences: list[Sentence]
    frames: list[Int64]
    samples: list[Float32]


def add_fast(voice: Voice, folder: Path, report: Report = unreported) -> VoiceManifest:
    """Stores the int8 graphs that pass in the folder of a prepared voice.

    Returns:
        The manifest as it is now in `voice.json`; it names the int8 graphs there are, and says of the others why there are none.
    """
    report("cutting", 0.0)
    try:
        fast, refused = _made(voice, folder, report)
    except AppError as exc:
        _log.warning("no int8 graphs for %s: %s %s", voice.manifest.id, exc, exc.hint)
        fast, refused = None, {name: RefusedGraph("failed") for name in FAST_GRAPHS if name in voice.graphs}
    kept = {graph.file for graph in fast.graphs.values()} if fast is not None else set()
    for path in folder.glob(f"*{SUFFIX}.*"):
        if path.with_suffix(".onnx").name not in kept:
            path.unlink()
    manifest = replace(voice.manifest, fast=fast, refused=refused)
    write_manifest(manifest, folder)
    return manifest


def _made(voice: Voice, folder: Path, report: Report) -> tuple[Fast | None, dict[str, RefusedGraph]]:
    """All graphs that pass, alone and together, and why the others do not; no Fast where none does, or where they do not pay together."""
    exact = exact_voice(voice)
    report("cutting", 0.3)
    passed: dict[str, tuple[FastGraph, Session]] = {}
    refused: dict[str, RefusedGraph] = {}
    for index, name in enumerate(exact.sessions):
        try:
            found = _one(voice, name, exact, folder, part(report, 0.3 + 0.2 * index, 0.5 + 0.2 * index))
        except AppError as exc:
            _log.warning("no int8 %s for %s: %s %s", name, voice.manifest.id, exc, exc.hint)
            found = RefusedGraph("failed")
        if isinstance(found, RefusedGraph):
            refused[name] = found
        else:
            passed[name] = found
    while passed:
        sessions = {name: session for name, (_, session) in passed.items()}
        graphs = {name: graph for name, (graph, _) in passed.items()}
        together = judged(voice, exact, sessions)
        if passes(*together):
            gain = speaking_gain(voice, exact, sessions)
            if gain >= LEAST_GAIN:
                return Fast(graphs, *together, gain), refused
            return None, refused | {name: _not_together(graph) for name, graph in graphs.items()}
        worst = min(graphs, key=lambda name: graphs[name].snr_db)
        refused[worst] = _not_together(graphs[worst])
        del passed[worst]
    return None, refused


def exact_voice(voice: Voice) -> ExactVoice:
    """Speaks the sentences exactly, and keeps what every graph was given; AppError where a graph does not run."""
    sessions: dict[str, Session] = {
        name: open_session(voice.graphs[name], "cpu", voice.manifest.name).session for name in FAST_GRAPHS if name in voice.graphs
    }
    watches = {name: Watched(session) for name, session in sessions.items()}
    watched = Voiced(voice.manifest, {**watches})
    sentences = sentences_of(voice)
    frames: list[Int64] = []
    samples: list[Float32] = []
    for sentence in sentences:
        prosody, lengths = watched.prosody(sentence)
        frames.append(lengths)
        if len(samples) < CALIBRATING + COMPARED:
            samples.append(watched.samples(sentence, watched.z(sentence, prosody, lengths)))
    return ExactVoice(sessions, {name: watch.given for name, watch in watches.items()}, sentences, frames, samples)


def _one(voice: Voice, name: str, exact: ExactVoice, folder: Path, report: Report) -> tuple[FastGraph, Session] | RefusedGraph:
    """One graph in int8, where that can be made, passes and pays; AppError where it does not run."""
    file = quantised(voice.graphs[name], name, exact.given[name][:CALIBRATING], folder)
    report("cutting", 0.5)
    if file is None:
        return RefusedGraph("unsuitable")
    session = open_session(folder / file, "cpu", name).session
    found, gain = judged(voice, exact, {name: session}), graph_gain(exact, name, session)
    report("cutting", 1.0)
    why = why_not(*found, gain)
    return RefusedGraph(why, *found, gain) if why is not None else (FastGraph(file, *found, gain), session)


def _not_together(graph: FastGraph) -> RefusedGraph:
    return RefusedGraph("together", graph.snr_db, graph.lsd_db, graph.frames_equal, graph.gain)


def quantised(
    graph: Path | bytes, name: str, given: Sequence[dict[str, Any]], folder: Path, only: Container[str] | None = None
) -> str | None:
    """The file name of a graph in int8; None where nothing in it can be.

    Args:
        given: runs that show how large the numbers become.
        only: see `app.voices.prepare.int8.quantise.quantise`.
    """
    from app.voices.prepare.int8.channels_last import channels_last  # onnx is slow to import
    from app.voices.prepare.int8.observe import observed, watch
    from app.voices.prepare.int8.quantise import quantise
    from app.voices.prepare.store import load_graph, store_graph

    model = load_graph(graph)
    names = observed(model.graph)
    if not names:
        return None
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
        watch(model)
        session = open_session(Path(scratch) / store_graph(model, Path(scratch), "watched"), "cpu", name).session
        seen = [session.run(values, ["least", "greatest"]) for values in given]
        del session  # its file is about to go
    least, greatest = np.min([item[0] for item in seen], axis=0), np.max([item[1] for item in seen], axis=0)
    model = load_graph(graph)
    quantise(model, {item: (float(low), float(high)) for item, low, high in zip(names, least, greatest, strict=True)}, only)
    channels_last(model)
    return store_graph(model, folder, f"{name}{SUFFIX}")


def graph_gain(exact: ExactVoice, name: str, session: Session) -> float:
    """How many times faster another form of a graph is, on the largest that the exact one was given."""
    largest = max(exact.given[name], key=lambda values: max(np.size(value) for value in values.values()))
    return _gain(lambda: exact.sessions[name].run(largest), lambda: session.run(largest))


def sentence_gain(voice: Voice, exact: ExactVoice, exchanged: Mapping[str, Session]) -> float:
    """How many times faster the longest sentence is with these graphs in place of the exact ones."""
    return round(_gain(_speaking(voice, exact, {}), _speaking(voice, exact, exchanged)), 2)


def judged(voice: Voice, exact: ExactVoice, exchanged: Mapping[str, Session]) -> tuple[float, float, float]:
    """SNR and log-spectral distance in dB with durations as they are, and the share of symbols that last as long."""
    voiced, compared = Voiced(voice.manifest, exact.sessions | dict(exchanged)), slice(CALIBRATING, CALIBRATING + COMPARED)
    made = [voiced.speak(item, frames) for item, frames in zip(exact.sentences[compared], exact.frames[compared], strict=True)]
    right, share = exact.samples[compared], 1.0
    if "prosody" in exchanged:
        others = zip(exact.sentences[CALIBRATING:], exact.frames[CALIBRATING:], strict=True)
        share = float(np.concatenate([voiced.prosody(item)[1] == frames for item, frames in others]).mean())
    return round(signal_to_noise_db(right, made), 1), round(log_spectral_distance_db(right, made), 2), round(share, 4)


def passes(snr_db: float, lsd_db: float, frames_equal: float) -> bool:
    """Whether what `judged` found is near enough to be kept."""
    return why_not(snr_db, lsd_db, frames_equal, LEAST_GAIN) is None


def why_not(snr_db: float, lsd_db: float, frames_equal: float, gain: float) -> Why | None:
    """The first limit that a graph misses; None where it is near enough and pays."""
    limits: dict[Why, bool] = {
        "noise": snr_db >= LEAST_SNR_DB,
        "spectrum": lsd_db <= MOST_LSD_DB,
        "lengths": frames_equal >= ENOUGH_EQUAL,
        "slow": gain >= LEAST_GAIN,
    }
    return next((why for why, is_kept in limits.items() if not is_kept), None)


def speaking_gain(voice: Voice, exact: ExactVoice, exchanged: Mapping[str, Session]) -> float:
    """How many times faster the longest sentence is with these sessions."""
    return _gain(_speaking(voice, exact, {}), _speaking(voice, exact, exchanged))


def _speaking(voice: Voice, exact: ExactVoice, exchanged: Mapping[str, Session]) -> Callable[[], object]:
    voiced, number = Voiced(voice.manifest, exact.sessions | dict(exchanged)), int(np.argmax([frames.sum() for frames in exact.frames]))
    return lambda: voiced.speak(exact.sentences[number], exact.frames[number])


def _gain(slow: Callable[[], object], fast: Callable[[], object]) -> float:
    """How many times faster, in turns: the least of each, which other programs disturbed least."""
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(TURNS):
        for way, times in zip((slow, fast), took, strict=True):
            began = time.perf_counter()
            way()
            times.append(time.perf_counter() - began)
    return round(min(took[0]) / min(took[1]), 2)
