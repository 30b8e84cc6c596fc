"""Findings in a request while it is read: its errors, and the numbers that had to be brought within our bounds."""

from __future__ import annotations

import logging

from app.service.http_errors import Problem, build_problem, create_invalid_refusal

MAX_LISTED_FAULTS = 20
MAX_NAMED_CLAMPS = 10


class RequestFindings:
    """Shared by all objects of one request. A request may have as many faults as it has letters, so only some are listed."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._more = 0
        self._moved: dict[str, tuple[float, float]] = {}

    @property
    def has_faults(self) -> bool:
        """Return whether any fault was found."""
        return bool(self._problems)

    def add_fault(self, kind: str, where: tuple[str | int, ...], message: str, value: object = None) -> None:
        """Add a fault, in the words of `build_problem`."""
        if len(self._problems) < MAX_LISTED_FAULTS:
            self._problems.append(build_problem(kind, where, message, value))
        else:
            self._more += 1

    def record_clamp(self, name: str, sent: float, used: float) -> None:
        """Record that a number was outside our bounds and the nearest one within them is used."""
        if len(self._moved) < MAX_NAMED_CLAMPS:
            self._moved.setdefault(name, (sent, used))

    def check(self) -> None:
        """Raise RefusalError if there are faults; else log, once, which numbers were clamped."""
        if self._problems:
            raise create_invalid_refusal(self._problems, self._more)
        if self._moved:
            moved = ", ".join(f"{name} {given:g} → {used:g}" for name, (given, used) in self._moved.items())
            logging.getLogger("koebako").info("a request had numbers out of range: %s", moved)
            self._moved.clear()
