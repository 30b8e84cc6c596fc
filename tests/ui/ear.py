"""An ear for tests: when something sounds, and how high."""

import numpy as np
from numpy.typing import NDArray

from tests.null_sink import RATE

LOUD = 0.01
GAP_S = 0.008
STEP_S, FRAME_S = 0.005, 0.04
LOWEST_HZ, HIGHEST_HZ = 90.0, 900.0
VOICED = 0.75  # of the height an exact repetition would have

Sound = NDArray[np.float32]


def spoken(recorded: Sound) -> Sound:
    """One channel, from the first to the last loud sample, without the dead gaps that a crowded machine leaves in a recording."""
    loud = np.flatnonzero(np.abs(recorded[:, 0]) > LOUD)
    return without_gaps(recorded[loud[0] : loud[-1] + 1, 0]) if loud.size else recorded[:0, 0]


def without_gaps(sound: Sound) -> Sound:
    """Leaves out stretches of exactly 0: a voice is never that still, but a sound card that gets nothing is."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], sound == 0, [False]]).astype(np.int8))).reshape(-1, 2)
    kept = np.ones(len(sound), dtype=bool)
    for start, end in edges:
        kept[start:end] = end - start < GAP_S * RATE
    return sound[kept]


def sounding_s(recorded: Sound) -> float:
    """Seconds from the first loud sample to the last."""
    return len(spoken(recorded)) / RATE


def pauses_s(recorded: Sound, shortest_s: float) -> list[float]:
    """Lengths of the silences between two sounds, in order."""
    silent = np.diff(np.flatnonzero(np.abs(recorded[:, 0]) > LOUD)) / RATE
    return [float(length) for length in silent[silent > shortest_s]]


def stretches(recorded: Sound, pause_s: float) -> int:
    """How often something sounds, with silences of at least so many seconds in between."""
    return len(pauses_s(recorded, pause_s)) + bool(len(spoken(recorded)))


def pitch_hz(sound: Sound) -> NDArray[np.float64]:
    """Fundamental frequency every STEP_S, by autocorrelation; NaN where nothing repeats."""
    size, step = round(FRAME_S * RATE), round(STEP_S * RATE)
    shortest, longest = round(RATE / HIGHEST_HZ), round(RATE / LOWEST_HZ)
    frames = np.lib.stride_tricks.sliding_window_view(sound.astype(np.float64), size)[::step]
    frames = (frames - frames.mean(axis=1, keepdims=True)) * np.hanning(size)
    spectrum = np.fft.rfft(frames, 2 * size)
    alike = np.fft.irfft(np.abs(spectrum) ** 2)[:, : longest + 1]
    window = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(size), 2 * size)) ** 2)[: longest + 1]
    alike = alike / np.maximum(alike[:, :1], 1e-9) / (window / window[0])
    return np.array([_first_peak(row, shortest) for row in alike])


def _first_peak(row: NDArray[np.float64], shortest: int) -> float:
    """The shortest lag that repeats nearly as well as the best one: multiples of the period do as well."""
    inside = row[shortest:]
    best = float(inside.max())
    if best < VOICED:
        return float("nan")
    peaks = np.flatnonzero((inside[1:-1] >= inside[:-2]) & (inside[1:-1] >= inside[2:]) & (inside[1:-1] > 0.92 * best)) + 1
    return RATE / (shortest + int(peaks[0])) if peaks.size else float("nan")


def cents(higher: float, lower: float) -> float:
    """How much higher one frequency is."""
    return float(1200 * np.log2(higher / lower))
