"""What the graphs of a voice, or a BERT, are given for some sentences: for trials of their device forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.session import GraphSession, Session
from app.install.bert_check import proof_texts
from app.install.int8 import spoken_frames
from app.voices.bert import read_bert
from app.voices.vocabulary import read_vocabulary
from app.voices.voice import read_prepared


@dataclass(frozen=True, slots=True)
class Call:
    """A run of a graph: values by name, in the shapes of the contract, and results where they are known."""

    values: dict[str, Any]
    results: dict[str, np.ndarray] = field(default_factory=dict)


class _Watched:
    """A session that keeps what it is given."""

    def __init__(self, session: Session) -> None:
        self.calls: list[Call] = []
        self.inputs, self.outputs = session.inputs, session.outputs
        self.terminate = session.terminate
        self._session = session

    def run(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """As the session's own."""
        self.calls.append(Call({name: value for name, value in values.items() if name in self.inputs}))
        return self._session.run(values, outputs)


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
    watched: dict[str, _Watched] = {}

    def watch(name: str, session: GraphSession) -> Session:
        watched[name] = _Watched(session)
        return watched[name]

    frames = spoken_frames(read_prepared(source.parent), watch)
    if graph == "decoder":
        return [Call({"z": z, "sid": speaker, "first": 0, "last": z.shape[1]}) for z, speaker in frames]
    return watched[graph].calls


def fitted(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """The values repeated, or cut, to a length along their free axes."""
    found = dict(values)
    for name, axis in axes.items():
        array = np.asarray(values[name])
        found[name] = np.take(array, np.arange(length) % array.shape[axis], axis=axis)
    if "last" in found:
        found |= {"first": 0, "last": length}
    return found
