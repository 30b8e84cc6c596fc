"""Neighbours along the first axis, of labels and of frames; `Graph.moved` is the same in a graph."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Values = TypeVar("Values", bound=np.generic)


def moved(values: NDArray[Values], by: int) -> NDArray[Values]:
    """The values `by` places further on, or back; 0 beyond the ends."""
    found = np.zeros_like(values)
    found[max(-by, 0) : len(values) - max(by, 0)] = values[max(by, 0) : len(values) - max(-by, 0)]
    return found
