"""Recordings that come with voices, decoded to be played, and those that users choose. They come from strangers, so their size is bounded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from app.adapters.sound.formats import HIGHEST_RATE
from app.core.types import AudioChunk, Float32
from app.errors import InputError, VoiceError
from app.language import localized
from app.small_file import open_regular

LONGEST_S = 120
MOST_CHANNELS = 8  # as cinemas have


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
    except _TooManyChannelsError as exc:
        raise InputError(
            localized(f"この音声ファイルは使えません: {file.name}", f"This sound file cannot be used: {file.name}"),
            localized(
                f"チャンネルが多すぎます（{exc}）。{MOST_CHANNELS} チャンネルまでの音声を選んでください。",
                f"It has {exc} channels. Choose one of at most {MOST_CHANNELS}.",
            ),
        ) from exc
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
    """Raises OSError, also for a pipe, which would be waited for; RuntimeError of libsndfile; ValueError for what is no recording of a voice."""
    with open_regular(file) as opened, soundfile.SoundFile(opened) as sound:
        if sound.channels > MOST_CHANNELS:
            raise _TooManyChannelsError(sound.channels)
        if sound.samplerate > HIGHEST_RATE:
            raise ValueError("rate")
        samples = sound.read(longest_s * sound.samplerate, dtype="float32", always_2d=True)
        return np.clip(np.nan_to_num(samples.mean(axis=1)), -1, 1).astype(np.float32), int(sound.samplerate)


class _TooManyChannelsError(ValueError):
    """Room for all of them would be made before anything is known of the sound."""
