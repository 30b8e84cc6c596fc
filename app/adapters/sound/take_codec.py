"""Sounds as they are kept: FLAC in 16 bits, half the size of WAV. What is read back may be a stranger's, so it is bounded before room is made."""

from __future__ import annotations

import io

import numpy as np
import soundfile
from numpy.typing import NDArray

from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE
from app.core.synthesis_types import Float32

Int16 = NDArray[np.int16]
# Ten minutes, 58 MB: silence takes next to nothing in a file, however long.
MAX_TAKE_SAMPLES = 48_000 * 600
INT16_FULL_SCALE = 1 << 15


def convert_to_int16(samples: Float32) -> Int16:
    """Return samples as they are kept; values outside [-1, 1] are clipped."""
    return np.asarray(np.clip(np.round(samples * np.float32(INT16_FULL_SCALE)), -INT16_FULL_SCALE, INT16_FULL_SCALE - 1), np.int16)


def convert_to_float(samples: Int16) -> Float32:
    """Return samples as they are played."""
    return np.asarray(samples.astype(np.float32) / np.float32(INT16_FULL_SCALE))


def encode_take(samples: Int16, rate: int) -> bytes:
    """Return a whole file; raise ValueError for more than ten minutes, or a rate that no voice has."""
    if len(samples) > MAX_TAKE_SAMPLES or not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise ValueError(f"{len(samples)} samples at {rate} Hz")
    file = io.BytesIO()
    soundfile.write(file, samples, rate, "PCM_16", format="FLAC")
    return file.getvalue()


def decode_take(content: bytes) -> tuple[Int16, int]:
    """Return samples and rate of a file by `encode_take`; raise ValueError for any other content."""
    try:
        with soundfile.SoundFile(io.BytesIO(content)) as sound:
            rate = int(sound.samplerate)
            right = (sound.format, sound.subtype, sound.channels) == ("FLAC", "PCM_16", 1)
            if not right or not 0 < sound.frames <= MAX_TAKE_SAMPLES or not LOWEST_RATE <= rate <= HIGHEST_RATE:
                raise ValueError("no kept sound")
            samples = sound.read(sound.frames, dtype="int16")
    except RuntimeError as exc:  # of libsndfile
        raise ValueError("no sound") from exc
    return np.asarray(samples, np.int16), rate
