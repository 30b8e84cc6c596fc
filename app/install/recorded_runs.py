"""Records the graph inputs of a voice or a BERT for some sentences, for trials of their device forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import GraphSession, RunnableSession
from app.install.bert_verification import build_test_texts
from app.install.calibration_runs import RecordingSession, compute_decoder_inputs
from app.voices.bert_models import read_bert
from app.voices.bert_vocabulary import read_vocabulary
from app.voices.prepared_voice import read_prepared_voice


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run of a graph: values by name, in the shapes of the contract, and results where they are known."""

    values: dict[str, Any]
    results: dict[str, np.ndarray] = field(default_factory=dict)


def record_runs(graph: str, source: Path) -> list[RecordedRun]:
    """Return calls of a graph for several sentences.

    Args:
        source: its file, in the folder of a prepared voice or of a BERT.

    Raises:
        VoiceError: the folder holds no such thing.
    """
    if graph == "bert":
        bert = read_bert(source.parent)
        known = len(read_vocabulary(source.parent))
        return [RecordedRun({"input_ids": ids}) for ids in build_test_texts(bert.vocabulary, known)]
    watched: dict[str, RecordingSession] = {}

    def record_session(name: str, session: GraphSession) -> RunnableSession:
        watched[name] = RecordingSession(session)
        return watched[name]

    frames = compute_decoder_inputs(read_prepared_voice(source.parent), record_session)
    if graph == "decoder":
        return [RecordedRun({"z": z, "sid": speaker, "first": 0, "last": z.shape[1]}) for z, speaker in frames]
    return [RecordedRun(values) for values in watched[graph].given]


def fit_to_length(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """Return the values repeated, or cut, to a length along their free axes."""
    found = dict(values)
    for name, axis in axes.items():
        array = np.asarray(values[name])
        found[name] = np.take(array, np.arange(length) % array.shape[axis], axis=axis)
    if "last" in found:
        found |= {"first": 0, "last": length}
    return found
