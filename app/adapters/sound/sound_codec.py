"""Sounds as bytes: encoded as other programs ask for it, WAVs that they send, recordings, and takes as they are kept: FLAC in 16 bits.

What is read may be a stranger's, so it is bounded before room is made.
"""

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from app.adapters.files.part_file import CheckedFile
from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE, choose_encoding
from app.common.errors import InputError, OutputFileError, VoiceError
from app.common.files.whole_files import open_regular_file
from app.common.language import localize
from app.core.synthesis_types import AudioChunk, Float32

_CODEC_BLOCK_FRAMES = 8192

Int16 = NDArray[np.int16]
MAX_TAKE_SAMPLES = 48_000 * 600  # ten minutes, 58 MB: silence takes next to nothing in a file, however long
INT16_FULL_SCALE = 1 << 15

MAX_RECORDING_S = 120
MAX_CHANNELS = 8  # as cinemas have


def encode_sound(file: CheckedFile, pieces: Iterable[Float32], rate: int, suffix: str, channels: int = 1) -> None:
    """Write a whole file of a format of `SOUND_FORMATS` at a rate that it has, piece by piece; raise as `choose_encoding`, and OutputFileError."""
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
        japanese = f"チャンネルが多すぎます（{exc}）。{MAX_CHANNELS} チャンネルまでの音声を選んでください。"
        hint = localize(japanese, f"It has {exc} channels. Choose one of at most {MAX_CHANNELS}.")
        raise _build_unfit_error(file, hint) from exc
    except (OSError, RuntimeError, ValueError) as exc:
        raise InputError(
            localize(f"音声ファイルを読み込めません: {file.name}", f"This sound file cannot be read: {file.name}"),
            localize("ファイルが壊れているか、対応していない形式です。", "The file is damaged or its format is not supported."),
        ) from exc
    if not mono.any() or len(mono) > MAX_RECORDING_S * rate:
        english = f"Choose one of at most {MAX_RECORDING_S} seconds that is not silent."
        raise _build_unfit_error(file, localize(f"無音ではない、{MAX_RECORDING_S} 秒以内の音声を選んでください。", english))
    return mono, rate


def _build_unfit_error(file: Path, hint: str) -> InputError:
    return InputError(localize(f"この音声ファイルは使えません: {file.name}", f"This sound file cannot be used: {file.name}"), hint)


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
