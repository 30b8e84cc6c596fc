"""One backend on trial, in a child process of its own: does it compute what the CPU computes, and how fast does it speak?

What the CPU computed is a file of calls: for each graph the values it was given and what came out, so that a device is compared graph
by graph. Whole sentences would not do: a duration close to a whole frame makes two right results differ in length.
"""

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.device_placement import GRAPH_GROUPS, GROUP_OF_GRAPH, DevicePlacement, parse_placement
from app.adapters.ort.devices.device_sessions import open_session
from app.adapters.ort.graph_session import RunnableSession, open_unoptimized
from app.adapters.ort.profiled_session import trace_runs
from app.common.files import paths
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker, record_speaker
from app.core.sound.result_metrics import measure_output_difference
from app.core.synthesis_types import StageTiming, SynthesisRequest
from app.voices.installed_voices import find_voice


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """One run of a graph."""

    graph: str
    values: dict[str, np.ndarray]
    results: dict[str, np.ndarray]


def save_reference_runs(runs: list[ReferenceRun], file: Path) -> None:
    """Keep calls in a file of arrays."""
    arrays: dict[str, np.ndarray] = {}
    for index, call in enumerate(runs):
        arrays |= {f"{index}|{call.graph}|in|{name}": value for name, value in call.values.items()}
        arrays |= {f"{index}|{call.graph}|out|{name}": value for name, value in call.results.items()}
    with file.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]


def load_reference_runs(file: Path) -> list[ReferenceRun]:
    calls: dict[str, ReferenceRun] = {}
    with np.load(file) as arrays:
        content: Mapping[str, np.ndarray] = arrays
        for key in content:
            index, graph, side, name = key.split("|", 3)
            call = calls.setdefault(index, ReferenceRun(graph, {}, {}))
            (call.values if side == "in" else call.results)[name] = content[key]
    return list(calls.values())


COMPARED_TEXTS = ("今日はとてもいい天気なので、歩きます。", "駅前の公園まで歩いて行って、友達と写真をたくさん撮りました。")
# What is timed: every length is met for the first time, as users' texts are. Devices compile for a new length.
TIMED_TEXTS = (
    "おはようございます。", "明日は雨が降るでしょうか？", "新しい靴を買ったので、少し遠くまで散歩しました。", "猫が窓辺で眠っています。",
    "会議は三時から始まりますので、それまでに資料を用意しておいてください。", "電車が遅れているようです。",
)  # fmt: skip
REPORTED_TEXTS = 3  # texts whose own times are in a report
RUNS_PER_GRAPH = 2  # of each graph, for a decoder has windows of more than one length
GROUP_OF_STAGE = {"bert": "bert", "prosody": "prosody", "flow": "prosody", "decode": "decoder", "synthesis": "decoder"}


@dataclass(slots=True)
class TrialResult:
    """The result of a placement's trial; times are of a text whose length was not met before, on the average."""

    ran_on: dict[str, str]  # backend of each graph
    fallback: str | None
    half: bool  # any graph takes float16
    first_audio_ms: float = 0.0
    total_ms: float = 0.0
    # By group, the largest difference from the CPU as a share of full scale; infinite for another shape or no number.
    max_abs_diff: dict[str, float] = field(default_factory=dict)
    # The same by graph: the flow of a voice may be on another device than the rest of its group.
    graph_diffs: dict[str, float] = field(default_factory=dict)
    group_ms: dict[str, float] = field(default_factory=dict)
    trace: list[dict[str, Any]] = field(default_factory=list)  # one entry a graph on a device, see `trace_runs`
    open_ms: float = 0.0  # until the voice was open, the BERT included
    # Of a few texts, milliseconds by group, `first_audio` and `total`: `cold` when their length was new, `warm` the second time.
    sentences: list[dict[str, Any]] = field(default_factory=list)


def record_reference_runs(voice_name: str | None, file: Path) -> None:
    """Speak on the CPU in float32 and keep the first calls of every graph."""
    speaker = open_speaker(voice_name, "cpu", precision="float32", graph_precision="exact", force_bert=True)
    models = VoiceGraphs(voice_name, speaker)
    speaker, sessions = record_speaker(speaker)
    # The windows that devices take.
    speaker.pipeline.voice = replace(speaker.pipeline.voice, fixed_windows=True)
    for text in COMPARED_TEXTS:
        _measure_speech(speaker, text)
    calls = [ReferenceRun(graph, run.values, run.results) for graph, item in sessions.items() for run in item.runs[:RUNS_PER_GRAPH]]
    save_reference_runs(replace_with_zero_noise(models, calls), file)


def try_placement(placement: str, voice_name: str | None, file: Path, *, should_trace: bool = True) -> TrialResult:
    """Open a voice, compare every graph with the results of `record_reference_runs`, and measure; a session may fail at any point."""
    began = time.perf_counter()
    speaker = open_speaker(voice_name, placement, graph_precision="exact", force_bert=True, is_probe=True)
    speaker.wait_for_devices()
    open_ms = (time.perf_counter() - began) * 1000
    models, places = VoiceGraphs(voice_name, speaker), parse_placement(placement)
    calls = load_reference_runs(file)
    half = any(session.is_half_precision for session in speaker.sessions.values())
    differences = measure_differences(speaker, models, places, calls)
    maxima: dict[str, float] = {}
    for graph, difference in differences.items():
        maxima[GROUP_OF_GRAPH[graph]] = max(difference, maxima.get(GROUP_OF_GRAPH[graph], 0.0))
    result = TrialResult(
        speaker.list_graph_backends(),
        speaker.fallback,
        half,
        max_abs_diff=maxima,
        graph_diffs=differences,
        open_ms=open_ms,
    )
    _measure_times(speaker, result)
    result.fallback, result.ran_on = speaker.fallback, speaker.list_graph_backends()
    if should_trace:
        for graph, backend in result.ran_on.items():
            call_of_graph = next((call for call in calls if call.graph == graph), None)
            if backend != "cpu" and call_of_graph is not None:
                whole: tuple[Path | bytes, dict[str, Any], dict[str, int]] = (models.find_graph(graph), call_of_graph.values, {})
                model, values, free = speaker.sessions[graph].find_device_inputs(call_of_graph.values) or whole
                result.trace.append({"graph": graph} | trace_runs(model, places.find_place(graph), graph, [values], free))
    return result


def _measure_times(speaker: Speaker, result: TrialResult) -> None:
    speaker.pipeline.warm_up()
    for text in COMPARED_TEXTS:
        _measure_speech(speaker, text)
    spent: dict[str, float] = defaultdict(float)
    for index, text in enumerate(TIMED_TEXTS):
        cold = _measure_speech(speaker, text)
        for name, ms in cold.items():
            spent[name] += ms / len(TIMED_TEXTS)
        if index < REPORTED_TEXTS:
            result.sentences.append({"letters": len(text), "cold": dict(cold), "warm": dict(_measure_speech(speaker, text))})
    result.first_audio_ms, result.total_ms = spent["first_audio"], spent["total"]
    result.group_ms = {group: spent[group] for group in GRAPH_GROUPS}


def _measure_speech(speaker: Speaker, text: str) -> dict[str, float]:
    """Return milliseconds to the first sound, in all, and in the graphs of each group; caches are empty."""
    caches = speaker.pipeline.caches
    caches.clear()
    caches.stored = None
    spent: dict[str, float] = defaultdict(float)

    def add_timing(timing: StageTiming) -> None:
        if timing.stage in GROUP_OF_STAGE:
            spent[GROUP_OF_STAGE[timing.stage]] += timing.ms

    began = time.perf_counter()
    info = speaker.pipeline.voice
    request = SynthesisRequest(text, style=min(info.styles, default=0), speaker=min(info.speakers, default=0))
    for chunk in speaker.pipeline.synthesize(replace(request, pre_silence_s=0.0, post_silence_s=0.0), add_timing):
        if not chunk.silence:
            spent.setdefault("first_audio", (time.perf_counter() - began) * 1000)
    spent["total"] = (time.perf_counter() - began) * 1000
    return spent


class VoiceGraphs:
    """The graphs of a voice; those that a speaker keeps no longer are read again."""

    def __init__(self, voice_name: str | None, speaker: Speaker) -> None:
        self._wanted = voice_name
        self._files: dict[str, Path] = speaker.models

    def find_graph(self, graph: str) -> Path | bytes:
        return self._files.get(graph) or find_voice(self._wanted, paths.list_voice_dirs()).graphs[graph]

    def open_zero_noise_session(self, place: str) -> RunnableSession:
        """Open a copy of a graph without noise: a single-graph voice draws its own, which could not be compared."""
        # Onnx, which speaking does not need, is slow to import.
        from app.voices.prepare.source_graphs import build_noiseless_graph

        copy, _ = build_noiseless_graph(self.find_graph("whole"))
        return open_unoptimized(copy, "whole") if place == "cpu" else open_session(copy, place, "whole").session


def measure_differences(speaker: Speaker, graphs: VoiceGraphs, placement: DevicePlacement, runs: list[ReferenceRun]) -> dict[str, float]:
    """Return the largest difference of each graph from what was kept, by graph."""
    sessions: dict[str, RunnableSession] = dict(speaker.sessions)
    if any(call.graph == "whole" for call in runs):
        sessions["whole"] = graphs.open_zero_noise_session(placement.find_place("whole"))
    differences: dict[str, float] = {}
    for call in runs:
        outputs = sessions[call.graph].run_graph(dict(call.values), list(call.results))
        difference = measure_output_difference(call.graph, outputs, list(call.results.values()))
        differences[call.graph] = max(difference, differences.get(call.graph, 0.0))
    return differences


def replace_with_zero_noise(graphs: VoiceGraphs, runs: list[ReferenceRun]) -> list[ReferenceRun]:
    """Return the calls of a single-graph voice with the results of its noiseless copy; those of other voices unchanged."""
    if not any(call.graph == "whole" for call in runs):
        return runs
    session = graphs.open_zero_noise_session("cpu")
    return [
        replace(call, results=dict(zip(call.results, session.run_graph(dict(call.values), list(call.results)), strict=True)))
        if call.graph == "whole"
        else call
        for call in runs
    ]
