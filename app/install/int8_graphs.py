"""Makes the faster way to speak of a voice: its graphs in int8, each kept only where it is close to the exact one and pays.

A few sentences are spoken with the exact graphs. Some of them show how large the numbers become, the others how much an int8 graph made of
that differs. Whether 8-bit products are exact, and fast, depends on the processor, so what is measured holds here: each form is timed against the exact one, in turns, on an input that the exact one received.
"""

import logging
import tempfile
import time
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import RecordingSession, ReplayingSession, RunnableSession, open_cpu_session
from app.common.errors import AppError
from app.common.progress import Report, ignore_report
from app.core.sound.result_metrics import compute_equal_share, compute_log_spectral_distance_db, compute_snr_db
from app.core.synthesis_types import Float32, Int64
from app.install.calibration_runs import CalibrationSentence, CalibrationVoice, build_calibration_sentences
from app.voices import int8_result
from app.voices.int8_result import INT8_GRAPH_NAMES, Int8Graph, Int8Rejection, Int8RejectionReason, Int8Result
from app.voices.prepared_voice import Voice, VoiceManifest, write_manifest

CALIBRATING, COMPARED = 3, 3  # sentences whose numbers are looked at; others whose sound is compared. Durations are compared in all others.
INT8_GRAPH_SUFFIX = "_int8"
_log = logging.getLogger("koebako")

TIMING_TURNS = 3
CLEAR_MARGIN = 1.25  # a speedup that is so many times the least one that pays, or that much below it, is timed no third time


@dataclass(frozen=True, slots=True)
class ExactVoiceRun:
    """The exact voice: its sessions, what they were given, and what came of it."""

    sessions: dict[str, RunnableSession]
    replays: dict[str, RunnableSession]  # the sessions once more, which know the results of what they were given
    graph_inputs: dict[str, list[dict[str, Any]]]  # by graph, of the first CALIBRATING sentences those that graphs in int8 are made by
    sentences: list[CalibrationSentence]
    frames: list[Int64]
    samples: list[Float32]  # of the first sentences only


@dataclass(frozen=True, slots=True)
class GraphTiming:
    """The seconds that two forms of a graph take for the same input."""

    exact_s: float
    other_s: float

    @property
    def gain(self) -> float:
        """Return how many times faster the other one is."""
        return round(self.exact_s / self.other_s, 2)


def measure_timing(exact: RunnableSession, other: RunnableSession, values: dict[str, Any]) -> GraphTiming:
    """Return the least time of each form, which other programs disturbed least."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for turn in range(1, TIMING_TURNS + 1):
        for session, times in zip((exact, other), seconds, strict=True):
            start_time = time.perf_counter()
            session.run_graph(values)
            times.append(time.perf_counter() - start_time)
        timing = GraphTiming(min(seconds[0]), min(seconds[1]))
        if turn > 1 and not int8_result.MIN_INT8_GAIN / CLEAR_MARGIN < timing.gain < int8_result.MIN_INT8_GAIN * CLEAR_MARGIN:
            break
    return timing


def compute_joint_speedup(timings: Mapping[str, GraphTiming], replaced: Collection[str]) -> float:
    """Return the speedup of all graphs of a voice, one after the other, where some are replaced."""
    exact_s = sum(timing.exact_s for timing in timings.values())
    return round(exact_s / sum(timing.other_s if name in replaced else timing.exact_s for name, timing in timings.items()), 2)


def add_int8_graphs(voice: Voice, folder: Path, report: Report = ignore_report) -> VoiceManifest:
    """Store the int8 graphs that pass in the folder of a prepared voice; return its new manifest, which says why there are no others."""
    report("cutting", 0.0)
    try:
        fast, refused = _make_int8_graphs(voice, folder, report)
    except AppError as exc:
        _log.warning("no int8 graphs for %s: %s %s", voice.manifest.id, exc, exc.hint)
        fast, refused = None, {name: Int8Rejection("failed") for name in INT8_GRAPH_NAMES if name in voice.graphs}
    file_names = {graph.file for graph in fast.graphs.values()} if fast is not None else set()
    for path in folder.glob(f"*{INT8_GRAPH_SUFFIX}.*"):
        if path.with_suffix(".onnx").name not in file_names:
            path.unlink()
    manifest = replace(voice.manifest, fast=fast, refused=refused)
    write_manifest(manifest, folder)
    return manifest


def _make_int8_graphs(voice: Voice, folder: Path, report: Report) -> tuple[Int8Result | None, dict[str, Int8Rejection]]:
    """Build all graphs that pass, alone and together, and return them with the reasons against the others; no result if none passes, or if they bring no gain together."""
    exact = run_exact_voice(voice)
    report("cutting", 0.3)
    passed: dict[str, tuple[Int8Graph, RunnableSession]] = {}
    refused: dict[str, Int8Rejection] = {}
    timings: dict[str, GraphTiming] = {}
    for index, name in enumerate(exact.sessions):
        try:
            file = quantise_graph(voice.graphs[name], name, exact.graph_inputs[name][:CALIBRATING], folder)
            report("cutting", 0.4 + 0.2 * index)
            if file is None:
                refused[name] = Int8Rejection("unsuitable")
                continue
            session = open_cpu_session(folder / file, name)
            quality, timing = measure_quality(voice, exact, {name: session}), measure_graph_timing(exact, name, session)
        except AppError as exc:
            _log.warning("no int8 %s for %s: %s %s", name, voice.manifest.id, exc, exc.hint)
            refused[name] = Int8Rejection("failed")
            continue
        report("cutting", 0.5 + 0.2 * index)
        timings[name] = timing
        if (why := find_rejection_reason(*quality, timing.gain)) is not None:
            refused[name] = Int8Rejection(why, *quality, timing.gain)
        else:
            passed[name] = Int8Graph(file, *quality, timing.gain), session
        # The session of one that is refused ends before the next one is opened.
        del session
    return _combine_graphs(voice, exact, passed, refused, timings)


def _combine_graphs(
    voice: Voice,
    exact: ExactVoiceRun,
    passed: dict[str, tuple[Int8Graph, RunnableSession]],
    refused: dict[str, Int8Rejection],
    timings: Mapping[str, GraphTiming],
) -> tuple[Int8Result | None, dict[str, Int8Rejection]]:
    """Leave out the noisiest graph until the others pass together."""
    while passed:
        sessions = {name: session for name, (_, session) in passed.items()}
        graphs = {name: graph for name, (graph, _) in passed.items()}
        first = next(iter(graphs.values()))
        # Of a single one it is known.
        together = (first.snr_db, first.lsd_db, first.frames_equal) if len(graphs) == 1 else measure_quality(voice, exact, sessions)
        if is_close_enough(*together):
            gain = measure_speaking_speedup(exact, sessions, timings)
            if gain >= int8_result.MIN_INT8_GAIN:
                return Int8Result(graphs, *together, gain), refused
            return None, refused | {name: _reject_combination(graph) for name, graph in graphs.items()}
        worst = min(graphs, key=lambda name: graphs[name].snr_db)
        refused[worst] = _reject_combination(graphs[worst])
        del passed[worst]
    return None, refused


def run_exact_voice(voice: Voice) -> ExactVoiceRun:
    """Speak the sentences exactly and keep the inputs of every graph; raise AppError if a graph does not run."""
    sessions: dict[str, RunnableSession] = {
        name: open_cpu_session(voice.graphs[name], voice.manifest.name) for name in INT8_GRAPH_NAMES if name in voice.graphs
    }
    watches = {name: RecordingSession(session) for name, session in sessions.items()}
    replays: dict[str, RunnableSession] = {name: ReplayingSession(sessions[name], watch.runs) for name, watch in watches.items()}
    watched = CalibrationVoice(voice, watches)
    sentences = build_calibration_sentences(voice)
    frames: list[Int64] = []
    samples: list[Float32] = []
    for sentence in sentences:
        prosody, lengths = watched.run_prosody(sentence)
        frames.append(lengths)
        if len(samples) < CALIBRATING + COMPARED:
            samples.append(watched.decode_samples(sentence, watched.build_decoder_input(sentence, prosody, lengths)))
    graph_inputs = {name: [run.values for run in watch.runs] for name, watch in watches.items()}
    return ExactVoiceRun(sessions, replays, graph_inputs, sentences, frames, samples)


def _reject_combination(graph: Int8Graph) -> Int8Rejection:
    return Int8Rejection("together", graph.snr_db, graph.lsd_db, graph.frames_equal, graph.gain)


def quantise_graph(
    graph: Path | bytes, name: str, inputs: Sequence[dict[str, Any]], folder: Path, allowed_results: Container[str] | None = None
) -> str | None:
    """Return the file of a graph in int8, made by runs that show how large numbers become; None if nothing in it can be quantised."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph, store_graph
    from app.voices.prepare.int8 import integer_convolutions

    model = load_graph(graph)
    names = integer_convolutions.list_observed_tensors(model.graph)
    if not names:
        return None
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
        integer_convolutions.expose_value_ranges(model)
        session = open_cpu_session(Path(scratch) / store_graph(model, Path(scratch), "watched"), name)
        ranges = [session.run_graph(values, ["least", "greatest"]) for values in inputs]
        # The session holds its file, which is about to be deleted.
        del session
    least, greatest = np.min([item[0] for item in ranges], axis=0), np.max([item[1] for item in ranges], axis=0)
    model = load_graph(graph)
    integer_convolutions.quantise_convolutions(
        model, {item: (float(low), float(high)) for item, low, high in zip(names, least, greatest, strict=True)}, allowed_results
    )
    integer_convolutions.move_channels_last(model)
    return store_graph(model, folder, f"{name}{INT8_GRAPH_SUFFIX}")


def measure_graph_timing(exact: ExactVoiceRun, name: str, session: RunnableSession) -> GraphTiming:
    """Return the times of another form of a graph, and of the exact one, on the largest input that the exact graph received."""
    largest = max(exact.graph_inputs[name], key=lambda values: max(np.size(value) for value in values.values()))
    return measure_timing(exact.sessions[name], session, largest)


def measure_quality(voice: Voice, exact: ExactVoiceRun, replaced: Mapping[str, RunnableSession]) -> tuple[float, float, float]:
    """Return SNR and log-spectral distance in dB with unchanged durations, and the share of symbols that last as long."""
    voiced, compared = CalibrationVoice(voice, exact.replays | dict(replaced)), slice(CALIBRATING, CALIBRATING + COMPARED)
    last = None if "prosody" in replaced else compared.stop
    prosodies = [voiced.run_prosody(item) for item in exact.sentences[CALIBRATING:last]]
    int8_samples = [
        voiced.decode_samples(item, voiced.build_decoder_input(item, prosody, frames))
        for item, (prosody, _), frames in zip(exact.sentences[compared], prosodies, exact.frames[compared], strict=False)
    ]
    right, share = exact.samples[compared], 1.0
    if "prosody" in replaced:
        share = compute_equal_share(exact.frames[CALIBRATING:], [frames for _, frames in prosodies])
    return round(compute_snr_db(right, int8_samples), 1), round(compute_log_spectral_distance_db(right, int8_samples), 2), round(share, 4)


def is_close_enough(snr_db: float, lsd_db: float, frames_equal: float) -> bool:
    """Return whether the results of `measure_quality` are near enough for the graph to be kept."""
    return find_rejection_reason(snr_db, lsd_db, frames_equal, int8_result.MIN_INT8_GAIN) is None


def find_rejection_reason(snr_db: float, lsd_db: float, frames_equal: float, gain: float) -> Int8RejectionReason | None:
    """Return the first limit that a graph misses; None if it is exact and fast enough."""
    limits: dict[Int8RejectionReason, bool] = {
        "noise": snr_db >= int8_result.MIN_INT8_SNR_DB,
        "spectrum": lsd_db <= int8_result.MAX_INT8_LSD_DB,
        "lengths": frames_equal >= int8_result.MIN_FRAMES_EQUAL,
        "slow": gain >= int8_result.MIN_INT8_GAIN,
    }
    return next((why for why, is_kept in limits.items() if not is_kept), None)


def measure_speaking_speedup(
    exact: ExactVoiceRun, replaced: Mapping[str, RunnableSession], known: Mapping[str, GraphTiming] | None = None
) -> float:
    """Return the speedup of all graphs, one after the other, with these sessions; `known` are timings that need not be measured again."""
    timings = {
        name: (known or {}).get(name) or measure_graph_timing(exact, name, replaced.get(name, session))
        for name, session in exact.sessions.items()
    }
    return compute_joint_speedup(timings, replaced)
