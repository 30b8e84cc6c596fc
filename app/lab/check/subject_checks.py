"""All checks of a subject, one after the other; one that cannot even be made has failed, and the others follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from app.adapters.ort.device_placement import DevicePlacement
from app.common.errors import AppError
from app.common.progress import Report, build_part_report, ignore_report
from app.lab.check.agreement_checks import check_agreement
from app.lab.check.check_row import build_check_row
from app.lab.check.latency_checks import check_latency
from app.lab.check.length_checks import check_lengths
from app.lab.check.placement_checks import check_placements
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import record_inputs
from app.lab.repeat_rule import Repeats
from app.lab.report_rows import Row


def run_checks(
    subject: LabSubject,
    *,
    placement: DevicePlacement,
    budget_ms: float | None = None,
    repeats: Repeats | None = None,
    report: Report = ignore_report,
) -> Iterator[Row]:
    """Yield a row for each finding.

    Args:
        placement: where the graphs are tried to be placed; everything else runs on the CPU.
        budget_ms: for the first sound, or for a BERT's features; None measures nothing.
        repeats: of what is timed; None is the lab's rule.
    """
    yield from _run_guarded("placement", lambda: check_placements(subject, placement))
    report("checking", 0.1)
    try:
        found = record_inputs(subject)
    except AppError as error:
        yield _build_failed_row("parity", error)
        return
    report("checking", 0.2)
    yield from _run_guarded("parity", lambda: check_agreement(subject, found))
    yield from _run_guarded("shapes", lambda: check_lengths(subject, found, build_part_report(report, 0.3, 0.9)))
    report("checking", 0.9)
    if budget_ms is not None:
        yield from _run_guarded("latency", lambda: check_latency(subject, found, budget_ms, repeats or Repeats()))


def _run_guarded(check: str, run_check: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    try:
        yield from run_check()
    except AppError as error:
        yield _build_failed_row(check, error)


def _build_failed_row(check: str, error: AppError) -> Row:
    return build_check_row(check, "", "", passed=False, detail=f"{error.message} {error.hint}")
