"""Sounds that are compared, ready to be heard side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.adapters.resampler import RateConverter
from app.audition.blind_test import Plan, Trial
from app.audition.equal_loudness import equal_gains
from app.core.types import Float32

Load = Callable[[str], tuple[Float32, int]]
"""Samples and rate of a kept sound, by name; raises AppError."""

Comparable = tuple[Sequence[Float32], int, Sequence[float]]
"""Sounds at one rate, that rate in Hz, and the factor that makes each of them as loud as the softest."""


def comparable(sounds: Sequence[tuple[Float32, int]]) -> Comparable:
    """Sounds of any rates, in Hz, at the highest of them."""
    rate = max(own for _, own in sounds)
    alike = [_at(rate, samples, own) for samples, own in sounds]
    return alike, rate, equal_gains(alike, [rate] * len(alike))


def sounds_of_trial(plan: Plan, trial: Trial, load: Load) -> Comparable:
    """A, B and, if there is one, X or the reference; all sounds of the line are as loud as its softest."""
    has_own = bool(plan.references) and not plan.has_x
    names = (*plan.sounds[trial.line], *((plan.references[trial.line],) if has_own else ()))
    sounds, rate, gains = comparable([load(name) for name in names])
    third = len(names) - 1 if has_own else trial.x
    heard = [column for column in (trial.a, trial.b, third) if column is not None]
    return [sounds[column] for column in heard], rate, [gains[column] for column in heard]


def _at(rate: int, samples: Float32, own: int) -> Float32:
    if own == rate:
        return samples
    converter = RateConverter(rate)
    return np.concatenate((converter.convert(samples, own), converter.flush()))
