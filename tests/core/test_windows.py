"""Windows cover all frames once, in few shapes, with enough context."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.windows import STEP_FRAMES, Window, plan_windows

SIZES = st.lists(st.integers(1, 64), min_size=1, max_size=5).map(sorted)


@given(st.integers(1, 3000), SIZES, st.integers(0, 32))
def test_every_frame_comes_out_once_and_in_order(frames: int, sizes: list[int], margin: int) -> None:
    done = 0
    for window in plan_windows(frames, sizes, margin):
        assert window.exact <= window.first == done < window.last
        done = window.last
    assert done == frames


@given(st.integers(1, 3000), SIZES, st.integers(0, 32))
def test_what_is_right_has_its_margin_unless_the_sentence_ends_there(frames: int, sizes: list[int], margin: int) -> None:
    for window in plan_windows(frames, sizes, margin):
        assert 0 <= window.start < window.end <= frames
        assert window.start == 0 or window.exact - window.start == margin
        assert window.end == frames or window.end - window.last == margin


@given(st.integers(1, 3000), SIZES, st.integers(0, 32))
def test_shapes_are_few_and_known(frames: int, sizes: list[int], margin: int) -> None:
    *windows, last = plan_windows(frames, sizes, margin)
    for window in windows:
        assert window.exact == window.first
        assert window.last - window.first in sizes
        assert window.end - window.start == window.last - window.first + margin + min(margin, window.first)
    assert last.exact == 0 or (last.last - last.exact) % STEP_FRAMES == 0
    assert last.first - last.exact < STEP_FRAMES
    assert last.last - last.first <= max(sizes) + margin


def test_the_first_window_is_the_smallest_and_the_last_takes_the_rest() -> None:
    assert plan_windows(200, (16, 32, 64), 8) == [
        Window(start=0, end=24, exact=0, first=0, last=16),
        Window(start=8, end=56, exact=16, first=16, last=48),
        Window(start=40, end=120, exact=48, first=48, last=112),
        Window(start=104, end=184, exact=112, first=112, last=176),
        Window(start=168, end=200, exact=176, first=176, last=200),
    ]


def test_a_sentence_shorter_than_a_window_keeps_its_own_shape() -> None:
    assert plan_windows(9, (16, 32), 8) == [Window(0, 9, 0, 0, 9)]
