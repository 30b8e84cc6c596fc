"""Which stretch of frames the decoder runs at a time: small windows first, so that sound starts soon, then larger ones.

Every window of one size has the same input shape (size + a margin on each side), which is what DirectML, CUDA graphs and
OpenVINO want. Nothing is padded: zeros beside speech would leak in through biases. At the edges the window shifts instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """Frames [start, end) go into the decoder; of what comes out, [first, last) is new and exact."""

    start: int
    end: int
    first: int
    last: int


def plan_windows(frames: int, sizes: Sequence[int], margin: int) -> list[Window]:
    """Windows that cover `frames` without gap or overlap of [first, last): a function of its arguments alone.

    Args:
        frames: frames of the sentence.
        sizes: new frames per window, in order; the last size repeats.
        margin: frames of context the decoder needs on each side.
    """
    windows: list[Window] = []
    done = 0
    while done < frames:
        size = _next_size(frames - done, sizes[: len(windows) + 1], margin)
        length = min(size + 2 * margin, frames)
        start = max(0, min(done - margin, frames - length))
        end = start + length
        last = frames if end == frames else end - margin
        windows.append(Window(start, end, done, last))
        done = last
    return windows


def _next_size(remaining: int, allowed: Sequence[int], margin: int) -> int:
    """The next size in turn, or a smaller one when that already covers what remains."""
    enough = [size for size in allowed if size + margin >= remaining]
    return min(enough) if enough else allowed[-1]
