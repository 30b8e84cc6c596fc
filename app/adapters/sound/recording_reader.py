"""Recordings that come with voices, decoded to be played, and those that users choose. They come from strangers, so their size is bounded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from app.adapters.sound.sound_formats import HIGHEST_RATE
from app.common.errors import InputError, VoiceError
from app.common.files.bounded_read import open_regular_file
from app.common.language import localize
from app.core.synthesis_types import AudioChunk, Float32

MAX_RECORDING_S = 120
MAX_CHANNELS = 8  # as cinemas have


def read_voice_sample(file: Path) -> AudioChunk:
    """Return the whole recording, mixed to mono; raise VoiceError if it is no sound that we can play."""
    try:
        mono, rate = _read_mono(file)
    except (OSError, RuntimeError, ValueError) as exc:
        raise VoiceError(
            localize(f"ボイスサンプルを再生できません: {file.name}", f"This sample cannot be played: {file.name}"),
            localize("ファイルが壊れているか、対応していない形式です。", "The file is damaged or its format is not supported."),
        ) from exc
    return AudioChunk(mono, rate, f"sample {file}", 0, last=True)


def read_recording(file: Path) -> tuple[Float32, int]:
    """Return samples, mixed to mono, and rate in Hz of the user's own recording; raise InputError if there is none, if it is silent, or longer than two minutes."""
    try:
        mono, rate = _read_mono(file, MAX_RECORDING_S + 1)
    except _TooManyChannelsError as exc:
        raise InputError(
            localize(f"この音声ファイルは使えません: {file.name}", f"This sound file cannot be used: {file.name}"),
            localize(
                f"チャンネルが多すぎます（{exc}）。{MAX_CHANNELS} チャンネルまでの音声を選んでください。",
                f"It has {exc} channels. Choose one of at most {MAX_CHANNELS}.",
            ),
        ) from exc
    except (OSError, RuntimeError, ValueError) as exc:
        raise InputError(
            localize(f"音声ファイルを読み込めません: {file.name}", f"This sound file cannot be read: {file.name}"),
            localize("ファイルが壊れているか、対応していない形式です。", "The file is damaged or its format is not supported."),
        ) from exc
    if not mono.any() or len(mono) > MAX_RECORDING_S * rate:
        raise InputError(
            localize(f"この音声ファイルは使えません: {file.name}", f"This sound file cannot be used: {file.name}"),
            localize(
                f"無音ではない、{MAX_RECORDING_S} 秒以内の音声を選んでください。",
                f"Choose one of at most {MAX_RECORDING_S} seconds that is not silent.",
            ),
        )
    return mono, rate


def _read_mono(file: Path, max_duration_s: int = MAX_RECORDING_S) -> tuple[Float32, int]:
    """Read a recording as mono; raise OSError, also for a pipe, which would be waited for, RuntimeError of libsndfile, or ValueError for anything but a recording of a voice."""
    with open_regular_file(file) as opened, soundfile.SoundFile(opened) as sound:
        if sound.channels > MAX_CHANNELS:
            raise _TooManyChannelsError(sound.channels)
        if sound.samplerate > HIGHEST_RATE:
            raise ValueError("rate")
        samples = sound.read(max_duration_s * sound.samplerate, dtype="float32", always_2d=True)
        return np.clip(np.nan_to_num(samples.mean(axis=1)), -1, 1).astype(np.float32), int(sound.samplerate)


class _TooManyChannelsError(ValueError):
    """Room for all of them would be made before anything is known of the sound."""
