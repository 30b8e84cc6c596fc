"""Which stretch of frames the decoder runs at a time: small windows first, so that sound starts soon, then larger ones.

Nothing is padded: zeros beside speech would leak in through biases. Windows of one size have the same input shape, and what is left at
the end comes in steps of a few frames, because DirectML and CUDA graphs want few shapes.
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
