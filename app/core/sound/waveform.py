"""The last steps on samples: gain, silence, the silent tail, and a limiter that keeps sound below a ceiling, also between samples (ITU-R BS.1770's true peaks).

The limiter's gain goes down before a peak and comes back after it, and no sample is cut off. Devoiced stretches keep their spectral envelope and
loudness course; their periods become noise, as in a whispered vowel.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32, Float64

SILENCE_PEAK = 1e-3  # -60 dBFS: a tail below this level is inaudible
SOFT_CLIP_KNEE = 0.8
KEPT_TAIL_S = 0.05  # a word cut off exactly at its last audible sample sounds clipped


def check_samples(samples: Float32, voice: str) -> None:
    """Raise VoiceError for samples that are not finite: written to a file or played, they are a constant at full scale."""
    if not np.isfinite(samples).all():
        raise VoiceError(
            localize(f"声「{voice}」の計算結果が音になりませんでした。", f"The voice “{voice}” computed no sound."),
            localize(
                "スタイルの強さなどの設定を標準に近づけてください。それでも起こる場合は、声をもう一度追加してください。",
                "Move the settings of the line towards their defaults, the style weight first. If it happens again, add the voice again.",
            ),
        )


def apply_gain(samples: Float32, volume: float) -> Float32:
    """Return samples times `volume`; a volume of 1 copies nothing."""
    return samples if volume == 1.0 else samples * np.float32(volume)


def fade_in(samples: Float32, count: int) -> Float32:
    """Return samples whose first `count` come up from silence."""
    ramp = np.linspace(0, 1, min(count, len(samples)), endpoint=False, dtype=np.float32)
    return np.concatenate((samples[: len(ramp)] * ramp, samples[len(ramp) :]))


def clip_softly(samples: Float32) -> Float32:
    """Bend values beyond SOFT_CLIP_KNEE towards 1; samples without such values are returned uncopied."""
    size = np.abs(samples)
    if not size.max(initial=0) > SOFT_CLIP_KNEE:
        return samples
    bent = SOFT_CLIP_KNEE + (1 - SOFT_CLIP_KNEE) * np.tanh((size - SOFT_CLIP_KNEE) / (1 - SOFT_CLIP_KNEE))
    return np.where(size > SOFT_CLIP_KNEE, np.copysign(bent, samples), samples).astype(np.float32)


def create_silence(length_s: float, sampling_rate: int) -> Float32:
    """Return zeros for `length_s` seconds, float32 (N,)."""
    return np.zeros(round(length_s * sampling_rate), np.float32)


def trim_tail(samples: Float32, sampling_rate: int, keep_from: int = 0) -> Float32:
    """Return a view without the inaudible tail; never shorter than `keep_from` samples."""
    # What is no number is not silent either.
    loud = np.flatnonzero(~(np.abs(samples[keep_from:]) <= SILENCE_PEAK))
    end = keep_from + (int(loud[-1]) + 1 if loud.size else 0) + round(KEPT_TAIL_S * sampling_rate)
    return samples[: min(end, len(samples))]


CEILING = 0.97
LOOK_AHEAD_S, HOLD_S = 0.005, 0.05

REACH = 12  # samples on either side that a value between two samples depends on
_OVERSAMPLING = 4
_KAISER_BETA = 7.0


def find_true_levels(samples: Float32) -> Float32:
    """Return the highest level at each sample and up to the next one, float32 (N,); beyond the ends is silence."""
    levels, count = np.abs(samples), len(samples)
    padded = np.concatenate((np.zeros(REACH - 1, np.float32), samples, np.zeros(REACH, np.float32)))
    between, weighted = np.empty_like(levels), np.empty_like(levels)
    for kernel in _KERNELS:
        # Tap by tap over all samples, which takes a fifth of the time of NumPy's correlation.
        between[:] = 0
        for tap, weight in enumerate(kernel):
            between += np.multiply(padded[tap : tap + count], weight, out=weighted)
        np.maximum(levels, np.abs(between, out=between), out=levels)
    return levels


def _build_kernels() -> Float32:
    """Return what weights the samples around each place between two of them, float32 (places, 2 * REACH)."""
    places = np.arange(1, _OVERSAMPLING) / _OVERSAMPLING
    distances = np.arange(-REACH + 1, REACH + 1) - places[:, None]
    window = np.i0(_KAISER_BETA * np.sqrt(np.maximum(0.0, 1 - np.square(distances / REACH)))) / np.i0(_KAISER_BETA)
    weights = np.sinc(distances) * window
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float32)


_KERNELS = _build_kernels()


class PeakLimiter:
    """Limits one sound, piece by piece; sound that stays below the ceiling passes as it is.

    Loud sound is held back for the look-ahead until the next piece has come.

    Args:
        ceiling: 1 is full scale.
        is_true_peak: levels between the samples count too; then all sound is held back, as what follows may raise them.
    """

    def __init__(self, sampling_rate: int, ceiling: float = CEILING, *, is_true_peak: bool = False) -> None:
        self.least_gain = 1.0  # the least gain so far, 1 where nothing was limited
        self._ceiling, self._is_true_peak = ceiling, is_true_peak
        self._ahead, self._hold = round(LOOK_AHEAD_S * sampling_rate), round(HOLD_S * sampling_rate)
        self._past = np.ones(self._ahead + self._hold, np.float32)
        self._held_samples = np.zeros(0, np.float32)
        self._past_samples = np.zeros(REACH if is_true_peak else 0, np.float32)

    def limit_samples(self, samples: Float32) -> Float32:
        """Return the samples that are ready, of those held back and these, float32 (N,)."""
        pending = np.concatenate((self._held_samples, samples)) if len(self._held_samples) else samples
        if self._is_true_peak:
            return self._emit_samples(pending, len(pending) - self._ahead - 2 * REACH)
        is_loud = np.abs(pending[-self._ahead :]).max(initial=0.0) > self._ceiling / 2
        return self._emit_samples(pending, len(pending) - self._ahead if is_loud else len(pending))

    def flush_samples(self) -> Float32:
        """Return what was held back."""
        return self._emit_samples(self._held_samples, len(self._held_samples))

    def _emit_samples(self, pending: Float32, count: int) -> Float32:
        count = max(0, count)
        self._held_samples = pending[count:]
        allowed = self._find_allowed_gains(pending)
        self._past_samples = np.concatenate((self._past_samples, pending[:count]))[count:]
        allowed_gains = np.concatenate((self._past, allowed))
        self._past = allowed_gains[count : count + len(self._past)]
        if allowed_gains.min(initial=1.0) == 1:
            return pending[:count]
        gains = self._compute_gains(allowed_gains)[:count]
        self.least_gain = min(self.least_gain, float(gains.min(initial=1.0)))
        return np.asarray(pending[:count] * gains, np.float32)

    def _find_allowed_gains(self, pending: Float32) -> Float32:
        """Return the highest gain of each sample at which it stays below the ceiling."""
        if not self._is_true_peak:
            return self._divide_ceiling(np.abs(pending))
        allowed = self._divide_ceiling(find_true_levels(np.concatenate((self._past_samples, pending)))[len(self._past_samples) :])
        # A peak between two samples is made of those around it, so that they need one gain.
        return _find_running_minimum(np.concatenate((allowed, np.ones(REACH, np.float32))), REACH + 1)

    def _divide_ceiling(self, levels: Float32) -> Float32:
        return np.minimum(1, self._ceiling / np.maximum(levels, self._ceiling))

    def _compute_gains(self, allowed_gains: Float32) -> Float32:
        """Return the gain of each sample behind the past ones: the least that any near it allows, averaged over the look-ahead."""
        later = np.concatenate((allowed_gains, np.ones(self._ahead, np.float32)))
        least = _find_running_minimum(later, self._hold + self._ahead + 1)
        sums = np.cumsum(np.concatenate((np.zeros(1), least)))
        width = self._ahead + 1
        means = (sums[width:] - sums[:-width]) / width
        # An average of rounded sums must not allow more than the least that it is made of.
        return np.minimum(means, allowed_gains[len(self._past) :]).astype(np.float32)


def _find_running_minimum(values: Float32, width: int) -> Float32:
    """Return the least of each `width` values in a row, float32 (n - width + 1,)."""
    minimum, covered = values, 1
    while covered < width:
        step = min(covered, width - covered)
        minimum = np.minimum(minimum[: len(minimum) - step], minimum[step:])
        covered += step
    return minimum


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
