"""Finds the smallest change of a voice's own melody with which every step between the tones of its morae is right.

A quadratic programme: offsets of the morae, small and smooth, so that falls fall, rises rise, and level stretches stay level. Solved by Hildreth's method
(1957, "A quadratic programming procedure"), which needs no more than a matrix of the morae.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from app.core.sound.tone_levels import MoraTone
from app.core.synthesis_types import Float64

LEAST_FALL, LEAST_LINKED_FALL, LEAST_RISE = 2.8, 1.0, 2.0  # semitones; the second where another phrase begins with the fall
HIGH_BOUNDS, LOW_BOUNDS = (-1.2, 0.8), (-1.5, 0.4)  # semitones from one mora of a level stretch to the next
MOST_STEP = 9.0  # semitones
SMOOTHNESS, PAUSED_SMOOTHNESS = 0.6, 0.06  # weight of how the offsets differ from one to the next, against their own size; across a pause
SWEEPS = 100


def find_least_offsets(levels: Float64, moras: Sequence[MoraTone]) -> Float64:
    """Return how many semitones each mora is moved, float64 (n,).

    Args:
        levels: of the voice's own melody in semitones, float64 (n,); NaN for a mora without voice, which goes with its neighbours.
        moras: their tones.
    """
    known = np.flatnonzero(np.isfinite(levels))
    bounds = _list_bounds(moras)
    if len(known) < 2 or not bounds:
        return np.zeros(len(moras))
    own = np.interp(np.arange(len(moras)), known, levels[known])
    inverse = np.asarray(np.linalg.inv(_build_cost(moras)), np.float64)
    rows, limits = [], []
    for index, low, high in bounds:
        row = np.zeros(len(moras))
        row[index], row[index + 1] = -1, 1
        step = own[index + 1] - own[index]
        rows += [row, -row]
        limits += [high - step, step - low]
    return _compute_least_cost(inverse, np.array(rows), np.array(limits))


def _list_bounds(moras: Sequence[MoraTone]) -> list[tuple[int, float, float]]:
    """Return the steps that are bound: the mora before, and the lowest and highest step to the next one in semitones."""
    bounds = []
    for index, (mora, following) in enumerate(pairwise(moras)):
        if following.begins_group:
            continue
        if mora.is_high and not following.is_high:
            bounds.append((index, -MOST_STEP, -(LEAST_LINKED_FALL if following.begins_phrase else LEAST_FALL)))
        elif following.is_high and not mora.is_high:
            bounds.append((index, LEAST_RISE, MOST_STEP))
        elif not following.begins_phrase:
            bounds.append((index, *(HIGH_BOUNDS if mora.is_high else LOW_BOUNDS)))
    return bounds


def _build_cost(moras: Sequence[MoraTone]) -> Float64:
    """Return the matrix whose quadratic form is the size of offsets and of their steps, float64 (n, n)."""
    cost = np.eye(len(moras))
    for index, following in enumerate(moras[1:]):
        weight = PAUSED_SMOOTHNESS if following.begins_group else SMOOTHNESS
        cost[index : index + 2, index : index + 2] += weight * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return cost


def _compute_least_cost(inverse_cost: Float64, rows: Float64, limits: Float64) -> Float64:
    """Return the x of least cost with rows · x ≤ limits, in SWEEPS steps along each row in turn."""
    gram = rows @ inverse_cost @ rows.T
    prices = np.zeros(len(limits))
    for _ in range(SWEEPS):
        for index in range(len(limits)):
            prices[index] = max(0.0, prices[index] - (limits[index] + gram[index] @ prices) / gram[index, index])
    return np.asarray(-inverse_cost @ rows.T @ prices, np.float64)
