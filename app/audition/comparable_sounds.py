"""Sounds that are compared, ready to be heard side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.adapters.resampler import RateConverter
from app.audition.blind_test import BlindTestPlan, BlindTrial
from app.audition.equal_loudness import compute_equal_gains
from app.core.synthesis_types import Float32

LoadSound = Callable[[str], tuple[Float32, int]]
"""Samples and rate of a kept sound, by name; raises AppError."""

ComparableSounds = tuple[Sequence[Float32], int, Sequence[float]]
"""Sounds at one rate, that rate in Hz, and the factor that makes each of them as loud as the softest."""


def make_comparable(sounds: Sequence[tuple[Float32, int]]) -> ComparableSounds:
    """Sounds of any rates, in Hz, at the highest of them."""
    rate = max(own for _, own in sounds)
    alike = [_resample_to(rate, samples, own) for samples, own in sounds]
    return alike, rate, compute_equal_gains(alike, [rate] * len(alike))


def load_trial_sounds(plan: BlindTestPlan, trial: BlindTrial, load: LoadSound) -> ComparableSounds:
    """A, B and, if there is one, X or the reference; all sounds of the line are as loud as its softest."""
    has_own = bool(plan.references) and not plan.has_x
    names = (*plan.sounds[trial.line], *((plan.references[trial.line],) if has_own else ()))
    sounds, rate, gains = make_comparable([load(name) for name in names])
    third = len(names) - 1 if has_own else trial.x
    heard = [column for column in (trial.a, trial.b, third) if column is not None]
    return [sounds[column] for column in heard], rate, [gains[column] for column in heard]


def _resample_to(rate: int, samples: Float32, source_rate: int) -> Float32:
    if source_rate == rate:
        return samples
    converter = RateConverter(rate)
    return np.concatenate((converter.convert_rate(samples, source_rate), converter.flush_filter()))
