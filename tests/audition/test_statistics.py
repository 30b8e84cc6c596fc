"""The statistics of blind tests: against the published tables, against scipy, and against listeners who guess."""

from math import comb
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray

from app.audition import listening_statistics
from app.audition.listening_statistics import (
    CONFIDENCE_Z,
    SIGNIFICANCE_LEVEL,
    Sides,
    choose_next_pair,
    compare_with_strongest,
    compute_p_value,
    compute_wald_bounds,
    evaluate_fixed_test,
    evaluate_preference,
    evaluate_sequential_test,
    find_needed_hits,
    find_sequential_verdict,
    fit_strengths,
    rank_sounds,
)

GUESSERS = 20_000


@pytest.mark.parametrize(("trials", "hits"), [(5, 5), (8, 7), (10, 9), (12, 10), (16, 12), (20, 15)])
def test_right_answers_that_an_abx_test_needs(trials: int, hits: int) -> None:
    assert find_needed_hits(trials) == hits
    assert evaluate_fixed_test(hits, trials).verdict == "different"
    assert evaluate_fixed_test(hits - 1, trials).verdict == "open"


@pytest.mark.parametrize(("trials", "hits"), [(6, 6), (8, 8), (10, 9), (12, 10), (16, 13), (20, 15)])
def test_answers_that_a_preference_needs(trials: int, hits: int) -> None:
    assert find_needed_hits(trials, 2) == hits
    assert evaluate_preference(hits, trials - hits).preferred == 0
    assert evaluate_preference(trials - hits, hits).preferred == 1
    assert evaluate_preference(hits - 1, trials - hits + 1).preferred is None


def test_too_few_trials_prove_nothing() -> None:
    assert (find_needed_hits(4), find_needed_hits(5, 2), find_needed_hits(0)) == (None, None, None)
    assert evaluate_fixed_test(4, 4).verdict == "open"
    assert evaluate_preference(5, 0).preferred is None


def test_no_preference_is_left_out_and_shown() -> None:
    result = evaluate_preference(9, 1, 7)
    assert (result.preferred, result.undecided, result.needed_hits) == (0, 7, 9)
    assert result.p_value == evaluate_preference(9, 1).p_value


@pytest.mark.parametrize("sides", [1, 2])
def test_probabilities_are_those_of_scipy(sides: Sides) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    other = "greater" if sides == 1 else "two-sided"
    for trials in (1, 2, 7, 16, 55, 300):
        for hits in range(0, trials + 1, max(1, trials // 12)):
            assert compute_p_value(hits, trials, sides) == pytest.approx(scipy_stats.binomtest(hits, trials, 0.5, other).pvalue, rel=1e-9)


def test_more_hits_than_trials_are_refused() -> None:
    for hits in (-1, 6):
        with pytest.raises(ValueError, match="of 5"):
            compute_p_value(hits, 5)


def test_who_guesses_seldom_passes_a_fixed_test() -> None:
    draw = np.random.default_rng(1)
    for trials in (5, 8, 12, 16, 20):
        right = draw.binomial(trials, 0.5, GUESSERS)
        passed = sum(np.bincount(right)[int(find_needed_hits(trials) or 0) :]) / GUESSERS
        assert passed <= SIGNIFICANCE_LEVEL
        preferred = sum(
            count for hits, count in enumerate(np.bincount(right)) if evaluate_preference(hits, trials - hits).preferred is not None
        )
        assert preferred / GUESSERS <= SIGNIFICANCE_LEVEL


def sequential_ends(chance: float) -> dict[str, float]:
    """How likely each verdict is for a listener who is right with this probability: exact, trial by trial."""
    ends = dict.fromkeys(("different", "alike", "open"), 0.0)
    running = {0: 1.0}
    for trials in range(1, listening_statistics.MAX_SEQUENTIAL_TRIALS + 1):
        after: dict[int, float] = {}
        for right, share in running.items():
            for step, part in ((1, chance), (0, 1 - chance)):
                verdict = find_sequential_verdict(right + step, trials)
                if verdict is None:
                    after[right + step] = after.get(right + step, 0.0) + share * part
                else:
                    ends[verdict] += share * part
        running = after
    assert not running
    return ends


def test_a_sequential_test_keeps_both_of_its_promises() -> None:
    guessing, hearing = sequential_ends(listening_statistics.P0), sequential_ends(listening_statistics.P1)
    assert guessing["different"] <= SIGNIFICANCE_LEVEL
    assert hearing["alike"] <= listening_statistics.MISS_PROBABILITY
    assert guessing["alike"] > 0.9
    assert hearing["different"] > 0.9
    assert max(guessing["open"], hearing["open"]) < 0.01  # ended by the most trials


def test_a_sequential_test_is_the_ratio_of_likelihoods() -> None:
    for trials in range(1, listening_statistics.MAX_SEQUENTIAL_TRIALS):
        low, high = compute_wald_bounds(trials)
        for right in range(trials + 1):
            ratio = 0.8**right * 0.2 ** (trials - right) / 0.5**trials
            assert (right >= high) == (ratio >= 0.95 / 0.05)
            assert (right <= low) == (ratio <= 0.05 / 0.95)
    assert [find_sequential_verdict(7, 7), find_sequential_verdict(6, 6), find_sequential_verdict(0, 4), find_sequential_verdict(0, 3)] == [
        "different",
        None,
        "alike",
        None,
    ]
    assert evaluate_sequential_test(7, 7).p_value is None


def tables(strengths: NDArray[np.float64], trials: int, seed: int) -> NDArray[np.float64]:
    """Wins of listeners who hear differences of these strengths, shape (…, k): so many trials for each pair."""
    draw = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(strengths[..., None, :] - strengths[..., :, None]))
    upper = np.triu(draw.binomial(trials, chance), 1)
    return np.asarray(upper + np.triu(np.ones_like(upper) * trials, 1).swapaxes(-1, -2) - upper.swapaxes(-1, -2), np.float64)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_strengths_are_the_most_likely_ones(count: int) -> None:
    wins = tables(np.linspace(-1, 1, count), 9, count)
    strengths, _ = fit_strengths(wins)

    def unlikely(values: NDArray[np.float64]) -> float:
        chance = 1 / (1 + np.exp(values[None, :] - values[:, None]))
        return float((values**2).sum() / (2 * listening_statistics.PRIOR_SPREAD**2) - (wins * np.log(chance)).sum())

    found = pytest.importorskip("scipy.optimize").minimize(unlikely, np.zeros(count), tol=1e-12).x
    assert strengths == pytest.approx(found - found.mean(), abs=1e-4)


@pytest.mark.parametrize(("spread", "trials"), [(0.0, 6), (0.5, 3), (1.0, 12), (1.5, 6), (2.0, 6)])
def test_intervals_hold_the_truth_in_19_of_20_cases(spread: float, trials: int) -> None:
    truth = np.random.default_rng(7).normal(0, spread, (4_000, 4)) if spread else np.zeros((4_000, 4))
    truth -= truth.mean(axis=-1, keepdims=True)
    strengths, covariance = fit_strengths(tables(truth, trials, 8))
    half = CONFIDENCE_Z * np.sqrt(np.diagonal(covariance, axis1=-2, axis2=-1))
    assert 0.945 <= (np.abs(strengths - truth) <= half).mean() <= 0.99


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_who_guesses_seldom_makes_a_best(count: int) -> None:
    for trials in (1, 3, 10):
        strengths, covariance = fit_strengths(tables(np.zeros((4_000, count)), trials, count))
        assert compare_with_strongest(strengths, covariance).mean() <= SIGNIFICANCE_LEVEL


def test_one_that_wins_all_has_a_finite_strength_and_one_trial_proves_nothing() -> None:
    wins = np.zeros((3, 3))
    assert rank_sounds(wins).best is None
    wins[0, 1:] = 1
    assert rank_sounds(wins).best is None
    wins[0, 1:] = 500
    ranking = rank_sounds(wins)
    assert (ranking.best, ranking.order[0]) == (0, 0)
    assert np.isfinite(ranking.strengths).all()
    assert all(low < strength < high for low, strength, high in zip(ranking.low, ranking.strengths, ranking.high, strict=True))


def test_the_next_pair_is_the_one_least_known() -> None:
    wins = np.zeros((3, 3))
    assert choose_next_pair(wins, (0, 1, 2)) == (0, 1)
    wins[0, 1] = wins[1, 0] = 1.0
    assert 2 in choose_next_pair(wins, (0, 1, 2))
    assert choose_next_pair(wins, (0, 1)) == (0, 1)
    wins[2] = [20, 20, 0]
    assert choose_next_pair(wins, (0, 1, 2)) == (0, 1)  # that 2 is the best is known


def test_certainty_is_that_of_the_normal_distribution() -> None:
    assert pytest.approx(1.959964, abs=1e-6) == CONFIDENCE_Z
    assert NormalDist().cdf(CONFIDENCE_Z) == pytest.approx(1 - SIGNIFICANCE_LEVEL / 2)
    assert comb(8, 2) * SIGNIFICANCE_LEVEL / (8 * 7) == SIGNIFICANCE_LEVEL / 2  # both sides of all pairs of 8 share ALPHA
