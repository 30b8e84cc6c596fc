"""Recordings of users and of voices: what can be played, and what is refused before room is made for it."""

import os
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.adapters.sound.sound_codec import read_recording, read_voice_sample
from app.common.errors import InputError, VoiceError
from app.common.language import set_language


def wave(channels: int, rate: int, seconds: float) -> bytes:
    """Of 8 bits, which go up and down."""
    data = bytes([0, 255]) * int(channels * rate * seconds / 2)
    form = struct.pack("<HHIIHH", 1, channels, rate, channels * rate, channels, 8)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(data))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg", ".opus", ".mp3"])
def test_recordings_of_every_format(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"a{suffix}"
    tone = np.sin(np.arange(48_000) / 20)[:, None] * np.array([0.5, 0.3])
    soundfile.write(file, tone, 48_000, format="OGG" if suffix == ".opus" else None, subtype="OPUS" if suffix == ".opus" else None)
    mono, rate = read_recording(file)
    assert rate == 48_000
    assert abs(len(mono) - 48_000) < 5_000
    assert 0.3 < np.abs(mono).max() < 0.8


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (wave(1_000, 44_100, 1), "It has 1000 channels. Choose one of at most 8."),
        (wave(1, 44_100, 122), "at most 120 seconds"),
        (wave(1, 1_000_000, 1), "The file is damaged"),
        (b"RIFF", "The file is damaged"),
    ],
)
def test_what_is_no_recording(tmp_path: Path, content: bytes, told: str) -> None:
    set_language("en")
    (tmp_path / "a.wav").write_bytes(content)
    began = time.process_time()
    with pytest.raises(InputError) as caught:
        read_recording(tmp_path / "a.wav")
    assert told in caught.value.hint
    assert time.process_time() - began < 1
    if "seconds" not in told:
        with pytest.raises(VoiceError):
            read_voice_sample(tmp_path / "a.wav")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("pipes of Unix")
    os.mkfifo(tmp_path / "a.wav")
    with pytest.raises(InputError):
        read_recording(tmp_path / "a.wav")
    with pytest.raises(VoiceError):
        read_voice_sample(tmp_path / "a.wav")
