"""A ranking as a table, for the window and for the page."""

from __future__ import annotations

from collections.abc import Sequence

from app.audition.bradley_terry import Ranking
from app.audition.places import place_words
from app.language import localized


def rank_head() -> tuple[str, str, str]:
    """Titles of `rank_rows`."""
    return localized("順位", "Rank"), localized("音声", "Sound"), localized("強さ（95 % 区間）", "Strength (95 % interval)")


def rank_rows(result: Ranking, names: Sequence[str]) -> list[tuple[str, str, str]]:
    """The sounds, the best first; equal ones share a place."""
    return [
        (
            place_words(result.places, column),
            names[column],
            f"{result.strengths[column]:+.2f} ({result.low[column]:+.2f} – {result.high[column]:+.2f})",
        )
        for column in result.order
    ]
