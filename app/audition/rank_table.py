"""A ranking as a table, for the window and for the page."""

from __future__ import annotations

from collections.abc import Sequence

from app.audition.bradley_terry import Ranking
from app.audition.shared_ranks import describe_rank
from app.common.language import localize


def list_rank_titles() -> tuple[str, str, str]:
    """Return the titles of `build_rank_rows`."""
    return localize("順位", "Rank"), localize("音声", "Sound"), localize("強さ（95 % 区間）", "Strength (95 % interval)")


def build_rank_rows(result: Ranking, names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return the sounds, the best first; equal ones share a place."""
    return [
        (
            describe_rank(result.ranks, column),
            names[column],
            f"{result.strengths[column]:+.2f} ({result.low[column]:+.2f} – {result.high[column]:+.2f})",
        )
        for column in result.order
    ]
