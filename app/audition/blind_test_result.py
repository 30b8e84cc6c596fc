"""The result of a test that has ended, before which there is no score; that of a MUSHRA test as ITU-R BS.1534-3 has it.

The settings of a winner can be applied to the lines or to their character. `app.audition.blind_test_words` says all of it in words.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.audition.blind_test import (
    BlindTest,
    count_right_answers,
    count_wins,
    find_blind_trial,
    find_chosen_column,
    list_remaining_columns,
)
from app.audition.listening_statistics import (
    SIGNIFICANCE_LEVEL,
    AbxResult,
    PreferenceResult,
    Ranking,
    compute_p_value,
    compute_shared_ranks,
    evaluate_fixed_test,
    evaluate_preference,
    evaluate_sequential_test,
    find_sole_first,
    rank_sounds,
)
from app.core.script.characters import CHARACTER_FIELDS, recast_character
from app.core.script.project import LineTake
from app.core.script.script import CAST_FIELDS, Character, Script, change_settings

SURE_RATING, MAX_UNSURE_SHARE = 90, 0.15  # BS.1534-3, 4.1.2: of the hidden reference; share of lines


@dataclass(frozen=True, slots=True)
class MushraScore:
    """Of one sound over all lines: median, quartiles and mean of 0 to 100."""

    median: float
    low: float
    high: float
    mean: float


@dataclass(frozen=True, slots=True)
class MushraResult:
    """The result that the ratings of a MUSHRA test lead to."""

    scores: tuple[MushraScore, ...]
    order: tuple[int, ...]
    ranks: tuple[int, ...]  # of the compared sounds; those with the same median share one
    knows_reference: bool  # the hidden reference was below 90 in no more than 15 % of the lines
    knows_anchor: bool  # the anchor of 7 kHz was above 90 in no more than 15 % of the lines
    best: int | None  # a sound that was rated above every other in enough lines; None where that is not proved


BlindTestResult = AbxResult | PreferenceResult | Ranking | MushraResult


def evaluate_ratings(rows: Sequence[Sequence[int]], count: int) -> MushraResult:
    """Evaluate the ratings of a finished test.

    Args:
        rows: of each line, the ratings by column: the sounds, the hidden reference, the anchors.
    """
    values = np.array(rows)
    low, median, high = np.percentile(values, (25, 50, 75), axis=0)
    mean = values.mean(axis=0)
    scores = tuple(MushraScore(*map(float, four)) for four in zip(median, low, high, mean, strict=True))
    order = tuple(sorted(range(count), key=lambda column: (-scores[column].median, -scores[column].mean)))
    places = compute_shared_ranks(order, lambda before, item: scores[before].median == scores[item].median)
    knows = float((values[:, count] < SURE_RATING).mean()) <= MAX_UNSURE_SHARE
    hears = float((values[:, -1] > SURE_RATING).mean()) <= MAX_UNSURE_SHARE
    alone = count > 1 and find_sole_first(places) is not None
    proved = knows and hears and alone and all(_is_above(values[:, order[0]] - values[:, other], count) for other in order[1:])
    return MushraResult(scores, order, places, knows, hears, order[0] if proved else None)


def _is_above(difference: np.ndarray[tuple[int], np.dtype[np.int64]], count: int) -> bool:
    """Return whether a sign test is certain enough for all pairs that might have been compared; equal ratings count for neither."""
    above, below = int((difference > 0).sum()), int((difference < 0).sum())
    return above > below and compute_p_value(above, above + below, 2) <= SIGNIFICANCE_LEVEL / (count * (count - 1) / 2)


def compute_blind_test_result(test: BlindTest) -> BlindTestResult | None:
    """Return the result; None for a test that continues, was given up, or has no answer: a score seen before the end proves nothing."""
    if test.stopped or not test.answers or find_blind_trial(test) is not None:
        return None
    kind, count = test.plan.kind, len(test.answers)
    if kind == "sequential":
        return evaluate_sequential_test(count_right_answers(test), count)
    if kind == "abx":
        return evaluate_fixed_test(count_right_answers(test), count)
    if kind == "mushra":
        return evaluate_ratings([answer.ratings for answer in test.answers], len(test.plan.names))
    wins = count_wins(test)
    if kind == "ranking":
        ranking, order, won = rank_sounds(wins), find_elimination_order(test), wins.sum(axis=1)
        remaining = list_remaining_columns(test)
        places = compute_shared_ranks(order, lambda before, item: before not in remaining and bool(won[before] == won[item]))
        best = ranking.best if ranking.best == order[0] else None
        return replace(ranking, order=order, ranks=places, best=best, favourite=order[0])
    if len(test.plan.names) > 2:
        return rank_sounds(wins)
    columns = [find_chosen_column(answer) for answer in test.answers]
    return evaluate_preference(columns.count(0), columns.count(1), columns.count(None))


def find_elimination_order(test: BlindTest) -> tuple[int, ...]:
    """Return the columns of a finished ranking, the last that remained first, then backwards as they left."""
    gone: list[int] = []
    for count in range(len(test.answers) + 1):
        remaining = list_remaining_columns(test, count)
        gone += [column for column in range(len(test.plan.names)) if column not in remaining and column not in gone]
    return (*list_remaining_columns(test), *reversed(gone))


def find_winner(test: BlindTest) -> int | None:
    """Return the column that was shown to be preferred, or that an elimination left; None where the verdict names no such sound."""
    result = compute_blind_test_result(test)
    if isinstance(result, PreferenceResult):
        return result.preferred
    if isinstance(result, Ranking):
        return result.best if result.favourite is None else result.favourite
    return result.best if isinstance(result, MushraResult) else None


def list_column_takes(sounds: Sequence[Sequence[str]], column: int, takes: Iterable[LineTake]) -> tuple[LineTake, ...]:
    """Return the takes that a column of a plan was made of, one for each line; lines whose takes are gone are left out.

    A line is known by all of its sounds: two lines may share one of them.
    """
    by_sound: dict[str, dict[str, LineTake]] = {}
    for take in takes:
        by_sound.setdefault(take.sound, {}).setdefault(take.line, take)
    take_by_line: dict[str, LineTake] = {}
    for row in sounds:
        lines = (line for line in by_sound.get(row[column], {}) if all(line in by_sound.get(sound, {}) for sound in row))
        line = next((line for line in lines if line not in take_by_line), None)
        if line is not None:
            take_by_line[line] = by_sound[row[column]][line]
    return tuple(take_by_line.values())


def apply_take_settings(script: Script, takes: Iterable[LineTake]) -> Script:
    """Return the script with the lines of these takes speaking as the takes do; texts and readings stay, and the seed is locked, or they would sound otherwise."""
    settings_by_line = {take.line: replace(take.settings, seed_locked=True) for take in takes}
    lines = tuple(replace(line, settings=settings_by_line[line.id]) if line.id in settings_by_line else line for line in script.lines)
    return replace(script, lines=lines)


def find_sole_character(script: Script, line_ids: Collection[str]) -> Character | None:
    """Return the character who speaks all of these lines, or None; lines that are gone do not count."""
    wanted_ids = frozenset(line_ids)
    speaking = {line.character for line in script.lines if line.id in wanted_ids}
    return script.find_character(speaking.pop()) if len(speaking) == 1 else None


def list_winning_values(columns: Sequence[Sequence[LineTake]], winner: int) -> dict[str, Any]:
    """Return the settings in which the columns of a test differ, with the winner's values, by name.

    A setting counts only where the winner has the same one on all lines: what differs from line to line is the line's own. Voice, speaker and
    style belong together.
    """
    takes = columns[winner]
    winner_settings = {take.line: take.settings for take in takes}
    other_takes = [take for index, column in enumerate(columns) if index != winner for take in column if take.line in winner_settings]
    compared = {
        name
        for name in CHARACTER_FIELDS
        for take in other_takes
        if getattr(take.settings, name) != getattr(winner_settings[take.line], name)
    }
    compared |= set(CAST_FIELDS) if compared & set(CAST_FIELDS) else set()
    agreed = {name for name in compared if all(getattr(take.settings, name) == getattr(takes[0].settings, name) for take in takes)}
    agreed -= set() if agreed.issuperset(CAST_FIELDS) else set(CAST_FIELDS)
    return {name: getattr(takes[0].settings, name) for name in CHARACTER_FIELDS if name in agreed}


def apply_to_character(script: Script, character_id: str, values: Mapping[str, Any], line_ids: Collection[str]) -> Script:
    """Give a character these settings. Its lines follow but for their deviations; those that were compared take them even where they deviate."""
    settings = {name: value for name, value in values.items() if name in CHARACTER_FIELDS}
    script = recast_character(script, character_id, settings)
    own_ids = {line.id for line in script.lines if line.character == character_id}
    return change_settings(script, own_ids.intersection(line_ids), **settings) if settings else script
