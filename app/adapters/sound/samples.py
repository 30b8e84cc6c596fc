"""Recordings that come with voices, decoded to be played. They come from strangers, so their length is bounded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from app.core.types import AudioChunk, Float32
from app.errors import InputError, VoiceError
from app.language import localized

LONGEST_S = 120


def read_sample(file: Path) -> AudioChunk:
    """The whole recording, mixed to mono; a VoiceError when it is no sound that we can play."""
    try:
        mono, rate = _mono(file)
    except (OSError, RuntimeError, ValueError) as exc:
        raise VoiceError(
            localized(f"ボイスサンプルを再生できません: {file.name}", f"This sample cannot be played: {file.name}"),
            localized("ファイルが壊れているか、対応していない形式です。", "The file is damaged or its format is not supported."),
        ) from exc
    return AudioChunk(mono, rate, f"sample {file}", 0, last=True)


def read_recording(file: Path) -> tuple[Float32, int]:
    """Samples, mixed to mono, and rate in Hz of the user's own recording. Raises InputError where it is none, silent, or longer than two minutes."""
    try:
        mono, rate = _mono(file, LONGEST_S + 1)
    except (OSError, RuntimeError, ValueError) as exc:
        raise InputError(
            localized(f"音声ファイルを読み込めません: {file.name}", f"This sound file cannot be read: {file.name}"),
            localized("ファイルが壊れているか、対応していない形式です。", "The file is damaged or its format is not supported."),
        ) from exc
    if not mono.any() or len(mono) > LONGEST_S * rate:
        raise InputError(
            localized(f"この音声ファイルは使えません: {file.name}", f"This sound file cannot be used: {file.name}"),
            localized(
                f"無音ではない、{LONGEST_S} 秒以内の音声を選んでください。",
                f"Choose one of at most {LONGEST_S} seconds that is not silent.",
            ),
        )
    return mono, rate


def _mono(file: Path, longest_s: int = LONGEST_S) -> tuple[Float32, int]:
    with soundfile.SoundFile(file) as sound:
        samples = sound.read(longest_s * sound.samplerate, dtype="float32", always_2d=True)
        return np.clip(np.nan_to_num(samples.mean(axis=1)), -1, 1).astype(np.float32), int(sound.samplerate)
