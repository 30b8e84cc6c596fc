"""Profiles a voice or a BERT: speaks, and says where the time went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.adapters.ort.trace import trace_runs
from app.lab.profile.against import against
from app.lab.profile.chrome import trace
from app.lab.profile.findings import memory_rows, operator_rows, stage_rows
from app.lab.profile.measure import Turn, measured, typical
from app.lab.profile.modules import Modules, modules_of
from app.lab.profile.speaking import Ways, ways_of
from app.lab.repeats import Repeats
from app.lab.rows import Row
from app.lab.subject import Subject
from app.progress import Report

COPIES = ("copy_in_ms", "run_ms", "copy_out_ms")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is spoken, where and how often.

    Attributes:
        bert: id or folder; None is the one that the voice names.
        depth: how many names of a module's path are kept.
    """

    text: str
    backend: str = "cpu"
    bert: str | None = None
    depth: int = 1
    repeats: Repeats = field(default_factory=Repeats)


@dataclass(frozen=True, slots=True)
class Profile:
    """All that was measured."""

    turns: Sequence[Turn]
    modules: dict[str, Modules]
    rows: list[Row]
    memory: list[Row]

    def trace(self) -> str:
        """A typical turn as a Chrome trace."""
        return trace(typical(self.turns), self.modules, self.rows)

    def found(self, earlier: Sequence[Row] | None) -> Iterator[Row]:
        """All rows, beside those of an earlier profile where there is one."""
        yield from self.rows if earlier is None else against(self.rows, earlier)
        yield from self.memory


def profiled(subject: Subject, wishes: Wishes, report: Report) -> Profile:
    """Errors as opening a voice or BERT and speaking raise them."""
    ways = ways_of(subject, wishes.text, wishes.backend, wishes.bert)
    modules = {name: modules_of(name, graph, wishes.depth) for name, graph in ways.graphs.items()}
    turns = measured(ways, wishes.repeats, report)
    rows = [*stage_rows(turns, _copies(ways)), *operator_rows(turns, modules)]
    return Profile(turns, modules, rows, list(memory_rows(turns)))


def _copies(ways: Ways) -> dict[str, Row]:
    """By graph, what copying in, running and copying out takes, for the runs of one turn; nothing is copied on the CPU."""
    found: dict[str, Row] = {}
    for name, session in ways.sessions.items():
        parts = []
        for part in session.parts():
            model, place, free = part.opened
            parts += [trace_runs(model, place, name, part.calls, free)] if part.calls else []
        if parts and all("error" not in part for part in parts):
            found[name] = {key: None if parts[0][key] is None else sum(part[key] for part in parts) for key in COPIES}
    return found
