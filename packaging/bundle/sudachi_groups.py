"""Which classes of words may share their connection costs, and at what cost.

Costs between two classes that texts often use stay as they are. Every other class shares a row with others, and takes the highest
cost of them all. So nothing gets cheaper, and a sentence whose best words are all of classes often used has the same best words as before, at
the same cost: only a sentence with a word of a rare class can come out otherwise.
"""

import numpy as np

RARE_GROUPS = 16


def merged(costs: np.ndarray, often_left: np.ndarray, often_right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A smaller table of costs, and the group of every row and of every column in it.

    Args:
        costs: (rows, columns), int16.
        often_left: (rows,), which rows keep their costs with columns that do.
        often_right: (columns,), which columns do.
    """
    rows, columns = _groups(costs, often_left, often_right), _groups(costs.T, often_right, often_left)
    return _highest(_highest(costs, rows).T, columns).T, rows, columns


def _groups(rows: np.ndarray, often: np.ndarray, beside: np.ndarray) -> np.ndarray:
    """A group for every row: those often used first, where equal rows are one."""
    group = np.zeros(len(rows), np.int64)
    known: dict[bytes, int] = {}
    for index in np.flatnonzero(often):
        group[index] = known.setdefault(rows[index, beside].tobytes(), len(known))
    if not often.all():
        group[~often] = len(known) + _nearest(rows[~often][:, beside].astype(np.int32))
    return group


def _nearest(rows: np.ndarray) -> np.ndarray:
    """The nearest of a few rows that are far from each other, for every row; each is the one farthest from those before it."""
    group = np.zeros(len(rows), np.int64)
    distance = np.abs(rows - rows[0]).sum(axis=1)
    for number in range(1, RARE_GROUPS):
        centre = int(distance.argmax())
        if distance[centre] == 0:
            break
        other = np.abs(rows - rows[centre]).sum(axis=1)
        group[other < distance] = number
        distance = np.minimum(distance, other)
    return group


def _highest(rows: np.ndarray, group: np.ndarray) -> np.ndarray:
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return np.maximum.reduceat(rows[order], starts, axis=0)
