"""What could stand for the graphs of a voice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from app.adapters.ort.session import open_session
from app.bench.recorded import Call
from app.bench.stages import Figures
from app.bench.turns import column, ratio, take_turns
from app.install.int8 import CALIBRATING, SUFFIX, quantised
from app.lab.optimise.candidate import AS_IT_CAME, INSTALLED, Candidate, size_of
from app.lab.optimise.general import general_candidates
from app.lab.optimise.measure import compared
from app.lab.optimise.rows import candidate_row
from app.lab.optimise.speech import Speech
from app.lab.public_case import public_case
from app.lab.repeats import Repeats
from app.lab.rows import Row
from app.lab.subject import Subject
from app.parity import Case, PreparedRunner
from app.voices.voice import Voice

Given = Sequence[dict[str, Any]]
"""What a graph is given, a sentence each."""


def voice_candidates(subject: Subject, graph: str, speech: Callable[[], Speech | None], *, by_group: bool) -> Iterator[Candidate]:
    """Of one graph, in the order of the report: first what the product itself would install.

    Args:
        speech: speaks the first time that it is called, which is once a candidate in int8 is made.
    """
    exact = subject.prepared[graph]

    def given() -> Given:
        found = speech()
        assert found is not None  # the voice has several graphs
        return found.exact.given[graph][:CALIBRATING]

    yield from _int8(subject, graph, given, by_group=by_group)
    yield from general_candidates(graph, exact, by_group=by_group)


def _int8(subject: Subject, graph: str, given: Callable[[], Given], *, by_group: bool) -> Iterator[Candidate]:
    """Convolutions, all of them and a group at a time; `general_candidates` has the products."""
    from app.voices.prepare.store import load_graph  # onnx is slow to import
    from app.voices.prepare.variants.convolutions import convolution_groups

    exact = subject.prepared[graph]
    groups = convolution_groups(load_graph(exact).graph)
    made = subject.prepared.get(f"{graph}{SUFFIX}")
    if isinstance(made, Path):
        yield Candidate(INSTALLED, lambda _folder: made)
    elif groups:
        yield Candidate(INSTALLED, partial(_quantised, graph, exact, given, None))
    for name, results in groups.items() if by_group else ():
        yield Candidate(f"{INSTALLED}: {name}", partial(_quantised, graph, exact, given, results))


def _quantised(graph: str, exact: Path | bytes, given: Callable[[], Given], only: Sequence[str] | None, folder: Path) -> Path:
    file = quantised(exact, graph, given(), folder, only)
    assert file is not None  # there are convolutions, or it would be no candidate
    return folder / file


def source_row(voice: Voice, source: Path | bytes, calls: Sequence[Call], repeats: Repeats) -> Row:
    """The graph as it came beside the whole voice, both without noise and optimised as far as they can be."""
    from app.voices.prepare.quiet import quiet_copy  # onnx is slow to import

    cases = [public_case(call, multilingual=voice.manifest.multilingual) for call in calls]
    session, runner = open_session(quiet_copy(source)[0], "cpu", "source").session, PreparedRunner(voice)
    ways = {"prepared": partial(_timed, runner, cases), "source": partial(_timed, lambda case: session.run(dict(case)), cases)}
    found = take_turns(ways, repeats.turns(len(ways)))
    exact = [[runner(case)[0]] for case in cases]
    results = [[session.run(dict(case), session.outputs[:1])[0].reshape(-1)] for case in cases]
    sound = compared(exact, results, by_token=False)
    size = len(source) if isinstance(source, bytes) else size_of(source)
    faster = ratio(column(found["prepared"], "ms"), column(found["source"], "ms")).median
    return candidate_row("voice", AS_IT_CAME, speedup=faster, size_bytes=size, snr_db=sound.snr_db, cosine=sound.cosine)


def _timed(speak: Callable[[Case], object], cases: Sequence[Case]) -> Figures:
    began = time.perf_counter()
    for case in cases:
        speak(case)
    return {"ms": (time.perf_counter() - began) * 1000}
