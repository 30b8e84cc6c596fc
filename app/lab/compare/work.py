"""What candidates compute: the graphs there are, and what each is given for every sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.levels import batch_inputs
from app.lab.compare.candidates import Candidate, Graphs, Opened
from app.lab.compare.timing import Values
from app.lab.spoken import Spoken
from app.lab.subject import Subject
from app.lab.verify.pairs import graph_files
from app.lab.verify.source import split_source
from app.lab.verify.sweep import repeated
from app.voices.prepare.shown import narrowed_copy


@dataclass(frozen=True, slots=True)
class Work:
    """Graphs, and by sentence what each is given; seconds of speech by sentence."""

    graphs: Graphs
    sentences: Mapping[str, Values]
    seconds: Mapping[str, float]


def work_of(subject: Subject, given: Spoken, folder: Path) -> Work:
    """The prepared graphs and those that came, and what each is given.

    Args:
        folder: for copies of graphs.
    """
    files = graph_files(subject, folder)
    names = [call.request for call in next(iter(given.calls.values()))]
    by_sentence: dict[str, dict[str, Mapping[str, Any]]] = {name: {} for name in names}
    for graph, calls in given.calls.items():
        for call in calls:
            by_sentence[call.request][graph] = call.values
    source: dict[str, Path] = {}
    seconds = dict(given.seconds)
    if subject.bert is not None and isinstance(path := subject.source.get("bert"), Path):
        source = {"bert": path}
    elif subject.voice is not None and "whole" in subject.source and "prosody" in files:
        copy, seams, sentences = split_source(subject, subject.voice, files, given.calls, folder)
        source = {"whole": narrowed_copy(copy, seams.decoder["audio"], "source_audio")}
        info = subject.voice.manifest
        for item in sentences:  # with the same frames for all, or the source would be given other work
            by_sentence[item.name] = {"whole": item.source, "prosody": item.prosody, "flow": item.flow, "decoder": item.decoder}
            seconds[item.name] = item.decoder["z"].shape[-1] * info.hop_length / info.sampling_rate
    return Work(Graphs(files, source), by_sentence, seconds)


def batched(opened: Opened, work: Work, length: str, batch: int) -> Values | None:
    """What a candidate is given for so many sentences at once; None where it takes one only."""
    own = work.sentences[length]
    if batch == 1:
        return own
    files = work.graphs.of(_plain(opened.candidate))
    found = {}
    for name in opened.sessions:
        inputs = batch_inputs(files[name], name)
        if not inputs or name == "whole":  # the noise is that of one sentence
            return None
        found[name] = repeated(own[name], opened.sessions[name], inputs, batch)
    return found


def _plain(candidate: Candidate) -> Candidate:
    return Candidate(candidate.place, candidate.precision, candidate.level, "source" if candidate.form == "source" else "prepared")


def size_of(values: Values) -> int:
    """Symbols, or tokens of a BERT."""
    graph, name = ("bert", "input_ids") if "bert" in values else (next(iter(values)), "x_tst")
    return int(np.size(values[graph][name]))
