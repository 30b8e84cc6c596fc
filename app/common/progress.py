"""The function by which long work reports its progress."""

from collections.abc import Callable

Report = Callable[[str, float], None]
"""Step (a short key such as "reading" or "checking") and the fraction of the whole job that is done, 0..1."""


def build_part_report(report: Report, start: float, end: float) -> Report:
    """Return a report for one part of a job: its 0..1 becomes start..end of the whole."""
    return lambda step, fraction: report(step, start + (end - start) * min(max(fraction, 0.0), 1.0))


def ignore_report(_step: str, _fraction: float) -> None:
    """Do nothing, as the report of callers that do not show progress."""
