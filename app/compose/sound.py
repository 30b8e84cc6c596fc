"""Where sound goes: to a device, or into a file."""

from __future__ import annotations

from app.adapters.portaudio.player import PortAudioPlayer
from app.adapters.sound.files import SoundFileSink


def open_player(device: str | int | None, sampling_rate: int) -> PortAudioPlayer:
    """A player on an open device, by name or index; AudioDeviceError where there is none."""
    player = PortAudioPlayer(device)
    player.open(sampling_rate)
    return player


def open_file(path: str, sampling_rate: int, subtype: str | None = None, rate: int | None = None, stereo: bool = False) -> SoundFileSink:
    """A sound file; OutputFileError where it cannot be written."""
    return SoundFileSink(path, sampling_rate, subtype, 2 if stereo else 1, rate)
