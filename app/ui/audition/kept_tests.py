"""The blind tests of a project, as it keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.audition.blind_test import BlindTest
from app.audition.blind_test_data import has_ended, readable_tests
from app.audition.mushra import MushraTest
from app.audition.mushra import trial_of as rating_of
from app.audition.mushra_data import readable_mushra
from app.audition.trials import trial_of
from app.ui.takes.book import Owner

MOST_KEPT = 100  # tests of a project; the oldest go


class KeptTests:
    """Reads and writes them; what another version wrote stays as it is."""

    def __init__(self, project: Owner) -> None:
        self._project = project

    def keep(self, test_id: str, data: Mapping[str, Any]) -> None:
        """In place of what was kept of it before."""
        others = [item for item in self._project.parts.tests if item.get("id") != test_id]
        self._project.change(tests=(*others, data)[-MOST_KEPT:])

    def unfinished(self) -> BlindTest | MushraTest | None:
        """The newest test that has not ended."""
        for item in reversed(self._project.parts.tests):
            if has_ended(item):
                continue
            for test in readable_tests([item]):
                if trial_of(test) is not None:
                    return test
            for rating in readable_mushra([item]):
                if rating_of(rating) is not None:
                    return rating
        return None
