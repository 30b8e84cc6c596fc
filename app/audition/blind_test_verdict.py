"""The result of a finished test in the language of the user: what is proved and what is not, and the places of the sounds as a table."""

from collections.abc import Sequence

from app.audition.binomial import P1, AbxResult, PreferenceResult
from app.audition.blind_test import BlindTestKind
from app.audition.blind_test_result import SURE_RATING, BlindTestResult, MushraResult
from app.audition.bradley_terry import Ranking, describe_order, describe_rank, describe_shared_first
from app.common.language import localize

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
    """Return the name of a kind of test for the user."""
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
