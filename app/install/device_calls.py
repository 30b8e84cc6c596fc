"""What the graphs of a voice, or a BERT, are given for some sentences: for trials of their device forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.session import GraphSession, Session
from app.install.bert_check import proof_texts
from app.install.spoken import Watched, spoken_frames
from app.voices.bert import read_bert
from app.voices.vocabulary import read_vocabulary
from app.voices.voice import read_prepared


@dataclass(frozen=True, slots=True)
class Call:
    """A run of a graph: values by name, in the shapes of the contract, and results where they are known."""

    values: dict[str, Any]
    results: dict[str, np.ndarray] = field(default_factory=dict)


def calls_of(graph: str, source: Path) -> list[Call]:
    """Calls of a graph, several sentences.

    Args:
        source: its file, in the folder of a prepared voice or of a BERT.

    Raises:
        VoiceError: the folder holds no such thing.
    """
    if graph == "bert":
        bert = read_bert(source.parent)
        known = len(read_vocabulary(source.parent))
        return [Call({"input_ids": ids}) for ids in proof_texts(bert.vocabulary, known)]
    watched: dict[str, Watched] = {}

    def watch(name: str, session: GraphSession) -> Session:
        watched[name] = Watched(session)
        return watched[name]

    frames = spoken_frames(read_prepared(source.parent), watch)
    if graph == "decoder":
        return [Call({"z": z, "sid": speaker, "first": 0, "last": z.shape[1]}) for z, speaker in frames]
    return [Call(values) for values in watched[graph].given]


def fitted(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """The values repeated, or cut, to a length along their free axes."""
    found = dict(values)
    for name, axis in axes.items():
        array = np.asarray(values[name])
        found[name] = np.take(array, np.arange(length) % array.shape[axis], axis=axis)
    if "last" in found:
        found |= {"first": 0, "last": length}
    return found
