"""Measures pitch and formants in other ways than the program does."""

import numpy as np
import pyworld
from numpy.typing import NDArray

FRAME_S, WINDOW_S = 0.02, 0.03
LOWEST_HZ, HIGHEST_HZ = 70, 900
CLEAR = 0.85  # likeness of a frame to itself one period later
LOUD = 0.02
STEPS = 400  # of the logarithmic axis, from 200 to 5,000 Hz
Array = NDArray[np.float64]


def pitch_of(samples: NDArray[np.float32], rate: int) -> Array:
    """Hz every FRAME_S by normalised autocorrelation, NaN where no period is clear."""
    size, step = round(WINDOW_S * rate), round(FRAME_S * rate)
    if len(samples) < 2 * size:
        return np.zeros(0)
    frames = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float64), 2 * size)[::step]
    head = frames[:, :size]
    transform = 4 * size
    cross = np.fft.irfft(np.fft.rfft(head, transform).conj() * np.fft.rfft(frames, transform), transform)[:, : size + 1]
    energy = np.cumsum(np.pad(frames**2, ((0, 0), (1, 0))), axis=1)
    later = energy[:, size : 2 * size + 1] - energy[:, : size + 1]
    likeness = cross / np.sqrt(later[:, :1] * later + 1e-12)
    least, most = rate // HIGHEST_HZ, min(size - 1, rate // LOWEST_HZ)
    range_ = likeness[:, least : most + 1]
    best = range_.max(axis=1)
    peaks = (range_[:, 1:-1] >= range_[:, :-2]) & (range_[:, 1:-1] > range_[:, 2:]) & (range_[:, 1:-1] >= 0.95 * best[:, None])
    lag = least + 1 + peaks.argmax(axis=1)
    rows = np.arange(len(lag))
    before, top, after = likeness[rows, lag - 1], likeness[rows, lag], likeness[rows, lag + 1]
    bent = before - 2 * top + after
    exact = lag + np.where(bent < 0, 0.5 * (before - after) / np.where(bent < 0, bent, 1), 0)
    clear = (top > CLEAR) & peaks.any(axis=1) & (np.sqrt((head**2).mean(axis=1)) > LOUD)
    return np.where(clear, rate / exact, np.nan)


def semitones_between(before: NDArray[np.float32], after: NDArray[np.float32], rate: int) -> Array:
    """Of every frame whose pitch is clear in both; where a slip of an octave was measured it is left out."""
    moved = 12 * np.log2(pitch_of(after, rate) / pitch_of(before, rate))
    clear: Array = moved[np.isfinite(moved)]
    return clear[np.abs(clear - np.median(clear)) < 5] if len(clear) else clear


def formant_shift(before: NDArray[np.float32], after: NDArray[np.float32], rate: int) -> float:
    """By which factor the envelopes of voiced frames have moved along the frequencies: 1 where formants were kept."""
    (one, voiced), (two, also) = _envelopes(before, rate), _envelopes(after, rate)
    count = min(len(one), len(two))
    both = voiced[:count] & also[:count]
    first, second = one[:count][both], two[:count][both]
    reach = STEPS // 8
    scores = [_likeness(first, second, shift) for shift in range(-reach, reach + 1)]
    return float(25 ** ((int(np.argmax(scores)) - reach) / STEPS))


def _envelopes(samples: NDArray[np.float32], rate: int) -> tuple[Array, NDArray[np.bool_]]:
    sound = samples.astype(np.float64)
    rough, times = pyworld.dio(sound, rate)
    f0 = pyworld.stonemask(sound, rough, times, rate)
    spectrum = 10 * np.log10(pyworld.cheaptrick(sound, f0, times, rate) + 1e-12)
    hz = 200 * 25 ** (np.arange(STEPS) / STEPS)
    places = hz / (rate / 2) * (spectrum.shape[1] - 1)
    whole = places.astype(int)
    part = places - whole
    return spectrum[:, whole] * (1 - part) + spectrum[:, whole + 1] * part, (f0 > 0) & (spectrum.max(axis=1) > -40)


def _likeness(first: Array, second: Array, shift: int) -> float:
    one = first[:, max(0, -shift) : STEPS - max(0, shift)]
    two = second[:, max(0, shift) : STEPS + min(0, shift)]
    one, two = one - one.mean(axis=1, keepdims=True), two - two.mean(axis=1, keepdims=True)
    return float(((one * two).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (two**2).sum(axis=1))).mean())
