"""Plans the stretches of frames that the decoder runs at a time: small windows first, so that sound starts soon, then larger ones.

Nothing is padded: zeros beside speech would leak in through biases. On the CPU the last window grows in steps of a few frames.
Devices compile a graph for every shape: there all windows have one of a few widths, and the last one moves back to end with the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# The last window grows by multiples of this; on average half a step is computed twice.
WINDOW_STEP_FRAMES = 8


@dataclass(frozen=True, slots=True)
class DecodeWindow:
    """A window of frames [start, end) for the decoder; of its output [exact, last) is correct and [first, last) is new."""

    start: int
    end: int
    exact: int
    first: int
    last: int


def plan_windows(frames: int, sizes: Sequence[int], margin: int) -> list[DecodeWindow]:
    """Return windows whose [first, last) cover `frames` without gap or overlap; the result depends on the arguments alone.

    Args:
        frames: frames of the sentence.
        sizes: new frames per window, in order; the last size repeats. The window at the end takes up to a margin more or any less.
        margin: frames of context the decoder needs on each side.
    """
    windows: list[DecodeWindow] = []
    done = 0
    while done < frames:
        size = sizes[min(len(windows), len(sizes) - 1)]
        if done + size + margin >= frames:
            exact = max(0, frames - -(-(frames - done) // WINDOW_STEP_FRAMES) * WINDOW_STEP_FRAMES)
            windows.append(DecodeWindow(max(0, exact - margin), frames, exact, done, frames))
            break
        windows.append(DecodeWindow(max(0, done - margin), done + size + margin, done, done, done + size))
        done += size
    return windows


def list_window_widths(sizes: Sequence[int], margin: int) -> list[int]:
    """Return the widths in frames of the decoder's windows, the smallest first, for devices that compile for every width."""
    return sorted({size + 2 * margin for size in sizes})


def plan_fixed_windows(frames: int, sizes: Sequence[int], margin: int) -> list[DecodeWindow]:
    """Plan as `plan_windows`, but with widths from `list_window_widths`; only a sentence shorter than the smallest width has its own."""
    widths = list_window_widths(sizes, margin)
    if frames <= widths[0]:
        return [DecodeWindow(0, frames, 0, 0, frames)]
    windows: list[DecodeWindow] = []
    done = 0
    while done < frames:
        planned = sizes[min(len(windows), len(sizes) - 1)] + 2 * margin
        start = max(0, done - margin)
        allowed = [width for width in widths if width <= min(planned, frames)] or widths[:1]
        closing = [width for width in allowed if start + width >= frames]
        if closing:
            start = frames - closing[0]
            windows.append(DecodeWindow(start, frames, start + margin if start else 0, done, frames))
            break
        end = start + allowed[-1]
        windows.append(DecodeWindow(start, end, done, done, end - margin))
        done = end - margin
    return windows
