"""The audio device that the synthesis thread has open, or will open when it is needed."""

from __future__ import annotations

from collections.abc import Callable

from app.errors import AudioDeviceError
from app.ui.player import OpenPlayer, Player


class HeldPlayer:
    """Belongs to the synthesis thread, but for looking at `player`.

    Attributes:
        player: the open device, if any.
        device: its label; None follows the system.
    """

    def __init__(self, open_player: OpenPlayer) -> None:
        self.player: Player | None = None
        self.device: str | None = None
        self._open_player = open_player

    @property
    def queued_s(self) -> float:
        """Seconds of sound that wait."""
        return self.player.queued_s if self.player is not None else 0.0

    def needed(self, rate: int) -> Player:
        """The open device, which is opened first where there is none."""
        if self.player is None:
            self.player = self._open_player(self.device, rate)
        return self.player

    def choose(self, device: str | None, rate: int | None) -> None:
        """Another device from now on, opened at once where the rate is known; one that cannot be opened leaves the choice as it was.

        The old one is closed before: for a device that was plugged in meanwhile PortAudio must start anew, which no open stream survives.
        """
        if rate is not None:
            self.close()
            self.player = self._open_player(device, rate)
        self.device = device

    def drain(self, cancelled: Callable[[], bool]) -> bool:
        """Watches the device while it plays; False when that ended early."""
        try:
            return self.player is None or self.player.drain(cancelled=cancelled)
        except AudioDeviceError:
            self.close()
            raise

    def close(self) -> None:
        """Silence, and the device is let go."""
        player, self.player = self.player, None
        if player is not None:
            player.abort()
            player.close()
