"""The audio device as the synthesis thread uses it; tests put one in its place that nobody hears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.adapters.portaudio.sample_ring import PlayPosition
from app.core.sound.ports import AudioSink


class AudioPlayer(AudioSink, Protocol):
    """An audio sink that is heard; see `app.adapters.portaudio.portaudio_player.PortAudioPlayer`."""

    @property
    def position(self) -> PlayPosition | None:
        """Return which request sounds now and how far it is; None after an abort."""

    @property
    def device(self) -> str:
        """Return the label of the device in use, empty while none is open."""

    @property
    def queued_s(self) -> float:
        """Return the seconds of sound that wait."""

    @property
    def level(self) -> tuple[float, float]:
        """Return peak and effective value of the present sound, with 1 for full scale."""

    def wait_until_played(self, timeout_s: float | None = None, cancelled: Callable[[], bool] = ...) -> bool:
        """Wait until all sound is played; return False if it ended early."""


PlayerOpener = Callable[[str | None, int], AudioPlayer]


def open_portaudio(device: str | None, sampling_rate: int) -> AudioPlayer:
    """Open the machine's own device by label, or the system's for None; raise AudioDeviceError if there is none."""
    from app.compose.audio_outputs import open_player

    return open_player(device, sampling_rate)
