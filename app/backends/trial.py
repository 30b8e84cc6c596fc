"""One backend on trial, in a child process of its own: does it compute what the CPU computes, and how fast does it speak?

What the CPU computed is a file of calls: for each graph the values it was given and what came out, so that a device is compared graph
by graph. Whole sentences would not do: a duration that lies near a whole frame makes two right results of different length.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.placement import GROUPS, parse_placement
from app.adapters.ort.trace import trace_run
from app.backends.differences import Models, differences_of, silenced
from app.backends.kept_calls import Call, load_calls, save_calls
from app.compose.opening import open_speaker
from app.compose.speaker import Speaker
from app.core.types import StageTiming, SynthesisRequest

TEXTS = ("今日はとてもいい天気なので、歩きます。", "駅前の公園まで歩いて行って、友達と写真をたくさん撮りました。")
# What is timed: every length is met for the first time, as users' texts are. Devices compile for a new length.
UNSEEN = (
    "おはようございます。", "明日は雨が降るでしょうか？", "新しい靴を買ったので、少し遠くまで散歩しました。", "猫が窓辺で眠っています。",
    "会議は三時から始まりますので、それまでに資料を用意しておいてください。", "電車が遅れているようです。",
)  # fmt: skip
TOLD = 3  # texts whose own times are in a report
CALLS = 2  # of each graph, for a decoder has windows of more than one length
GROUP_OF_STAGE = {"bert": "bert", "prosody": "prosody", "flow": "prosody", "decode": "decoder", "synthesis": "decoder"}


@dataclass(slots=True)
class TrialResult:
    """How a placement did.

    Attributes:
        ran_on: backend of each graph.
        max_abs_diff: group → largest difference from the CPU as a share of full scale; infinite for another shape or no number.
        half: any graph takes float16.
        first_audio_ms, total_ms: of a text whose length was not met before, on the average.
        group_ms: group → time in its graphs, likewise.
        trace: one entry a graph on a device, see `app.adapters.ort.trace`.
        open_ms: until the voice was open, the BERT included.
        sentences: of a few texts, milliseconds by group, `first_audio` and `total`: `cold` when their length was new, `warm` the second time.
    """

    ran_on: dict[str, str]
    fallback: str | None
    half: bool
    first_audio_ms: float = 0.0
    total_ms: float = 0.0
    max_abs_diff: dict[str, float] = field(default_factory=dict)
    group_ms: dict[str, float] = field(default_factory=dict)
    trace: list[dict[str, Any]] = field(default_factory=list)
    open_ms: float = 0.0
    sentences: list[dict[str, Any]] = field(default_factory=list)


def record(wanted: str | None, file: Path) -> None:
    """Speaks on the CPU in float32 and keeps the first calls of every graph."""
    speaker = open_speaker(wanted, "cpu", precision="float32", sound="exact", force_bert=True)
    models = Models(wanted, speaker)
    calls: list[Call] = []

    def keep(graph: str, values: dict[str, Any], names: list[str], results: list[np.ndarray]) -> None:
        if sum(call.graph == graph for call in calls) < CALLS:
            declared = speaker.sessions[graph].inputs
            arrays = {name: np.array(value) for name, value in values.items() if name in declared}
            calls.append(Call(graph, arrays, dict(zip(names, map(np.array, results), strict=True))))

    for session in speaker.sessions.values():
        session.observer = keep
    speaker.pipeline.voice = replace(speaker.pipeline.voice, fixed_windows=True)  # the windows that devices take
    for text in TEXTS:
        _speak(speaker, text)
    save_calls(silenced(models, calls), file)


def try_placement(placement: str, wanted: str | None, file: Path, *, traced: bool = True) -> TrialResult:
    """Opens a voice, compares every graph with what `record` kept, and measures; a session may fail at any point."""
    began = time.perf_counter()
    speaker = open_speaker(wanted, placement, sound="exact", force_bert=True, on_trial=True)
    speaker.wait_for_devices()
    open_ms = (time.perf_counter() - began) * 1000
    models, places = Models(wanted, speaker), parse_placement(placement)
    calls = load_calls(file)
    half = any(session.half for session in speaker.sessions.values())
    differences = differences_of(speaker, models, places, calls)
    result = TrialResult(speaker.backends_by_graph(), speaker.fallback, half, max_abs_diff=differences, open_ms=open_ms)
    _measure(speaker, result)
    result.fallback, result.ran_on = speaker.fallback, speaker.backends_by_graph()
    if traced:
        for graph, backend in result.ran_on.items():
            call_of_graph = next((call for call in calls if call.graph == graph), None)
            if backend != "cpu" and call_of_graph is not None:
                whole: tuple[Path | bytes, dict[str, Any], dict[str, int]] = (models.of(graph), call_of_graph.values, {})
                model, values, free = speaker.sessions[graph].form_of(call_of_graph.values) or whole
                result.trace.append({"graph": graph} | trace_run(model, places.of(graph), graph, values, free))
    return result


def _measure(speaker: Speaker, result: TrialResult) -> None:
    speaker.pipeline.warm_up()
    for text in TEXTS:
        _speak(speaker, text)
    spent: dict[str, float] = defaultdict(float)
    for index, text in enumerate(UNSEEN):
        cold = _speak(speaker, text)
        for name, ms in cold.items():
            spent[name] += ms / len(UNSEEN)
        if index < TOLD:
            result.sentences.append({"letters": len(text), "cold": dict(cold), "warm": dict(_speak(speaker, text))})
    result.first_audio_ms, result.total_ms = spent["first_audio"], spent["total"]
    result.group_ms = {group: spent[group] for group in GROUPS}


def _speak(speaker: Speaker, text: str) -> dict[str, float]:
    """Milliseconds to the first sound, in all, and in the graphs of each group; nothing is remembered from before."""
    caches = speaker.pipeline.caches
    caches.clear()
    caches.stored = None
    spent: dict[str, float] = defaultdict(float)

    def add(timing: StageTiming) -> None:
        if timing.stage in GROUP_OF_STAGE:
            spent[GROUP_OF_STAGE[timing.stage]] += timing.ms

    began = time.perf_counter()
    info = speaker.pipeline.voice
    request = SynthesisRequest(text, style=min(info.styles, default=0), speaker=min(info.speakers, default=0))
    for chunk in speaker.pipeline.synthesize(replace(request, pre_silence_s=0.0, post_silence_s=0.0), add):
        if not chunk.silence:
            spent.setdefault("first_audio", (time.perf_counter() - began) * 1000)
    spent["total"] = (time.perf_counter() - began) * 1000
    return spent
