"""What is found in a request while it is read: what is wrong with it, and which of its numbers had to be brought within our bounds."""

from __future__ import annotations

import logging

from app.service.refused import Problem, invalid, problem

MOST_LISTED = 20
MOST_NAMED = 10


class Findings:
    """Shared by all objects of one request. A request may have as many faults as it has letters, so only some are listed."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._more = 0
        self._moved: dict[str, tuple[float, float]] = {}

    @property
    def is_wrong(self) -> bool:
        """Anything is."""
        return bool(self._problems)

    def add(self, kind: str, where: tuple[str | int, ...], message: str, value: object = None) -> None:
        """One more fault, as `problem` describes it."""
        if len(self._problems) < MOST_LISTED:
            self._problems.append(problem(kind, where, message, value))
        else:
            self._more += 1

    def move(self, name: str, given: float, used: float) -> None:
        """A number was outside of our bounds, and the nearest within them is used."""
        if len(self._moved) < MOST_NAMED:
            self._moved.setdefault(name, (given, used))

    def check(self) -> None:
        """Raises Refused when anything was wrong; else the log says, once, which numbers are others than were sent."""
        if self._problems:
            raise invalid(self._problems, self._more)
        if self._moved:
            moved = ", ".join(f"{name} {given:g} → {used:g}" for name, (given, used) in self._moved.items())
            logging.getLogger("koebako").info("a request had numbers out of range: %s", moved)
            self._moved.clear()
