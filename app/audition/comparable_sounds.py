"""Sounds that are compared, ready to be heard side by side."""

from collections.abc import Callable, Sequence

import numpy as np

from app.adapters.resampler import RateConverter
from app.audition.blind_test import ANCHORS_HZ, BlindTestPlan, BlindTrial
from app.core.sound.k_weighting import apply_k_weighting
from app.core.synthesis_types import Float32

# Equal loudness matters in a comparison: of two sounds that differ in level alone, the louder one is mostly preferred. A short line has no
# loudness by BS.1770, which averages over 0.4 s and gates; the energy of what is spoken is defined for any length.

LOUDNESS_FRAME_S = 0.01
SPOKEN_RANGE_DB = 40.0  # below the loudest frame: what is softer is a pause, whose length would say nothing of how loud the voice is
STOPBAND_RATIO = 8 / 7  # nothing is left above 4 kHz of the low anchor, where BS.1534-3 asks for 25 dB less


def measure_spoken_power(samples: Float32, rate: int) -> float:
    """Return the mean K-weighted power of the frames in which somebody speaks; 0 for silence."""
    size = max(1, round(LOUDNESS_FRAME_S * rate))
    weighted = apply_k_weighting(samples, rate)
    frames = np.pad(weighted, (0, -len(weighted) % size)).reshape(-1, size)
    power = np.square(frames).mean(axis=1)
    loudest = power.max(initial=0.0)
    if loudest <= 0:
        return 0.0
    return float(power[power >= loudest / 10 ** (SPOKEN_RANGE_DB / 10)].mean())


def compute_equal_gains(sounds: Sequence[Float32], rates: Sequence[int]) -> tuple[float, ...]:
    """Return factors that make sounds equally loud: as loud as the softest, so that none clips. Silence stays as it is."""
    powers = [measure_spoken_power(samples, rate) for samples, rate in zip(sounds, rates, strict=True)]
    softest = min((power for power in powers if power > 0), default=0.0)
    return tuple((softest / power) ** 0.5 if power > 0 else 1.0 for power in powers)


LoadSound = Callable[[str], tuple[Float32, int]]  # samples and rate of a kept sound, by name; raises AppError

ComparableSounds = tuple[Sequence[Float32], int, Sequence[float]]
"""Sounds at one rate, that rate in Hz, and the factor that makes each of them as loud as the softest."""


def make_comparable(sounds: Sequence[tuple[Float32, int]]) -> ComparableSounds:
    """Return sounds of any rates, in Hz, at the highest of them."""
    rate = max(sound_rate for _, sound_rate in sounds)
    alike = [_resample_to(rate, samples, sound_rate) for samples, sound_rate in sounds]
    return alike, rate, compute_equal_gains(alike, [rate] * len(alike))


def load_trial_sounds(plan: BlindTestPlan, trial: BlindTrial, load: LoadSound) -> ComparableSounds:
    """Return A, B and, if there is one, X or the reference, in a MUSHRA test the reference and then all in their order; all sounds of the
    line are as loud as its softest.
    """
    columns = [load(name) for name in plan.sounds[trial.line]]
    order = [*trial.order, *([] if trial.x is None else [trial.x])]
    if plan.references and not plan.has_x:
        reference, rate = load(plan.references[trial.line])
        order.insert(0 if plan.is_rated else len(order), len(columns))
        columns.append((reference, rate))
        columns += [(filter_low_pass(reference, rate, hertz), rate) for hertz in ANCHORS_HZ] if plan.is_rated else []
    sounds, rate, gains = make_comparable(columns)
    return [sounds[column] for column in order], rate, [gains[column] for column in order]


def filter_low_pass(samples: Float32, rate: int, edge_hz: float) -> Float32:
    """Return the samples without the frequencies above: all up to `edge_hz` pass, none from an eighth above on, without delay."""
    # Or the end would be heard at the beginning.
    padded = 2 * len(samples)
    spectrum = np.fft.rfft(samples, padded)
    hertz = np.fft.rfftfreq(padded, 1 / rate)
    share = np.clip((hertz - edge_hz) / (edge_hz * (STOPBAND_RATIO - 1)), 0, 1)
    return np.asarray(np.fft.irfft(spectrum * np.cos(share * np.pi / 2) ** 2, padded)[: len(samples)], np.float32)


def _resample_to(rate: int, samples: Float32, source_rate: int) -> Float32:
    if source_rate == rate:
        return samples
    converter = RateConverter(rate)
    return np.concatenate((converter.convert_rate(samples, source_rate), converter.flush_filter()))
