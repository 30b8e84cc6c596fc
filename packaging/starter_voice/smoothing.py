"""From what the leaves say of states to the mean of each state in the smooth trajectory that the teachers' parameter generation makes of it.

The trajectory is the likeliest one under means and variances of values, slopes and curvatures (Tokuda et al., ICASSP 2000): a system with five
diagonals for each parameter, solved by conjugate gradients as far as they come in a few rounds. What is left, the student learns.
Then the spread of the mel-cepstra over a line is brought to what the voice wants (its "global variance"). The voice's graph does
the same (`export_smoothing.py`).
"""

from typing import Any

import numpy as np
from moved import moved
from numpy.typing import NDArray

ROUNDS = 12
SLOPE, BEND = 0.5, 2.0  # windows -½ 0 ½ and 1 -2 1
TINY = 1e-12

Table = NDArray[np.floating[Any]]


def _system(means: Table, sharpness: Table, valid: Table) -> tuple[Table, Table, Table, Table]:
    """Diagonal, the two above it, and the right side, each (frames, width)."""
    precision = sharpness * sharpness
    inner = moved(valid, -1) * valid * moved(valid, 1)
    value, slope, bend = precision[:, 0] * valid, precision[:, 1] * inner, precision[:, 2] * inner
    slope_before, slope_after, bend_before, bend_after = moved(slope, -1), moved(slope, 1), moved(bend, -1), moved(bend, 1)
    main = value + SLOPE * SLOPE * (slope_before + slope_after) + BEND * BEND * bend + bend_before + bend_after + (1 - valid)
    next_one, next_two = -BEND * (bend + bend_after), bend_after - SLOPE * SLOPE * slope_after
    sloped, bent = slope * means[:, 1], bend * means[:, 2]
    right = value * means[:, 0] + SLOPE * (moved(sloped, -1) - moved(sloped, 1)) - BEND * bent + moved(bent, -1) + moved(bent, 1)
    return main, next_one, next_two, right


def _times(main: Table, next_one: Table, next_two: Table, x: Table) -> Table:
    return main * x + next_one * moved(x, 1) + moved(next_one * x, -1) + next_two * moved(x, 2) + moved(next_two * x, -2)


def trajectory(means: Table, sharpness: Table, valid: Table) -> Table:
    """From means and inverse deviations (frames, 3, width) of values that exist where `valid` (frames, width) is 1: (frames, width)."""
    main, next_one, next_two, right = _system(means, sharpness, valid)
    x = means[:, 0] * valid
    rest = right - _times(main, next_one, next_two, x)
    way = scaled = rest / main
    size = (rest * scaled).sum(0)
    for _ in range(ROUNDS):
        pushed = _times(main, next_one, next_two, way)
        step = size / ((way * pushed).sum(0) + TINY)
        x, rest = x + step * way, rest - step * pushed
        scaled = rest / main
        before, size = size, (rest * scaled).sum(0)
        way = scaled + size / (before + TINY) * way
    return np.asarray(x, np.float32)


def spread(values: Table, heard: Table, wanted: Table) -> Table:
    """Mel-cepstra (frames, order) whose variance over the frames with `heard` (frames, 1) is `wanted` (order,); as they are where that is 0."""
    count = heard.sum()
    middle = (values * heard).sum(0) / count
    variance = (((values - middle) * heard) ** 2).sum(0) / count
    ratio = np.where(wanted > 0, np.sqrt(wanted / (variance + TINY)), 1)
    return np.asarray(values + heard * (ratio - 1) * (values - middle), np.float32)


def of_states(values: Table, frames: NDArray[np.int64]) -> Table:
    """The mean (states, width) over each state's frames, at least one each."""
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, 0, np.float64)])
    ends = np.cumsum(frames)
    return ((sums[ends] - sums[ends - frames]) / frames[:, None]).astype(np.float32)
