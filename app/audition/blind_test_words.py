"""Blind tests in the language of the user: what a method is for, what a result says, and the figures behind it.

Everybody reads the names, verdicts and places; figures of statistics, standards and the seal are details, which are folded away.
"""

from collections.abc import Sequence

from app.audition.blind_test import ANCHORS_HZ, ELIMINATING_LOSSES, BlindTest, BlindTestKind, BlindTestPlan, count_wins
from app.audition.blind_test_result import MAX_UNSURE_SHARE, SURE_RATING, BlindTestResult, MushraResult, compute_blind_test_result
from app.audition.listening_statistics import (
    MISS_PROBABILITY,
    P0,
    P1,
    SIGNIFICANCE_LEVEL,
    AbxResult,
    PreferenceResult,
    Ranking,
    describe_order,
    describe_rank,
    describe_shared_first,
    find_needed_hits,
)
from app.common.language import localize

Table = tuple[Sequence[str], Sequence[Sequence[str]]]  # titles and rows


def choose_favourite_kind(count: int) -> BlindTestKind:
    """Return the kind that asks which of so many sounds is liked better, with as few questions as it takes."""
    # Three sounds are 5 questions at most in an elimination, and 15 at least where every pair is compared.
    return "pairs" if count == 2 else "ranking"


def describe_test_kind(kind: BlindTestKind, count: int, *, by_reference: bool = False) -> str:
    """Return the name of a kind of test that compares so many sounds: the question that it answers.

    Args:
        by_reference: a reference is heard, to which one of the sounds is closer.
    """
    if kind in ("pairs", "ranking") and by_reference:
        return localize("どちらが参照に近いか", "Which is closer to the reference?")
    if kind == "pairs" and count > 2:
        return localize("好みの順位を詳しく（総当たり）", "A ranking to rely on (every pair)")
    return {
        "pairs": localize("どちらが好きか", "Which do I like better?"),
        "ranking": localize("どちらが好きか", "Which do I like better?"),
        "abx": localize("違いがわかるか（ABX）", "Can I hear a difference? (ABX)"),
        "sequential": localize("違いがわかるか・回数はおまかせ（逐次 ABX）", "Can I hear a difference, soon? (sequential ABX)"),
        "mushra": localize("参照にどれだけ近いか（MUSHRA）", "How close to a reference? (MUSHRA)"),
    }[kind]


def explain_test_kind(kind: BlindTestKind, count: int) -> str:
    """Return in one sentence what is done in a test of so many sounds, or for whom it is."""
    most = ELIMINATING_LOSSES * count - 1
    if kind == "pairs" and count > 2:
        return localize(
            "好みの差がどれだけ確かかまで知りたいときに。すべての組み合わせを同じ回数ずつ比べます。",
            "For those who must be sure of their ranking: every pair is compared equally often.",
        )
    return {
        "pairs": localize("2 つを聞いて、好きなほうを選びます。", "You hear both and choose the one you like."),
        "ranking": localize(
            f"2 つずつ聞いて好きなほうを選び、最後まで残ったお気に入りを 1 つ見つけます（多くても {most} 回）。",
            f"You hear two at a time and choose the one you like, until one favourite is left (after {most} choices at most).",
        ),
        "abx": localize(
            "違いが本当に聞こえているのか確かめたいときに。X が A と B のどちらかを当てます。",
            "For those who doubt that there is a difference: you say whether X is A or B.",
        ),
        "sequential": localize(
            "同じことを短い時間で確かめたいときに。結果がはっきりした時点で終わります（4〜60 回）。",
            "The same for those in a hurry: it ends as soon as the answer is clear, after 4 to 60 trials.",
        ),
        "mushra": localize(
            "録音などにどれだけ近いかを点数で知りたいときに。すべてを聞き比べて 0〜100 点を付けます。",
            "For those who compare with a recording: you rate from 0 to 100 how close each sound is.",
        ),
    }[kind]


def describe_task(plan: BlindTestPlan) -> str:
    """Return what is done with the reference of a plan, and from how many answers on something is shown; empty where nothing is to be said."""
    needed = find_needed_hits(plan.trials, 1 if plan.has_x else 2)
    if plan.is_rated:
        return "" if plan.references else _describe_reference_files(len(plan.sounds))
    if plan.references:
        task = (
            localize("X は参照です。", "X is the reference. ")
            if plan.has_x
            else localize("参照に近いほうを選びます。", "Choose the one that is closer to the reference. ")
        )
    else:
        task = ""
    if plan.kind == "abx":
        return task + localize(
            f"{plan.trials} 回中 {needed} 回以上の正解で、聞き分けられると判定します。",
            f"{needed} of {plan.trials} correct answers show that you hear a difference.",
        )
    if plan.kind != "pairs":
        return task
    if len(plan.names) > 2:
        return task + localize("組み合わせごとに、この回数ずつ比べます。", "Every pair is compared this many times.")
    return task + localize(
        f"{plan.trials} 回中 {needed} 回以上選んだほうを、好まれていると判定します。",
        f"{needed} of {plan.trials} answers show a preference.",
    )


def _describe_reference_files(line_count: int) -> str:
    if line_count == 1:
        return localize("「開始」を押すと、参照の音声ファイルを選びます。", "After Start, choose the audio file of the reference.")
    return localize(
        f"「開始」を押すと、参照の音声ファイルを行ごとに 1 つ（合わせて {line_count} 個）選びます。ファイル名の順に行と対応します。",
        f"After Start, choose {line_count} sound files as references, one for each line in the order of their names.",
    )


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


def _describe_abx(result: AbxResult) -> str:
    score = localize(f"{result.trials} 回中 {result.right} 回正解。", f"{result.right} of {result.trials} correct. ")
    if result.verdict == "different":
        return score + localize("違いを聞き分けられています。", "The difference was heard.")
    if result.verdict == "alike":
        return score + localize("はっきり聞き分けられるほどの違いはありません。", "There is no difference that is clearly heard.")
    if result.p_value is None:
        return score + localize("聞き分けられるかどうか、判定できませんでした。", "The trials do not show whether the difference is heard.")
    if result.needed_hits is None:
        return score + localize("試行回数が足りません。", "Not enough trials.")
    return score + localize(
        f"聞き分けられたとは言えません（{result.needed_hits} 回以上の正解が必要）。",
        f"No difference was shown ({result.needed_hits} correct needed).",
    )


def _describe_preference(result: PreferenceResult, names: Sequence[str], *, by_reference: bool) -> str:
    counts, undecided = f"{names[0]} {result.first} : {result.second} {names[1]}", result.undecided
    score = localize(f"{counts}。", f"{counts}. ")
    if undecided:
        score = localize(f"{counts}（どちらでもない {undecided}）。", f"{counts} (no preference: {undecided}). ")
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
    first = result.best if result.favourite is None else result.favourite
    if first is None:
        return localize(f"{order}。一番を決めるには試行回数が足りません。", f"{order}. Not enough trials to prove which is best.")
    if by_reference:
        verdict = localize(
            f"{order}。参照に最も近い音声は「{names[first]}」です。", f"{order}. “{names[first]}” is the closest to the reference."
        )
    elif result.favourite is None:
        verdict = localize(f"{order}。一番は「{names[first]}」です。", f"{order}. “{names[first]}” is the best.")
    else:
        verdict = localize(f"{order}。お気に入りは「{names[first]}」です。", f"{order}. Your favourite is “{names[first]}”.")
    if result.best is None:
        verdict += localize(
            "少ない回数で選んだため、もう一度行うと変わることがあります。", " With so few choices, another test may end differently."
        )
    return verdict


def _describe_ratings(result: MushraResult, names: Sequence[str]) -> str:
    rated = [f"{name} ({score.median:g})" for name, score in zip(names, result.scores, strict=False)]
    order = describe_order(result.order, result.ranks, rated)
    if not result.knows_reference:
        return localize(
            f"{order}。混ざっていた参照そのものの点が低いため、この結果は使えません。",
            f"{order}. The reference itself, which was among the sounds, was rated too low, so the ratings do not count.",
        )
    if not result.knows_anchor:
        return localize(
            f"{order}。こもらせた参照の点が高いため、この結果は使えません。",
            f"{order}. The muffled reference was rated too high, so the ratings do not count.",
        )
    if result.best is not None:
        return localize(f"{order}。一番は「{names[result.best]}」です。", f"{order}. “{names[result.best]}” is the best.")
    if tie := describe_shared_first(result.ranks):
        return localize(f"{order}。{tie}", f"{order}. {tie}")
    if len(names) == 1:
        return localize(f"{order}。", f"{order}.")
    return localize(f"{order}。一番を決めるには行数が足りません。", f"{order}. Not enough lines to prove which is best.")


def build_place_table(test: BlindTest) -> Table | None:
    """Return the sounds of an ended test, the best first, equal ones with the same place; None for a result without places.

    Reference and anchors of a MUSHRA test follow without a place.
    """
    result, names = compute_blind_test_result(test), test.plan.list_column_names()
    titles = localize("順位", "Rank"), localize("音声", "Sound")
    if isinstance(result, Ranking):
        wins = count_wins(test)
        won, heard = wins.sum(axis=1), wins.sum(axis=0) + wins.sum(axis=1)
        rows = [(describe_rank(result.ranks, column), names[column], f"{won[column]:g} / {heard[column]:g}") for column in result.order]
        return (*titles, localize("選ばれた回数", "Chosen")), rows
    if isinstance(result, MushraResult):
        placed = {column: describe_rank(result.ranks, column) for column in result.order}
        columns = (*placed, *range(len(placed), len(names)))
        rows = [(placed.get(column, ""), names[column], f"{result.scores[column].median:g}") for column in columns]
        return (*titles, localize("点", "Rating")), rows
    return None


def list_details(test: BlindTest) -> tuple[str, ...]:
    """Return the lines of an ended test's details: its method, the figures behind its verdict, and its seal, opened."""
    return (describe_method(test.plan), *_list_figures(test), *_list_seal(test, is_open=True))


def list_trial_details(test: BlindTest) -> tuple[str, ...]:
    """Return the lines of the details of a test that continues, which say nothing of its sounds."""
    return (describe_method(test.plan), *_list_seal(test, is_open=False))


def describe_method(plan: BlindTestPlan) -> str:
    """Return the method of a plan as people of the field call it, with its limits."""
    level = f"{SIGNIFICANCE_LEVEL:.0%}"
    if plan.kind == "pairs" and len(plan.names) > 2:
        return localize("方法: ペア比較（総当たり、Bradley–Terry モデル）", "Method: paired comparisons of all pairs (Bradley–Terry model)")
    low, high = (f"{hertz / 1000:g} kHz" for hertz in ANCHORS_HZ)
    return {
        "pairs": localize(
            f"方法: ペア比較（両側の二項検定、有意水準 {level}）", f"Method: paired comparison (two-sided binomial test, level {level})"
        ),
        "ranking": localize(
            f"方法: 勝ち抜き（{ELIMINATING_LOSSES} 回負けた音声が外れる。Bradley–Terry モデル）",
            f"Method: elimination after {ELIMINATING_LOSSES} losses (Bradley–Terry model)",
        ),
        "abx": localize(f"方法: ABX（片側の二項検定、有意水準 {level}）", f"Method: ABX (one-sided binomial test, level {level})"),
        "sequential": localize(
            f"方法: 逐次 ABX（Wald の逐次検定。正答率 {P0:.0%} と {P1:.0%} を、誤り {MISS_PROBABILITY:.0%} 以下で見分ける）",
            f"Method: sequential ABX (Wald's test of {P0:.0%} against {P1:.0%} right answers, with at most {MISS_PROBABILITY:.0%} errors)",
        ),
        "mushra": localize(
            f"方法: MUSHRA（ITU-R BS.1534-3）。アンカーは {low}（強）と {high}（弱）まで。隠した参照が {SURE_RATING} 点未満、または {high} のアンカーが "
            f"{SURE_RATING} 点を超える行が {MAX_UNSURE_SHARE:.0%} より多い評価は無効",
            f"Method: MUSHRA (ITU-R BS.1534-3), with anchors at {low} and {high}. Void where the hidden reference is below {SURE_RATING}, or the "
            f"{high} anchor above it, in more than {MAX_UNSURE_SHARE:.0%} of the lines",
        ),
    }[plan.kind]


def _list_figures(test: BlindTest) -> list[str]:
    """Return the figures of statistics behind a verdict; none where there is no result."""
    result, names = compute_blind_test_result(test), test.plan.list_column_names()
    if isinstance(result, (AbxResult, PreferenceResult)) and result.p_value is not None:
        return [
            localize(
                f"当てずっぽうでこの結果以上になる確率: p = {result.p_value:.3g}",
                f"Chance that guesses do as well: p = {result.p_value:.3g}",
            )
        ]
    if isinstance(result, Ranking):
        interval = localize("強さ（95 % 区間）", "Strength (95 % interval)")
        return [
            f"{names[column]}: {interval} {result.strengths[column]:+.2f} ({result.low[column]:+.2f} – {result.high[column]:+.2f})"
            for column in result.order
        ]
    if not isinstance(result, MushraResult):
        return []
    return [
        localize(
            f"{name}: 中央値 {score.median:g}、四分位範囲 {score.low:g} – {score.high:g}、平均 {score.mean:.1f}",
            f"{name}: median {score.median:g}, quartiles {score.low:g} – {score.high:g}, mean {score.mean:.1f}",
        )
        for name, score in zip(names, result.scores, strict=True)
    ]


def _list_seal(test: BlindTest, *, is_open: bool) -> list[str]:
    """Return the hash that seals the order of the sounds, and the seed behind it where the seal is open."""
    seal = f"SHA-256: {test.commitment}"
    if is_open:
        explanation = localize(
            "音声の並びはこのシードから決まりました。SHA-256 は、テスト中に表示した値と同じです。",
            "This seed decided the order of the sounds. Its SHA-256 is the value shown during the test.",
        )
        return [explanation, localize("シード: ", "Seed: ") + test.seed, seal]
    explanation = localize(
        "音声の並びを決めたシードの SHA-256 です。シードは最後に表示されるので、途中で変えていないことを確認できます。",
        "SHA-256 of the seed that decided the order of the sounds. The seed is shown at the end, so that anybody can check it.",
    )
    return [explanation, seal]
