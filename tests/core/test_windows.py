"""Windows cover all frames once, in few shapes, with enough context."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.core.windows import plan_windows

SIZES = st.lists(st.integers(1, 64), min_size=1, max_size=5).map(sorted)


@given(st.integers(1, 3000), SIZES, st.integers(0, 32))
def test_every_frame_comes_out_once_and_in_order(frames: int, sizes: list[int], margin: int) -> None:
    done = 0
    for window in plan_windows(frames, sizes, margin):
        assert window.first == done < window.last
        done = window.last
    assert done == frames


@given(st.integers(1, 3000), SIZES, st.integers(0, 32))
def test_what_comes_out_has_its_margin_unless_the_sentence_ends_there(frames: int, sizes: list[int], margin: int) -> None:
    for window in plan_windows(frames, sizes, margin):
        assert 0 <= window.start < window.end <= frames
        assert window.start == 0 or window.first - window.start >= margin
        assert window.end == frames or window.end - window.last >= margin


@given(st.integers(1, 3000), SIZES, st.integers(0, 32))
def test_shapes_are_few_and_known(frames: int, sizes: list[int], margin: int) -> None:
    known = {size + 2 * margin for size in sizes}
    lengths = {window.end - window.start for window in plan_windows(frames, sizes, margin)}
    assert lengths <= known | {frames}
    assert frames not in lengths or frames <= max(known)


def test_the_first_window_is_the_smallest_and_the_last_shifts_left() -> None:
    windows = plan_windows(200, (16, 32, 64), 8)
    assert windows[0].end == 32
    assert windows[0].last == 24
    assert windows[-1].end == 200
    assert windows[-1].end - windows[-1].start in (32, 48, 80)


def test_a_sentence_shorter_than_a_window_keeps_its_own_shape() -> None:
    (window,) = plan_windows(9, (16, 32), 8)
    assert (window.start, window.end, window.first, window.last) == (0, 9, 0, 9)
