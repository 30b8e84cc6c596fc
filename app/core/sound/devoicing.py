"""Devoices stretches of sound: their spectral envelope and loudness course stay, their periods become noise, as in a whispered vowel."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from app.core.synthesis_types import Float32, Float64

WINDOW_S, STEPS_PER_WINDOW = 0.02, 4
LIFTER_S = 0.0011  # shorter than the period of any voice (900 Hz), so that the envelope holds none of its harmonics
DEVOICED_GAIN = 0.5  # a vowel without voice is softer; as loud as before, it would be too prominent
EDGE_S = 0.004
_LEAST = 1e-7


def devoice_pieces(pieces: Iterable[Float32], spans: Sequence[tuple[int, int]], rate: int) -> Iterator[Float32]:
    """Yield the same samples with these spans devoiced; a piece waits only until the end of a span that it reaches into.

    Args:
        pieces: of one sound, in order.
        spans: samples [start, end) of the whole sound, in order and apart from each other.
    """
    # What waits never begins behind the next span.
    waiting, at, spans_left = np.zeros(0, np.float32), 0, list(spans)
    for piece in pieces:
        waiting = np.concatenate((waiting, piece)) if len(waiting) else piece
        while spans_left and at + len(waiting) >= spans_left[0][1]:
            start, end = (edge - at for edge in spans_left.pop(0))
            # No empty piece: to some who take the pieces, that is the end.
            yield from (samples for samples in (waiting[:start], devoice_samples(waiting[start:end], rate)) if len(samples))
            waiting, at = waiting[end:], at + end
        ready = min(len(waiting), max(0, spans_left[0][0] - at)) if spans_left else len(waiting)
        if ready:
            yield waiting[:ready]
            waiting, at = waiting[ready:], at + ready
    if len(waiting):
        yield waiting  # of a sound that was cancelled within a span


def devoice_samples(samples: Float32, rate: int) -> Float32:
    """Return a stretch of sound as noise under its own spectral envelope, the same for the same sound; its ends join what is around it."""
    step = round(WINDOW_S * rate) // STEPS_PER_WINDOW
    size = step * STEPS_PER_WINDOW
    if not len(samples):
        return samples
    window = np.hanning(size + 1)[:-1]
    count = -(-len(samples) // step) + STEPS_PER_WINDOW - 1
    padded = np.zeros((count + STEPS_PER_WINDOW - 1) * step)
    padded[size - step : size - step + len(samples)] = samples
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::step] * window
    noise = np.fft.irfft(_compute_envelopes(frames, rate) * np.fft.rfft(np.random.default_rng(0).standard_normal(frames.shape)), size)
    noise *= window * DEVOICED_GAIN * np.sqrt((frames**2).mean(axis=1) / np.maximum((noise**2).mean(axis=1), _LEAST**2))[:, None]
    total = np.zeros_like(padded)
    for number, frame in enumerate(noise):
        total[number * step : number * step + size] += frame
    # What the window has taken from each frame's loudness, and what overlapping frames of noise add to each other.
    noise_samples = total[size - step : size - step + len(samples)] / np.sqrt((window**2).mean() * (window**2).sum() / step)
    devoiced: Float32 = noise_samples.astype(np.float32)
    if length := min(round(EDGE_S * rate), len(samples) // 2):
        rise = np.linspace(0, 1, length, dtype=np.float32)
        devoiced[:length] = samples[:length] * (1 - rise) + devoiced[:length] * rise
        devoiced[-length:] = devoiced[-length:] * rise[::-1] + samples[-length:] * (1 - rise[::-1])
    return devoiced


def _compute_envelopes(frames: Float64, rate: int) -> Float64:
    """Return the spectral envelope of each frame: its cepstrum without what is as long as a period."""
    cepstra = np.fft.irfft(np.log(np.abs(np.fft.rfft(frames)) + _LEAST))
    lifter = max(2, round(LIFTER_S * rate))
    cepstra[:, lifter : cepstra.shape[1] - lifter + 1] = 0
    envelopes: Float64 = np.exp(np.fft.rfft(cepstra).real)
    return envelopes
