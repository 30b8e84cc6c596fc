"""The workload of candidates: the graphs there are, and the inputs of each for every sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.optimization_levels import list_batch_inputs
from app.lab.compare.candidate_timing import ValuesByGraph
from app.lab.compare.compare_candidates import CandidateGraphs, CandidateSessions, CompareCandidate
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import RecordedInputs
from app.lab.verify.comparison_pairs import write_graph_files
from app.lab.verify.length_sweep import repeat_values
from app.lab.verify.source_comparison import split_source
from app.voices.prepare.expose_tensors import write_single_output_graph


@dataclass(frozen=True, slots=True)
class CompareWorkload:
    """Graphs, and by sentence what each is given; seconds of speech by sentence."""

    graphs: CandidateGraphs
    sentences: Mapping[str, ValuesByGraph]
    seconds: Mapping[str, float]


def build_workload(subject: LabSubject, inputs: RecordedInputs, folder: Path) -> CompareWorkload:
    """Build the prepared and original graphs, and the inputs of each.

    Args:
        folder: for copies of graphs.
    """
    files = write_graph_files(subject, folder)
    names = [call.request for call in next(iter(inputs.calls.values()))]
    by_sentence: dict[str, dict[str, Mapping[str, Any]]] = {name: {} for name in names}
    for graph, calls in inputs.calls.items():
        for call in calls:
            by_sentence[call.request][graph] = call.values
    source: dict[str, Path] = {}
    seconds = dict(inputs.seconds)
    if subject.bert is not None and isinstance(path := subject.source.get("bert"), Path):
        source = {"bert": path}
    elif subject.voice is not None and "whole" in subject.source and "prosody" in files:
        copy, seams, sentences = split_source(subject, subject.voice, files, inputs.calls, folder)
        source = {"whole": write_single_output_graph(copy, seams.decoder["audio"], "source_audio")}
        info = subject.voice.manifest
        # With the same frames for all, or the source would be given other work.
        for item in sentences:
            by_sentence[item.name] = {"whole": item.source, "prosody": item.prosody, "flow": item.flow, "decoder": item.decoder}
            seconds[item.name] = item.decoder["z"].shape[-1] * info.hop_length / info.sampling_rate
    return CompareWorkload(CandidateGraphs(files, source), by_sentence, seconds)


def build_batch(opened: CandidateSessions, workload: CompareWorkload, length: str, batch: int) -> ValuesByGraph | None:
    """Build a candidate's inputs for several sentences at once; None where it takes one only."""
    own = workload.sentences[length]
    if batch == 1:
        return own
    files = workload.graphs.choose_files(_reduce_candidate(opened.candidate))
    found = {}
    for name in opened.sessions:
        inputs = list_batch_inputs(files[name], name)
        # The noise is that of one sentence.
        if not inputs or name == "whole":
            return None
        found[name] = repeat_values(own[name], opened.sessions[name], inputs, batch)
    return found


def _reduce_candidate(candidate: CompareCandidate) -> CompareCandidate:
    return CompareCandidate(candidate.place, candidate.precision, candidate.level, "source" if candidate.form == "source" else "prepared")


def measure_size(values: ValuesByGraph) -> int:
    """Return the number of symbols, or of tokens for a BERT."""
    graph, name = ("bert", "input_ids") if "bert" in values else (next(iter(values)), "x_tst")
    return int(np.size(values[graph][name]))
