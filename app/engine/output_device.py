"""The audio device that the synthesis thread has open, or will open when it is needed."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from app.adapters.portaudio.sample_ring import PlayPosition
from app.common.errors import AudioDeviceError
from app.common.language import localize
from app.core.sound.ports import AudioSink

DEVICE_RETRY_AFTER_S = 5.0  # a try closes the fallback device and may restart PortAudio, which is too much before every line


class AudioPlayer(AudioSink, Protocol):
    """An audio sink that is heard, such as `app.adapters.portaudio.portaudio_player.PortAudioPlayer`; tests put in one that nobody hears."""

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

    def replace_lost_device(self) -> None:
        """Continue on the default device if the present one is gone; raise AudioDeviceError if that fails, and what waits is lost."""

    def wait_until_played(self, timeout_s: float | None = None, cancelled: Callable[[], bool] = ...) -> bool:
        """Wait until all sound is played; return False if it ended early."""


PlayerOpener = Callable[[str | None, int], AudioPlayer]


def open_portaudio(device: str | None, sampling_rate: int) -> AudioPlayer:
    """Open the machine's own device by label, or the system's for None; raise AudioDeviceError if there is none."""
    from app.compose.audio_outputs import open_player

    return open_player(device, sampling_rate)


class OutputDevice:
    """Belongs to the synthesis thread, but for looking at `player`.

    Args:
        announce: called, in the language of the user, when another device takes over and when the chosen one is back.
    """

    def __init__(self, open_player: PlayerOpener, announce: Callable[[str], object] = lambda _text: None) -> None:
        self.player: AudioPlayer | None = None
        self.device: str | None = None  # label of the chosen one, which another may stand in for while it is away; None follows the system
        self._open_player, self._announce = open_player, announce
        self._label = ""  # of the device that was open when it was last looked at
        self._away = ""  # of the chosen device, while another one stands in for it
        self._tried_at = 0.0

    @property
    def queued_s(self) -> float:
        """Return the seconds of sound that wait."""
        return self.player.queued_s if self.player is not None else 0.0

    def ensure_open(self, rate: int) -> AudioPlayer:
        """Return the open device, opened if need be; the chosen one is opened again as soon as it is back and nothing sounds."""
        self._announce_change()
        if self._away and not self.queued_s and time.monotonic() - self._tried_at > DEVICE_RETRY_AFTER_S:
            self._return_to_chosen(rate)
        if self.player is None:
            self._open_device_or_default(rate)
        assert self.player is not None
        return self.player

    def choose_device(self, device: str | None, rate: int | None) -> None:
        """Use another device from now on, opened at once if the rate is known; if it cannot be opened, the choice stays as it was.

        The old one is closed before: for a device that was plugged in meanwhile PortAudio must restart, which no open stream survives.
        """
        if rate is not None:
            self.close()
            self._open_device(device, rate)
        self.device, self._away = device, ""

    def wait_until_played(self, cancelled: Callable[[], bool]) -> bool:
        """Watch the device while it plays; return False if that ended early."""
        with self._watch_device():
            return self.player is None or self.player.wait_until_played(cancelled=cancelled)

    def replace_lost_device(self) -> bool:
        """Find out without waiting whether the device that plays is gone; return True, or raise AudioDeviceError if no other one takes over."""
        with self._watch_device():
            if self.player is not None:
                self.player.replace_lost_device()
            return True

    def close(self) -> None:
        player, self.player = self.player, None
        if player is not None:
            # Closing alone would first play all that is queued.
            player.abort_output()
            player.close()

    @contextmanager
    def _watch_device(self) -> Iterator[None]:
        """Close a device that fails, and announce one that has taken over."""
        try:
            yield
        except AudioDeviceError:
            self.close()
            raise
        self._announce_change()

    def _open_device(self, device: str | None, rate: int) -> None:
        self.player = self._open_player(device, rate)
        self._label = self.player.device

    def _open_device_or_default(self, rate: int) -> None:
        """Open the chosen device, or the system's own if it is missing, as at a start without the headphones."""
        try:
            self._open_device(self.device, rate)
        except AudioDeviceError as error:
            if self.device is None:
                raise
            try:
                self._open_device(None, rate)
            except AudioDeviceError:
                raise error from None
            self._away, self._tried_at = self.device, time.monotonic()
            self._announce(f"{error.message} " + localize(f"「{self._label}」で再生します。", f"Playing on “{self._label}”."))

    def _announce_change(self) -> None:
        """Announce that the system's own device replaces one that was disconnected."""
        label = self.player.device if self.player is not None else ""
        if not label or label == self._label:
            return
        if self.device is not None:
            self._away = self._away or self._label
            self._tried_at = time.monotonic()
        ja = f"再生デバイス「{self._label}」が切断されたため、「{label}」で再生しています。"
        self._announce(localize(ja, f"“{self._label}” was disconnected; playing on “{label}”."))
        self._label = label

    def _return_to_chosen(self, rate: int) -> None:
        self._tried_at = time.monotonic()
        self.close()
        try:
            self._open_device(self.device, rate)
        except AudioDeviceError:  # not back yet
            self._open_device(None, rate)
            return
        self._away = ""
        self._announce(localize(f"再生デバイスが「{self._label}」に戻りました。", f"Playing on “{self._label}” again."))
