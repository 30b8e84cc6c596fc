"""Finds the sole winner of a test that has ended, and applies its settings to the lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.audition.blind_test import BlindTest
from app.audition.blind_test_result import compute_blind_test_result
from app.audition.bradley_terry import Ranking
from app.audition.mushra import MushraTest
from app.audition.mushra_result import compute_mushra_result
from app.audition.preference import PreferenceResult
from app.audition.shared_ranks import find_sole_first
from app.core.script import Script
from app.core.takes import LineTake


def find_winner(test: BlindTest) -> int | None:
    """Return the column that came first alone, significantly or not; None for a tie, for ABX, and for a test without a result."""
    result = compute_blind_test_result(test)
    if isinstance(result, PreferenceResult):
        return None if result.first == result.second else int(result.second > result.first)
    return find_sole_first(result.ranks) if isinstance(result, Ranking) else None


def find_rated_winner(test: MushraTest) -> int | None:
    """Return the sound rated first alone; None for a tie, for ratings that do not count, and if only one sound was rated."""
    result = compute_mushra_result(test)
    if result is None or len(result.ranks) < 2 or not (result.knows_reference and result.knows_anchor):
        return None
    return find_sole_first(result.ranks)


def list_column_takes(sounds: Sequence[Sequence[str]], column: int, takes: Iterable[LineTake]) -> tuple[LineTake, ...]:
    """Return the takes that a column of a plan was made of, one for each line; lines whose takes are gone are left out.

    A line is known by all of its sounds: two lines may share one of them.
    """
    by_sound: dict[str, dict[str, LineTake]] = {}
    for take in takes:
        by_sound.setdefault(take.sound, {}).setdefault(take.line, take)
    found: dict[str, LineTake] = {}
    for row in sounds:
        lines = (line for line in by_sound.get(row[column], {}) if all(line in by_sound.get(sound, {}) for sound in row))
        line = next((line for line in lines if line not in found), None)
        if line is not None:
            found[line] = by_sound[row[column]][line]
    return tuple(found.values())


def apply_take_settings(script: Script, takes: Iterable[LineTake]) -> Script:
    """Return the script with the lines of these takes speaking as the takes do; texts and readings stay, and the seed is locked, or they would sound otherwise."""
    wanted = {take.line: replace(take.settings, seed_locked=True) for take in takes}
    lines = tuple(replace(line, settings=wanted[line.id]) if line.id in wanted else line for line in script.lines)
    return replace(script, lines=lines)
