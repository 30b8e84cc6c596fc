"""Recordings that come with voices, decoded to be played. They come from strangers, so their length is bounded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from app.core.types import AudioChunk
from app.errors import VoiceError
from app.language import localized

LONGEST_S = 120


def read_sample(file: Path) -> AudioChunk:
    """The whole recording, mixed to mono; a VoiceError when it is no sound that we can play."""
    try:
        with soundfile.SoundFile(file) as sound:
            samples = sound.read(LONGEST_S * sound.samplerate, dtype="float32", always_2d=True)
            rate = int(sound.samplerate)
    except (OSError, RuntimeError, ValueError) as exc:
        raise VoiceError(
            localized(f"ボイスサンプルを再生できません: {file.name}", f"This sample cannot be played: {file.name}"),
            localized("ファイルが壊れているか、対応していない形式です。", "The file is damaged or its format is not supported."),
        ) from exc
    mono = np.clip(np.nan_to_num(samples.mean(axis=1)), -1, 1).astype(np.float32)
    return AudioChunk(mono, rate, f"sample {file}", 0, last=True)
