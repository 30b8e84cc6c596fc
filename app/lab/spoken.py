"""What the graphs of a subject are given for sentences, by its own pipeline: real text with features of its BERT, noise from the seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.session import Session
from app.bench.recorded import Call, recorded_calls
from app.bench.stages import request_of
from app.bench.texts import LINES
from app.compose.opening import open_speaker
from app.compose.speaker import Speaker
from app.core.types import Int64
from app.lab.rows import INT8
from app.lab.subject import Subject
from app.voices.bert import Bert
from app.voices.voice import Voice

Calls = dict[str, list[Call]]
"""Graph → one call a sentence, in the same order."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Sentences as graphs see them.

    Attributes:
        calls: by exact graph; of the decoder all frames of a sentence at once.
        seconds: of speech, by sentence; empty for a BERT.
        bert: id of the BERT that read; another one than the voice's own where that is not installed.
        speaker: that spoke; None for a BERT.
    """

    calls: Calls
    seconds: Mapping[str, float]
    bert: str
    speaker: Speaker | None = None

    def of(self, graph: str) -> list[Call]:
        """What a graph is given, exact or in int8."""
        return self.calls[graph.removesuffix(INT8)]


def spoken(subject: Subject, texts: Mapping[str, str] = LINES) -> Spoken:
    """What each graph is given for each text, on the CPU. InputError where nothing can be spoken or read."""
    subject.require_runs()
    if subject.bert is not None:
        return Spoken({"bert": [_bert_call(subject.bert, name, text) for name, text in texts.items()]}, {}, subject.bert.id)
    assert subject.voice is not None
    voice, speaker = subject.voice, open_subject(subject)
    speaker.pipeline.caches.stored = None  # else features would be found on the disk
    found = recorded_calls(speaker, {name: request_of(speaker, text) for name, text in texts.items()})
    calls = {graph: _firsts(items) for graph, items in found.items() if graph in voice.graphs}
    if "flow" in calls:
        calls["decoder"] = [_whole(voice, speaker.sessions, *given) for given in zip(calls["flow"], calls["decoder"], strict=True)]
        rate, hop = voice.manifest.sampling_rate, voice.manifest.hop_length
        seconds = {call.request: call.values["z"].shape[-1] * hop / rate for call in calls["decoder"]}
    else:
        seconds = {name: _seconds(speaker, text) for name, text in texts.items()}
    return Spoken(calls, seconds, speaker.bert, speaker)


def open_subject(subject: Subject, place: str = "cpu") -> Speaker:
    """The pipeline of a voice; where its own BERT is missing another one reads for it, for the lab judges no speech."""
    assert subject.voice is not None
    return open_speaker(str(subject.voice.path), place, force_bert=True, precision="float32", sound="exact")


def _seconds(speaker: Speaker, text: str) -> float:
    """Of speech; what the pipeline remembers is used again."""
    return sum(len(chunk.samples) / chunk.sampling_rate for chunk in speaker.pipeline.synthesize(request_of(speaker, text)))


def bert_values(ids: Int64) -> dict[str, np.ndarray]:
    """Inputs of any BERT for token ids int64 (n,); a graph takes those that it declares."""
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}


def _bert_call(bert: Bert, name: str, text: str) -> Call:
    return Call(name, bert_values(CharTokenizer(bert.vocabulary).encode(text)))


def _firsts(calls: list[Call]) -> list[Call]:
    """The widest of each sentence: one of several windows, or the only one."""
    widest: dict[str, Call] = {}
    for call in calls:
        size = sum(value.size for value in call.values.values())
        before = widest.get(call.request)
        if before is None or size > sum(value.size for value in before.values.values()):
            widest[call.request] = call
    return list(widest.values())


def _whole(voice: Voice, sessions: Mapping[str, Session], flow: Call, window: Call) -> Call:
    """All frames of a sentence at once."""
    z = sessions["flow"].run(dict(flow.values), ["z"])[0]
    return replace(window, values={**window.values, **decoder_values(z, voice.manifest.hop_length, window.values.get("sid", 0))})


def decoder_values(z: np.ndarray, hop: int, speaker: Any) -> dict[str, Any]:
    """All that a decoder may be given for z (D, F)."""
    frames = z.shape[-1]
    noise = np.random.default_rng(0).standard_normal(frames * hop, dtype=np.float32)
    return {"z": z, "noise": noise, "sid": speaker, "first": np.array([0]), "last": np.array([frames])}
