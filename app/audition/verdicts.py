"""What a finished test has shown, in the words of the user: what is proved, and what is not."""

from __future__ import annotations

from collections.abc import Sequence

from app.audition.abx import P1, AbxResult
from app.audition.blind_test import Kind
from app.audition.bradley_terry import Ranking
from app.audition.places import order_words, shared_first_words
from app.audition.preference import PreferenceResult
from app.audition.results import Result
from app.language import localized


def verdict_of(result: Result | None, names: Sequence[str], *, by_reference: bool = False) -> str:
    """One or two sentences; without a result, why there is none.

    Args:
        by_reference: what was asked is which sound is closer to a reference.
    """
    if result is None:
        return localized("テストは途中で終了しました。結果は出ません。", "The test was stopped early, so it has no result.")
    if isinstance(result, AbxResult):
        return _abx(result)
    if isinstance(result, PreferenceResult):
        return _preference(result, names, by_reference=by_reference)
    return _ranking(result, names, by_reference=by_reference)


def kind_words(kind: Kind) -> str:
    """What a kind of test is called."""
    return {
        "abx": localized("ABX", "ABX"),
        "sequential": localized("ABX（逐次）", "ABX (sequential)"),
        "pairs": localized("ペア比較", "Pairs"),
        "ranking": localized("勝ち抜き", "Elimination"),
    }[kind]


def _abx(result: AbxResult) -> str:
    score = localized(f"{result.trials} 回中 {result.right} 回正解。", f"{result.right} of {result.trials} correct. ")
    if result.verdict == "different":
        return score + localized("違いを聞き分けられています。", "The difference was heard.")
    if result.verdict == "alike":
        share = f"{P1 * 100:.0f}"
        return score + localized(
            f"{share} % 以上の確率で聞き分けられるほどの違いはありません。", f"There is no difference that is heard {share} % of the time."
        )
    if result.p is None:
        return score + localized(
            "聞き分けられるかどうか、判定できませんでした。", "The trials do not show whether the difference is heard."
        )
    if result.needed is None:
        return score + localized("試行回数が足りません。", "Not enough trials.")
    return score + localized(
        f"聞き分けられたとは言えません（{result.needed} 回以上の正解が必要）。",
        f"No difference was shown ({result.needed} correct needed).",
    )


def _preference(result: PreferenceResult, names: Sequence[str], *, by_reference: bool) -> str:
    counts = f"{names[0]} {result.first} : {result.second} {names[1]}"
    score = localized(f"{counts}（どちらでもない {result.undecided}）。", f"{counts} (no preference: {result.undecided}). ")
    if result.first == result.second:
        return score + localized("引き分けです。", "It is a tie.")
    if result.preferred is not None:
        chosen = names[result.preferred]
        if by_reference:
            return score + localized(f"「{chosen}」のほうが参照に近い音声です。", f"“{chosen}” is closer to the reference.")
        return score + localized(f"「{chosen}」が好まれています。", f"“{chosen}” is preferred.")
    if result.needed is None:
        return score + localized("試行回数が足りません。", "Not enough trials.")
    if by_reference:
        return score + localized(
            f"どちらが参照に近いとも言えません（一方に {result.needed} 票以上必要）。",
            f"Neither was shown to be closer to the reference (one would need {result.needed}).",
        )
    return score + localized(
        f"どちらが好まれるとも言えません（一方に {result.needed} 票以上必要）。",
        f"No preference was shown (one would need {result.needed}).",
    )


def _ranking(result: Ranking, names: Sequence[str], *, by_reference: bool) -> str:
    order = order_words(result.order, result.places, names)
    if tie := shared_first_words(result.places):
        return localized(f"{order}。{tie}", f"{order}. {tie}")
    if result.best is None:
        return localized(f"{order}。一番を決めるには試行回数が足りません。", f"{order}. Not enough trials to prove which is best.")
    if by_reference:
        best = names[result.best]
        return localized(f"{order}。参照に最も近い音声は「{best}」です。", f"{order}. “{best}” is the closest to the reference.")
    return localized(f"{order}。一番は「{names[result.best]}」です。", f"{order}. “{names[result.best]}” is the best.")
