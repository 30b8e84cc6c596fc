"""Sounds for other programs: encoded as they ask for it, and WAVs that they send."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Protocol

import numpy as np
import soundfile

from app.adapters.sound.sound_formats import choose_encoding
from app.common.errors import OutputFileError
from app.common.language import localize
from app.core.synthesis_types import Float32

_CODEC_BLOCK_FRAMES = 8192


class SoundFileObject(Protocol):
    """A file object, as libsndfile wants it."""

    def write(self, data: bytes) -> int:
        """Write data; keep an error for `raise_write_error`, since libsndfile would swallow it."""

    def read(self, count: int = -1) -> bytes:
        """Read data."""

    def seek(self, offset: int, whence: int = 0) -> int:
        """Seek to a position."""

    def tell(self) -> int:
        """Return where it stands."""

    def raise_write_error(self) -> None:
        """Raise OutputFileError if a write failed."""


def encode_sound(file: SoundFileObject, pieces: Iterable[Float32], rate: int, suffix: str, channels: int = 1) -> None:
    """Write a whole file of a format of `FORMATS`, piece by piece; `rate` is one that the format has.

    Raises as `choose_encoding`, and OutputFileError; rather what `file.check` raises of a write that failed.
    """
    form = choose_encoding(f"sound{suffix}", rate, None, channels, rate)
    try:
        with soundfile.SoundFile(file, "w", rate, channels, form.subtype, format=form.container) as sound:
            for piece in pieces:
                for start in range(0, len(piece), _CODEC_BLOCK_FRAMES):
                    block = np.clip(piece[start : start + _CODEC_BLOCK_FRAMES], -1, 1)
                    sound.write(np.repeat(block[:, None], channels, axis=1))
    except (soundfile.SoundFileError, AssertionError) as exc:
        file.raise_write_error()
        raise OutputFileError(localize("音声を変換できません。", "The sound could not be encoded.")) from exc
    file.raise_write_error()


def decode_wave(content: bytes, max_samples: int) -> tuple[Float32, int]:
    """Return samples (N, channels) and rate of a stranger's WAV; raise ValueError for anything else, and for more than `max_samples` samples."""
    try:
        with soundfile.SoundFile(io.BytesIO(content)) as sound:
            if sound.format not in ("WAV", "WAVEX") or not 0 < sound.frames * sound.channels <= max_samples:
                raise ValueError("no WAV")
            rate = int(sound.samplerate)
            # A header's claim that the file cannot hold.
            if sound.frames * sound.channels > 8 * len(content):
                raise ValueError("no WAV")
            return np.nan_to_num(sound.read(dtype="float32", always_2d=True), copy=False), rate
    except RuntimeError as exc:  # of libsndfile
        raise ValueError("no WAV") from exc
