"""Windows cover all frames once, in few shapes, with enough context."""

from hypothesis import given
from hypothesis import strategies as st

from app.core.sound.acoustic import WINDOW_STEP_FRAMES, DecodeWindow, list_window_widths, plan_fixed_windows, plan_windows

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
    assert last.exact == 0 or (last.last - last.exact) % WINDOW_STEP_FRAMES == 0
    assert last.first - last.exact < WINDOW_STEP_FRAMES
    assert last.last - last.first <= max(sizes) + margin


def test_the_first_window_is_the_smallest_and_the_last_takes_the_rest() -> None:
    assert plan_windows(200, (16, 32, 64), 8) == [
        DecodeWindow(start=0, end=24, exact=0, first=0, last=16),
        DecodeWindow(start=8, end=56, exact=16, first=16, last=48),
        DecodeWindow(start=40, end=120, exact=48, first=48, last=112),
        DecodeWindow(start=104, end=184, exact=112, first=112, last=176),
        DecodeWindow(start=168, end=200, exact=176, first=176, last=200),
    ]


def test_a_sentence_shorter_than_a_window_keeps_its_own_shape() -> None:
    assert plan_windows(9, (16, 32), 8) == [DecodeWindow(0, 9, 0, 0, 9)]


@given(st.integers(1, 3000), st.lists(st.integers(1, 64), min_size=1, max_size=5), st.integers(0, 32))
def test_fixed_windows_have_few_widths_and_give_every_frame_once_with_its_margin(frames: int, sizes: list[int], margin: int) -> None:
    widths, done = list_window_widths(sizes, margin), 0
    windows = plan_fixed_windows(frames, sizes, margin)
    for window in windows:
        assert window.end - window.start in widths or (frames < widths[0] and len(windows) == 1)
        assert window.exact <= window.first == done < window.last
        assert 0 <= window.start < window.end <= frames
        assert window.exact == 0 if window.start == 0 else window.exact - window.start >= margin
        assert window.end == frames or window.end - window.last == margin
        done = window.last
    assert done == frames


def test_the_last_fixed_window_moves_back_to_end_with_the_sentence() -> None:
    assert plan_fixed_windows(100, (16, 40), 8)[-2:] == [
        DecodeWindow(start=16, end=72, exact=24, first=24, last=64),
        DecodeWindow(start=44, end=100, exact=52, first=64, last=100),
    ]
    assert [window.end - window.start for window in plan_fixed_windows(683, (16, 40, 104, 128), 13)] == [42, 66, 130, 154, 154, 154, 154]
