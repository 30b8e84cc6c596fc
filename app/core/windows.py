"""Which stretch of frames the decoder runs at a time: small windows first, so that sound starts soon, then larger ones.

Nothing is padded: zeros beside speech would leak in through biases. On the CPU what is left at the end comes in steps of a few frames.
Devices compile for every shape: there all windows have one of a few widths, and the last one moves back to end with the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

STEP_FRAMES = 8  # lengths of the last window; on average half of it is computed twice


@dataclass(frozen=True, slots=True)
class Window:
    """Frames [start, end) go into the decoder; of what comes out, [exact, last) is right and [first, last) is new."""

    start: int
    end: int
    exact: int
    first: int
    last: int


def plan_windows(frames: int, sizes: Sequence[int], margin: int) -> list[Window]:
    """Windows that cover `frames` without gap or overlap of [first, last): a function of its arguments alone.

    Args:
        frames: frames of the sentence.
        sizes: new frames per window, in order; the last size repeats. The window at the end takes up to a margin more or any less.
        margin: frames of context the decoder needs on each side.
    """
    windows: list[Window] = []
    done = 0
    while done < frames:
        size = sizes[min(len(windows), len(sizes) - 1)]
        if done + size + margin >= frames:
            exact = max(0, frames - -(-(frames - done) // STEP_FRAMES) * STEP_FRAMES)
            windows.append(Window(max(0, exact - margin), frames, exact, done, frames))
            break
        windows.append(Window(max(0, done - margin), done + size + margin, done, done, done + size))
        done += size
    return windows


def window_widths(sizes: Sequence[int], margin: int) -> list[int]:
    """Frames that go into the decoder at once where few widths are wanted, the least first."""
    return sorted({size + 2 * margin for size in sizes})


def plan_fixed_windows(frames: int, sizes: Sequence[int], margin: int) -> list[Window]:
    """As `plan_windows`, but every window has one of the `window_widths`, except that of a sentence which is shorter than the least."""
    widths = window_widths(sizes, margin)
    if frames <= widths[0]:
        return [Window(0, frames, 0, 0, frames)]
    windows: list[Window] = []
    done = 0
    while done < frames:
        planned = sizes[min(len(windows), len(sizes) - 1)] + 2 * margin
        start = max(0, done - margin)
        allowed = [width for width in widths if width <= min(planned, frames)] or widths[:1]
        closing = [width for width in allowed if start + width >= frames]
        if closing:
            start = frames - closing[0]
            windows.append(Window(start, frames, start + margin if start else 0, done, frames))
            break
        end = start + allowed[-1]
        windows.append(Window(start, end, done, done, end - margin))
        done = end - margin
    return windows
