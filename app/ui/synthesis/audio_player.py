"""The audio device as the synthesis thread uses it; tests put one in its place that nobody hears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.adapters.portaudio.play_position import PlayPosition
from app.core.ports import AudioSink


class AudioPlayer(AudioSink, Protocol):
    """An audio sink that is heard; see `app.adapters.portaudio.portaudio_player.PortAudioPlayer`."""

    @property
    def position(self) -> PlayPosition | None:
        """Return which request sounds now and how far it is; None after an abort."""

    @property
    def device(self) -> str:
        """Label of the device in use, empty while none is open."""

    @property
    def queued_s(self) -> float:
        """Seconds of sound that wait."""

    @property
    def level(self) -> tuple[float, float]:
        """Peak and effective value of what sounds now, 1 being full scale."""

    def wait_until_played(self, timeout_s: float | None = None, cancelled: Callable[[], bool] = ...) -> bool:
        """Waits until all is heard; False when it ended early."""


PlayerOpener = Callable[[str | None, int], AudioPlayer]


def open_portaudio(device: str | None, sampling_rate: int) -> AudioPlayer:
    """The machine's own device, by label; None follows the system. AudioDeviceError where there is none."""
    from app.compose.audio_outputs import open_player

    return open_player(device, sampling_rate)
