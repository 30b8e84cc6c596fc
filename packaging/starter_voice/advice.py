"""What the teachers' trees say of a line: state durations, and for every state the mean of its smooth trajectory and what is known of its pitch.

The voice's graph does the same (`export_advice.py`).
"""

import numpy as np
from cast import CAST
from contexts import END_IDS, SILENT_IDS, labels_of
from forest import KINDS, ORDER, VOICED, Forest
from hts import STATES
from numpy.typing import NDArray
from smoothing import of_states, spread, trajectory
from symbols import ID
from teacher import LONGEST_FRAMES

LONG_IDS = tuple(symbol for symbol in END_IDS if symbol != ID["q"])  # sounds that may be long
SMOOTH = ORDER + 1  # mel-cepstra and log F0
VALUES = SMOOTH + 2 * KINDS + 1  # and the leaf of log F0 as it is

Table = NDArray[np.float32]


def advise(forest: Forest, ids: NDArray[np.int64], codes: NDArray[np.int64], role: int) -> tuple[Table, Table]:
    """From symbols (n,) and codes (labels, FIELDS): state durations (n, 5) in frames of 5 ms, 0 in silences; values (n, 5, VALUES)."""
    first, label = labels_of(ids)
    spoken, leaves = ~np.isin(ids, SILENT_IDS)[first], forest.leaves(codes, role)
    frames = _frames(forest, leaves, role)
    longest = np.where(np.isin(ids, LONG_IDS)[first], LONGEST_FRAMES[True], LONGEST_FRAMES[False])
    lengths = frames * spoken[:, None] * np.minimum(longest / frames.sum(1), 1)[:, None]
    return lengths[label].astype(np.float32), _values(forest, leaves, frames, spoken, role)[label]


def _frames(forest: Forest, leaves: NDArray[np.int64], role: int) -> NDArray[np.int64]:
    """State durations (labels, 5) of the teacher, in frames of 5 ms, at the role's speed."""
    means, variances = np.split(forest.durations[leaves[:, 0]], 2, 1)
    haste = means.sum() * (1 / CAST[role].speed - 1) / variances.sum()
    return np.maximum(np.round(means + haste * variances), 1).astype(np.int64)


def _values(forest: Forest, leaves: NDArray[np.int64], frames: NDArray[np.int64], spoken: NDArray[np.bool_], role: int) -> Table:
    spectra = forest.spectra[leaves[:, 1 : 1 + STATES]].reshape(-1, 2, KINDS, ORDER)
    pitches = forest.pitches[leaves[:, 1 + STATES :]].reshape(-1, 2 * KINDS + 1)
    known = pitches[:, :-1].reshape(-1, 2, KINDS, 1)
    each = np.repeat(np.arange(frames.size), frames.reshape(-1))
    both = np.concatenate([spectra, known], -1)[each]
    valid = np.ones((len(each), SMOOTH), np.float32)
    valid[:, -1] = pitches[each, -1] > VOICED
    smooth = trajectory(both[:, 0], both[:, 1], valid)
    heard = np.repeat(spoken, STATES)[each, None].astype(np.float32)
    smooth[:, :ORDER] = spread(smooth[:, :ORDER], heard, forest.spreads[role])
    pitches[:, KINDS:-1] = np.log(pitches[:, KINDS:-1])
    values = np.concatenate([of_states(smooth, frames.reshape(-1)), pitches], 1)
    return ((values - CENTRE) / SCALE).reshape(*frames.shape, VALUES)


# What makes the values about as large as each other; those of the mel-cepstra and of log F0 have deviations like these in all voices.
CENTRE = np.array([5.0, 1.5, *[0.0] * (SMOOTH - 2), *[0.0] * KINDS, 2.5, 4.5, 4.5, 0.5], np.float32)
SCALE = np.array([2.5, 1.0, 0.5, *[0.3] * 7, *[0.15] * (ORDER - 10), 0.2, *[0.2, 0.02, 0.02], 1.0, 1.0, 1.0, 0.5], np.float32)
