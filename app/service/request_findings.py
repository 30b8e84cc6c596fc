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
        """Anything is."""
        return bool(self._problems)

    def add_fault(self, kind: str, where: tuple[str | int, ...], message: str, value: object = None) -> None:
        """One more fault, as `problem` describes it."""
        if len(self._problems) < MAX_LISTED_FAULTS:
            self._problems.append(build_problem(kind, where, message, value))
        else:
            self._more += 1

    def record_clamp(self, name: str, sent: float, used: float) -> None:
        """A number was outside of our bounds, and the nearest within them is used."""
        if len(self._moved) < MAX_NAMED_CLAMPS:
            self._moved.setdefault(name, (sent, used))

    def check(self) -> None:
        """Raises Refused when anything was wrong; else the log says, once, which numbers are others than were sent."""
        if self._problems:
            raise create_invalid_refusal(self._problems, self._more)
        if self._moved:
            moved = ", ".join(f"{name} {given:g} → {used:g}" for name, (given, used) in self._moved.items())
            logging.getLogger("koebako").info("a request had numbers out of range: %s", moved)
            self._moved.clear()
