"""A store of the blind tests that a project keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.audition.blind_test import BlindTest
from app.audition.blind_test_data import has_test_ended, parse_readable_blind_tests
from app.audition.blind_test_trials import find_blind_trial
from app.ui.takes.take_book import TakeOwner

# The oldest tests are dropped first, so that a project file does not grow without end.
MAX_KEPT_TESTS = 100


class BlindTestStore:
    """Reads and writes a project's tests; those written by another version stay untouched."""

    def __init__(self, project: TakeOwner) -> None:
        self._project = project

    def keep_test(self, test_id: str, data: Mapping[str, Any]) -> None:
        """Keep a test in place of its former state."""
        others = [item for item in self._project.parts.tests if item.get("id") != test_id]
        self._project.change_parts(tests=(*others, data)[-MAX_KEPT_TESTS:])

    def find_unfinished(self) -> BlindTest | None:
        """Return the newest test that has not ended, or None."""
        for item in reversed(self._project.parts.tests):
            if has_test_ended(item):
                continue
            for test in parse_readable_blind_tests([item]):
                if find_blind_trial(test) is not None:
                    return test
        return None
