"""The candidates of a subject, one after the other, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from app.common.progress import Report, ignore_report
from app.lab.lab_subject import LabSubject
from app.lab.optimise.bert_candidates import BERT_GRAPH, list_bert_candidates
from app.lab.optimise.candidate_comparison import measure_candidate, open_exact_graph
from app.lab.optimise.candidate_speech import CandidateSpeech, create_candidate_speech
from app.lab.optimise.graph_candidate import AS_IT_CAME, GraphCandidate
from app.lab.optimise.optimise_options import OptimiseOptions
from app.lab.optimise.voice_candidates import build_source_row, list_voice_candidates
from app.lab.recorded_inputs import record_inputs
from app.lab.report_rows import Row

SINGLE_GRAPH = "whole"


def run_candidates(subject: LabSubject, options: OptimiseOptions, report: Report = ignore_report) -> Iterator[Row]:
    """Yield rows as they come; raise InputError, before anything is spoken or measured, if a named graph or candidate does not exist."""
    subject.require_runnable()
    speech = cache(partial(create_candidate_speech, subject))
    found = {graph: _list_candidates(subject, graph, speech, options) for graph in options.select_graphs(_list_graphs(subject))}
    sources = {AS_IT_CAME} if _has_source(subject) else set[str]()
    options.check_names({item.name for candidates in found.values() for item in candidates} | sources)
    planned = {graph: [item for item in candidates if options.should_measure(item.name)] for graph, candidates in found.items()}
    options.check_kept_graph([graph for graph, candidates in planned.items() if options.keep in [item.name for item in candidates]])
    if not planned:
        return
    given = record_inputs(subject)
    if sources and (not options.only or AS_IT_CAME in options.only):
        assert subject.voice is not None
        yield build_source_row(subject.voice, subject.source["whole"], given.calls["prosody"], options.repeats)
    total, done = max(1, sum(map(len, planned.values()))), 0
    for graph, candidates in planned.items():
        exact = open_exact_graph(subject, graph, given, speech())
        yield exact.build_row()
        for candidate in candidates:
            report("measuring", done / total)
            done += 1
            yield measure_candidate(exact, candidate, options)


def _list_graphs(subject: LabSubject) -> list[str]:
    """Return the graphs that candidates can replace: not that of a single-graph voice."""
    return [BERT_GRAPH] if subject.voice is None else [graph for graph in subject.voice.graphs if graph != SINGLE_GRAPH]


def _has_source(subject: LabSubject) -> bool:
    """Return whether there is one graph that the graphs of the voice were cut from."""
    return subject.voice is not None and not subject.voice.manifest.is_single_graph and "whole" in subject.source


def _list_candidates(
    subject: LabSubject, graph: str, speech: Callable[[], CandidateSpeech | None], options: OptimiseOptions
) -> list[GraphCandidate]:
    if subject.voice is None:
        return list(list_bert_candidates(subject, options.base, options.texts, by_group=options.by_group))
    return list(list_voice_candidates(subject, graph, speech, by_group=options.by_group))
