"""The result of a test that has ended, before which there is no score; that of a MUSHRA test as ITU-R BS.1534-3 has it.

Also in the language of the user: what is proved and what is not, and the places of the sounds as a table. The settings of a sole winner
can be applied to the lines or to their character.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.audition.blind_test import (
    BlindTest,
    BlindTestKind,
    count_right_answers,
    count_wins,
    find_blind_trial,
    find_chosen_column,
    list_remaining_columns,
)
from app.audition.listening_statistics import (
    P1,
    SIGNIFICANCE_LEVEL,
    AbxResult,
    PreferenceResult,
    Ranking,
    compute_p_value,
    compute_shared_ranks,
    describe_order,
    describe_rank,
    describe_shared_first,
    evaluate_fixed_test,
    evaluate_preference,
    evaluate_sequential_test,
    find_sole_first,
    rank_sounds,
)
from app.common.language import localize
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
        return replace(ranking, order=order, ranks=places, best=ranking.best if ranking.best == order[0] else None)
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


Table = tuple[Sequence[str], Sequence[Sequence[str]]]  # titles and rows


def describe_blind_test_verdict(result: BlindTestResult | None, names: Sequence[str], *, by_reference: bool = False) -> str:
    """Return one or two sentences; without a result, why there is none.

    Args:
        by_reference: what was asked is which sound is closer to a reference.
    """
    if result is None:
        return localize("テストは途中で終了しました。結果は出ません。", "The test was stopped early, so it has no result.")
    if isinstance(result, AbxResult):
        return _describe_abx(result)
    if isinstance(result, PreferenceResult):
        return _describe_preference(result, names, by_reference=by_reference)
    if isinstance(result, MushraResult):
        return _describe_ratings(result, names)
    return _describe_ranking(result, names, by_reference=by_reference)


def describe_test_kind(kind: BlindTestKind) -> str:
    return {
        "abx": localize("ABX", "ABX"),
        "sequential": localize("ABX（逐次）", "ABX (sequential)"),
        "pairs": localize("ペア比較", "Pairs"),
        "ranking": localize("勝ち抜き", "Elimination"),
        "mushra": "MUSHRA",
    }[kind]


def _describe_abx(result: AbxResult) -> str:
    score = localize(f"{result.trials} 回中 {result.right} 回正解。", f"{result.right} of {result.trials} correct. ")
    if result.verdict == "different":
        return score + localize("違いを聞き分けられています。", "The difference was heard.")
    if result.verdict == "alike":
        share = f"{P1 * 100:.0f}"
        return score + localize(
            f"{share} % 以上の確率で聞き分けられるほどの違いはありません。", f"There is no difference that is heard {share} % of the time."
        )
    if result.p_value is None:
        return score + localize("聞き分けられるかどうか、判定できませんでした。", "The trials do not show whether the difference is heard.")
    if result.needed_hits is None:
        return score + localize("試行回数が足りません。", "Not enough trials.")
    return score + localize(
        f"聞き分けられたとは言えません（{result.needed_hits} 回以上の正解が必要）。",
        f"No difference was shown ({result.needed_hits} correct needed).",
    )


def _describe_preference(result: PreferenceResult, names: Sequence[str], *, by_reference: bool) -> str:
    counts = f"{names[0]} {result.first} : {result.second} {names[1]}"
    score = localize(f"{counts}（どちらでもない {result.undecided}）。", f"{counts} (no preference: {result.undecided}). ")
    if result.first == result.second:
        return score + localize("引き分けです。", "It is a tie.")
    if result.preferred is not None:
        chosen = names[result.preferred]
        if by_reference:
            return score + localize(f"「{chosen}」のほうが参照に近い音声です。", f"“{chosen}” is closer to the reference.")
        return score + localize(f"「{chosen}」が好まれています。", f"“{chosen}” is preferred.")
    if result.needed_hits is None:
        return score + localize("試行回数が足りません。", "Not enough trials.")
    if by_reference:
        return score + localize(
            f"どちらが参照に近いとも言えません（一方に {result.needed_hits} 票以上必要）。",
            f"Neither was shown to be closer to the reference (one would need {result.needed_hits}).",
        )
    return score + localize(
        f"どちらが好まれるとも言えません（一方に {result.needed_hits} 票以上必要）。",
        f"No preference was shown (one would need {result.needed_hits}).",
    )


def _describe_ranking(result: Ranking, names: Sequence[str], *, by_reference: bool) -> str:
    order = describe_order(result.order, result.ranks, names)
    if tie := describe_shared_first(result.ranks):
        return localize(f"{order}。{tie}", f"{order}. {tie}")
    if result.best is None:
        return localize(f"{order}。一番を決めるには試行回数が足りません。", f"{order}. Not enough trials to prove which is best.")
    if by_reference:
        best = names[result.best]
        return localize(f"{order}。参照に最も近い音声は「{best}」です。", f"{order}. “{best}” is the closest to the reference.")
    return localize(f"{order}。一番は「{names[result.best]}」です。", f"{order}. “{names[result.best]}” is the best.")


def _describe_ratings(result: MushraResult, names: Sequence[str]) -> str:
    rated = [f"{name} ({score.median:g})" for name, score in zip(names, result.scores, strict=False)]
    order = describe_order(result.order, result.ranks, rated)
    if not result.knows_reference:
        return localize(
            f"{order}。隠した参照に {SURE_RATING} 点未満を付けた行が 15 % を超えるため、この結果は使えません（BS.1534）。",
            f"{order}. The hidden reference was below {SURE_RATING} in more than 15 % of the lines, so the ratings do not count (BS.1534).",
        )
    if not result.knows_anchor:
        return localize(
            f"{order}。7 kHz のアンカーに {SURE_RATING} 点を超える点を付けた行が 15 % を超えるため、この結果は使えません（BS.1534）。",
            f"{order}. The 7 kHz anchor was above {SURE_RATING} in more than 15 % of the lines, so the ratings do not count (BS.1534).",
        )
    if result.best is not None:
        return localize(f"{order}。一番は「{names[result.best]}」です。", f"{order}. “{names[result.best]}” is the best.")
    if tie := describe_shared_first(result.ranks):
        return localize(f"{order}。{tie}", f"{order}. {tie}")
    if len(names) == 1:
        return localize(f"{order}。", f"{order}.")
    return localize(f"{order}。一番を決めるには行数が足りません。", f"{order}. Not enough lines to prove which is best.")


def build_place_table(result: BlindTestResult | None, column_names: Sequence[str]) -> Table | None:
    """Return the sounds, the best first; None for a result without places."""
    if isinstance(result, Ranking):
        titles = localize("順位", "Rank"), localize("音声", "Sound"), localize("強さ（95 % 区間）", "Strength (95 % interval)")
        return titles, build_rank_rows(result, column_names)
    if isinstance(result, MushraResult):
        first, spread = (localize("順位", "Rank"), localize("音声", "Sound")), localize("四分位範囲", "Quartiles")
        score_titles = (*first, localize("中央値", "Median"), spread, localize("平均", "Mean"))
        return score_titles, build_score_rows(result, column_names)
    return None


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


def build_score_rows(result: MushraResult, column_names: Sequence[str]) -> list[tuple[str, str, str, str, str]]:
    """Return the compared sounds, the best first and with their places, then reference and anchors."""
    placed = [(describe_rank(result.ranks, column), column) for column in result.order]
    rows = []
    for place, column in (*placed, *(("", column) for column in range(len(placed), len(column_names)))):
        score = result.scores[column]
        rows.append((place, column_names[column], f"{score.median:g}", f"{score.low:g} – {score.high:g}", f"{score.mean:.1f}"))
    return rows


def find_winner(test: BlindTest) -> int | None:
    """Return the column that came first alone, significantly or not; None for a tie, for ABX, for ratings that do
    not count, and for a test without a result, or of one sound.
    """
    result = compute_blind_test_result(test)
    if isinstance(result, PreferenceResult):
        return None if result.first == result.second else int(result.second > result.first)
    if isinstance(result, MushraResult):
        counts = len(result.ranks) > 1 and result.knows_reference and result.knows_anchor
        return find_sole_first(result.ranks) if counts else None
    return find_sole_first(result.ranks) if isinstance(result, Ranking) else None


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
