"""Candidates to replace the graphs of a voice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from app.adapters.ort.graph_session import open_cpu_session
from app.bench.graph_recording import RecordedGraphRun
from app.bench.repeated_runs import Repeats, compute_ratio, list_figures, take_turns
from app.bench.stage_timing import RunFigures
from app.compose.graph_runner import Case, PreparedRunner
from app.install.int8_graphs import CALIBRATING, INT8_GRAPH_SUFFIX, quantise_graph
from app.lab.lab_subject import LabSubject
from app.lab.optimise.candidate_measures import CandidateRow, compare_results
from app.lab.optimise.candidate_speech import CandidateSpeech
from app.lab.optimise.general_candidates import list_general_candidates
from app.lab.optimise.graph_candidate import AS_IT_CAME, INSTALLED, GraphCandidate, measure_graph_bytes
from app.lab.recorded_inputs import build_public_inputs
from app.voices.prepared_voice import Voice

CalibrationInputs = Sequence[dict[str, Any]]
"""What a graph is given, a sentence each."""


def list_voice_candidates(
    subject: LabSubject, graph: str, speech: Callable[[], CandidateSpeech | None], *, by_group: bool
) -> Iterator[GraphCandidate]:
    """Yield the candidates of one graph in the order of the report, beginning with the one that the product itself would install.

    Args:
        speech: speaks the first time that it is called, which is once a candidate in int8 is made.
    """
    exact = subject.prepared[graph]

    def collect_inputs() -> CalibrationInputs:
        found = speech()
        # The voice has several graphs.
        assert found is not None
        return found.exact.graph_inputs[graph][:CALIBRATING]

    yield from _list_int8_candidates(subject, graph, collect_inputs, by_group=by_group)
    yield from list_general_candidates(graph, exact, by_group=by_group)


def _list_int8_candidates(
    subject: LabSubject, graph: str, collect_inputs: Callable[[], CalibrationInputs], *, by_group: bool
) -> Iterator[GraphCandidate]:
    """Yield int8 candidates: all convolutions, and a group at a time; `list_general_candidates` has the products."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.graph_variants import group_convolutions

    exact = subject.prepared[graph]
    groups = group_convolutions(load_graph(exact).graph)
    made = subject.prepared.get(f"{graph}{INT8_GRAPH_SUFFIX}")
    if isinstance(made, Path):
        yield GraphCandidate(INSTALLED, lambda _folder: made)
    elif groups:
        yield GraphCandidate(INSTALLED, partial(_write_quantised, graph, exact, collect_inputs, None))
    for name, results in groups.items() if by_group else ():
        yield GraphCandidate(f"{INSTALLED}: {name}", partial(_write_quantised, graph, exact, collect_inputs, results))


def _write_quantised(
    graph: str, exact: Path | bytes, collect_inputs: Callable[[], CalibrationInputs], result_names: Sequence[str] | None, folder: Path
) -> Path:
    file = quantise_graph(exact, graph, collect_inputs(), folder, result_names)
    # There are convolutions, or it would be no candidate.
    assert file is not None
    return folder / file


def build_source_row(voice: Voice, source: Path | bytes, calls: Sequence[RecordedGraphRun], repeats: Repeats) -> CandidateRow:
    """Build the row of the original graph beside the whole voice, both without noise and optimised as far as possible."""
    # Onnx is slow to import.
    from app.voices.prepare.source_graphs import build_noiseless_graph

    cases = [build_public_inputs(call, multilingual=voice.manifest.multilingual) for call in calls]
    session, runner = open_cpu_session(build_noiseless_graph(source)[0], "source"), PreparedRunner(voice)
    ways = {
        "prepared": partial(_measure_cases, runner, cases),
        "source": partial(_measure_cases, lambda case: session.run_graph(dict(case)), cases),
    }
    found = take_turns(ways, repeats.iterate_turns(len(ways)))
    exact = [[runner(case)[0]] for case in cases]
    results = [[session.run_graph(dict(case), session.outputs[:1])[0].reshape(-1)] for case in cases]
    sound = compare_results(exact, results, by_token=False)
    size = len(source) if isinstance(source, bytes) else measure_graph_bytes(source)
    faster = compute_ratio(list_figures(found["prepared"], "ms"), list_figures(found["source"], "ms")).median
    return CandidateRow(graph="voice", candidate=AS_IT_CAME, speedup=faster, bytes=size, snr_db=sound.snr_db, cosine=sound.cosine)


def _measure_cases(speak: Callable[[Case], object], cases: Sequence[Case]) -> RunFigures:
    began = time.perf_counter()
    for case in cases:
        speak(case)
    return {"ms": (time.perf_counter() - began) * 1000}
