"""Opens the output of sound: a device, or a file."""

from app.adapters.portaudio.portaudio_player import PortAudioPlayer
from app.adapters.sound.sound_file_sink import SoundFileSink


def open_player(device: str | int | None, sampling_rate: int) -> PortAudioPlayer:
    """Open a player on a device, by name or index; raise AudioDeviceError if there is none."""
    player = PortAudioPlayer(device)
    player.open_device(sampling_rate)
    return player


def open_sound_file(
    path: str, sampling_rate: int, subtype: str | None = None, rate: int | None = None, stereo: bool = False
) -> SoundFileSink:
    """Open a sound file for writing; raise OutputFileError if it cannot be written."""
    return SoundFileSink(path, sampling_rate, subtype, 2 if stereo else 1, rate)
