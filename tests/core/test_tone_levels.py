"""How high the tones of a sentence ask its morae to be."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.tone_levels import FINAL_LOWERING, HIGHEST, LOWEST, MoraTone, compute_mora_levels

MORA_S = 0.13


def phrase(tones: str, *, behind_pause: bool = False) -> list[tuple[bool, bool, bool]]:
    """Tone, whether a phrase begins, whether a breath group begins."""
    return [(tone == "H", not index, behind_pause and not index) for index, tone in enumerate(tones)]


def levels_of(*phrases: list[tuple[bool, bool, bool]]) -> list[np.ndarray]:
    """The levels of each phrase."""
    flat = [item for one in phrases for item in one]
    moras = [MoraTone(high, MORA_S * index, begins, group) for index, (high, begins, group) in enumerate(flat)]
    return np.split(compute_mora_levels(moras), np.cumsum([len(one) for one in phrases])[:-1])


def test_an_accent_leaves_less_of_the_range_to_what_follows_in_the_same_breath() -> None:
    first, second, third = levels_of(phrase("LHLL"), phrase("LHLL"), phrase("LHLL"))
    assert first[1] - second[1] > 1 < second[1] - third[1]
    assert np.ptp(first) > np.ptp(second) > np.ptp(third[:-1])
    plain, flat = levels_of(phrase("LHHH"), phrase("LHHH"))
    assert plain[1] - flat[1] < 0.5, "without an accent there is no step down"


def test_a_pause_gives_back_a_part_of_it() -> None:
    *_, linked = levels_of(phrase("LHLL"), phrase("LHLL"), phrase("LHLL"))
    first, _, behind_pause = levels_of(phrase("LHLL"), phrase("LHLL"), phrase("LHLL", behind_pause=True))
    assert linked[1] + 1 < behind_pause[1] < first[1]


def test_a_low_beginning_is_less_low_than_what_has_fallen() -> None:
    (levels,) = levels_of(phrase("LHHLLLL"))
    assert levels[3] < levels[0] < levels[1]
    assert np.all(np.diff(levels[3:]) < 0)


def test_the_last_mora_is_lower_by_so_much() -> None:
    (one,), (several,) = (levels_of(phrase("L" * count)) for count in (1, 4))
    assert one[0] - several[0] == pytest.approx(-FINAL_LOWERING)


TONES = st.integers(1, 25).flatmap(
    lambda count: st.integers(0, count).map(
        lambda accent: "H" + "L" * (count - 1) if accent == 1 else "L" + "H" * (max(accent, 1) - 1) + "L" * (count - max(accent, 1))
    )
)


ANY_TONES = st.text("HL", min_size=1, max_size=12)  # as a user may set them, mora by mora


@given(st.lists(st.tuples(st.one_of(TONES, ANY_TONES), st.booleans()), min_size=1, max_size=12))
def test_every_accent_is_a_fall_and_every_rise_a_rise(phrases: list[tuple[str, bool]]) -> None:
    """However many phrases a breath has, and however long they are."""
    for (tones, _), levels in zip(phrases, levels_of(*(phrase(tones, behind_pause=pause) for tones, pause in phrases)), strict=True):
        for (tone, following), (level, next_level) in zip(pairwise(tones), pairwise(levels), strict=True):
            if tone + following in ("HL", "LH"):
                assert (next_level - level) * (1 if following == "H" else -1) > 0.4
        assert LOWEST - 4.5 < levels.min() <= levels.max() < HIGHEST + 1
