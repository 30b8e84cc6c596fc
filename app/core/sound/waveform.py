"""The last steps on samples: gain, silence, and the silent tail."""

import numpy as np

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32

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
