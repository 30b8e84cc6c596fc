"""The candidates of a subject, one after the other, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

from app.lab.optimise.bert import GRAPH, bert_candidates
from app.lab.optimise.candidate import AS_IT_CAME, Candidate
from app.lab.optimise.side_by_side import exact_of, measured
from app.lab.optimise.speech import Speech, speech_of
from app.lab.optimise.voice import source_row, voice_candidates
from app.lab.optimise.wishes import Wishes
from app.lab.rows import Row
from app.lab.spoken import spoken
from app.lab.subject import Subject
from app.progress import Report, unreported

OPAQUE = "whole"


def optimised(subject: Subject, wishes: Wishes, report: Report = unreported) -> Iterator[Row]:
    """Rows as they come. InputError, before anything is spoken or measured, where something that was named does not exist."""
    subject.require_runs()
    speech = cache(partial(speech_of, subject))
    found = {graph: _candidates(subject, graph, speech, wishes) for graph in wishes.graphs_of(_graphs(subject))}
    sources = {AS_IT_CAME} if _has_source(subject) else set[str]()
    wishes.check_names({item.name for candidates in found.values() for item in candidates} | sources)
    planned = {graph: [item for item in candidates if wishes.want(item.name)] for graph, candidates in found.items()}
    wishes.check_kept([graph for graph, candidates in planned.items() if wishes.keep in [item.name for item in candidates]])
    if not planned:
        return
    given = spoken(subject)
    if sources and (not wishes.only or AS_IT_CAME in wishes.only):
        assert subject.voice is not None
        yield source_row(subject.voice, subject.source["whole"], given.calls["prosody"], wishes.repeats)
    total, done = max(1, sum(map(len, planned.values()))), 0
    for graph, candidates in planned.items():
        exact = exact_of(subject, graph, given, speech())
        yield exact.row()
        for candidate in candidates:
            report("measuring", done / total)
            done += 1
            yield measured(exact, candidate, wishes)


def _graphs(subject: Subject) -> list[str]:
    """Those that candidates can stand for: not that of a voice which is whole."""
    return [GRAPH] if subject.voice is None else [graph for graph in subject.voice.graphs if graph != OPAQUE]


def _has_source(subject: Subject) -> bool:
    """Whether there is one graph that the graphs of the voice were cut from."""
    return subject.voice is not None and not subject.voice.manifest.opaque and "whole" in subject.source


def _candidates(subject: Subject, graph: str, speech: Callable[[], Speech | None], wishes: Wishes) -> list[Candidate]:
    if subject.voice is None:
        return list(bert_candidates(subject, wishes.base, wishes.texts, by_group=wishes.by_group))
    return list(voice_candidates(subject, graph, speech, by_group=wishes.by_group))
