"""The places of sounds as a table, for the window and for the page."""

from __future__ import annotations

from collections.abc import Sequence

from app.audition.blind_test_result import BlindTestResult
from app.audition.bradley_terry import Ranking
from app.audition.mushra import MushraResult
from app.audition.shared_ranks import describe_rank
from app.common.language import localize

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Titles and rows."""


def build_place_table(result: BlindTestResult | None, column_names: Sequence[str]) -> Table | None:
    """Return the sounds, the best first; None for a result without places."""
    if isinstance(result, Ranking):
        return list_rank_titles(), build_rank_rows(result, column_names)
    if isinstance(result, MushraResult):
        return list_score_titles(), build_score_rows(result, column_names)
    return None


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


def list_score_titles() -> tuple[str, ...]:
    """Return the titles of `build_score_rows`."""
    spread = localize("四分位範囲", "Quartiles")
    return localize("順位", "Rank"), localize("音声", "Sound"), localize("中央値", "Median"), spread, localize("平均", "Mean")


def build_score_rows(result: MushraResult, column_names: Sequence[str]) -> list[tuple[str, str, str, str, str]]:
    """Return the compared sounds, the best first and with their places, then reference and anchors."""
    placed = [(describe_rank(result.ranks, column), column) for column in result.order]
    rows = []
    for place, column in (*placed, *(("", column) for column in range(len(placed), len(column_names)))):
        score = result.scores[column]
        rows.append((place, column_names[column], f"{score.median:g}", f"{score.low:g} – {score.high:g}", f"{score.mean:.1f}"))
    return rows
