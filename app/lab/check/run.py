"""All checks of a subject, one after the other; one that cannot even be made has failed, and the others follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from app.adapters.ort.placement import Placement
from app.errors import AppError
from app.lab.check.finding import finding
from app.lab.check.latency import latency
from app.lab.check.parity import parity
from app.lab.check.placement import placements
from app.lab.check.shapes import shapes
from app.lab.repeats import Repeats
from app.lab.rows import Row
from app.lab.spoken import spoken
from app.lab.subject import Subject
from app.progress import Report, part, unreported


def checks(
    subject: Subject,
    *,
    placement: Placement,
    budget_ms: float | None = None,
    repeats: Repeats | None = None,
    report: Report = unreported,
) -> Iterator[Row]:
    """A row a finding.

    Args:
        placement: where the graphs are tried to be placed; everything else runs on the CPU.
        budget_ms: for the first sound, or for a BERT's features; None measures nothing.
        repeats: of what is timed; None is the lab's rule.
    """
    yield from _held("placement", lambda: placements(subject, placement))
    report("checking", 0.1)
    try:
        found = spoken(subject)
    except AppError as error:
        yield _failed("parity", error)
        return
    report("checking", 0.2)
    yield from _held("parity", lambda: parity(subject, found))
    yield from _held("shapes", lambda: shapes(subject, found, part(report, 0.3, 0.9)))
    report("checking", 0.9)
    if budget_ms is not None:
        yield from _held("latency", lambda: latency(subject, found, budget_ms, repeats or Repeats()))


def _held(check: str, make: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    try:
        yield from make()
    except AppError as error:
        yield _failed(check, error)


def _failed(check: str, error: AppError) -> Row:
    return finding(check, "", "", passed=False, detail=f"{error.message} {error.hint}")
