"""A sound card within the process: it takes sound at the pace of sound, keeps what it took, and needs no sound server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.portaudio import portaudio_player
from app.adapters.portaudio.audio_devices import AudioDevice

RATE = 48_000
HIGHEST_RATE = 192_000
BLOCK_FRAMES = 480
LONGEST_WAIT_S = 60
DEVICE = AudioDevice(0, "Pretended", "Tests", channels=2, sampling_rate=44_100, is_default=True)


class PretendOutput:
    """Stands for the module `sounddevice` with one device, `DEVICE`, which takes rates up to `HIGHEST_RATE`.

    Attributes:
        streams: all that were opened, the latest one last.
    """

    class PortAudioError(Exception):
        """What `sounddevice` raises."""

    def __init__(self) -> None:
        self.streams: list[PretendStream] = []
        self._taken: list[NDArray[np.float32]] = []
        self._has_taken = threading.Condition()

    def check_output_settings(self, _device: int, _channels: int, _kind: str, *, samplerate: float) -> None:
        """Raise for a rate that the device does not take."""
        if samplerate > HIGHEST_RATE:
            raise self.PortAudioError("Invalid sample rate")

    def OutputStream(self, *, samplerate: float, callback: Callable[..., None], **_options: Any) -> PretendStream:  # noqa: N802
        """Return a stream, which is begun by `start`."""
        self.streams.append(PretendStream(samplerate, callback, self._keep_block))
        return self.streams[-1]

    @contextmanager
    def recording(self) -> Iterator[list[NDArray[np.float32]]]:
        """Record the device; when the block is left the list holds what it took meanwhile, float32 (N, 2)."""
        heard: list[NDArray[np.float32]] = []
        begin = len(self._taken)
        yield heard
        heard.append(np.concatenate(self._taken[begin:]))

    def wait_for_frames(self, frames: float) -> None:
        """Wait until the device has taken so many frames more."""
        with self._has_taken:
            enough = len(self._taken) + frames / BLOCK_FRAMES
            assert self._has_taken.wait_for(lambda: len(self._taken) >= enough, LONGEST_WAIT_S)

    def _keep_block(self, block: NDArray[np.float32]) -> None:
        with self._has_taken:
            self._taken.append(block)
            self._has_taken.notify_all()


class PretendStream:
    """Takes a block from the callback as often as a sound card would.

    Attributes:
        rate: the sampling rate in Hz.
    """

    latency = 0.01

    def __init__(self, rate: float, callback: Callable[..., None], keep_block: Callable[[NDArray[np.float32]], None]) -> None:
        self.rate = rate
        self._callback, self._keep_block = callback, keep_block
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._take_blocks, name="pretended output", daemon=True)

    @property
    def active(self) -> bool:
        """Return whether it takes sound."""
        return self._thread.is_alive() and not self._ended.is_set()

    def start(self) -> None:
        """Take sound from now on."""
        self._thread.start()

    def stop(self, ignore_errors: bool = True) -> None:
        """Take no more."""
        del ignore_errors
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    close = stop

    def _take_blocks(self) -> None:
        while not self._ended.wait(BLOCK_FRAMES / self.rate):
            block = np.empty((BLOCK_FRAMES, 2), np.float32)
            self._callback(block, BLOCK_FRAMES, None, None)
            self._keep_block(block)


@pytest.fixture
def pretend_output(monkeypatch: pytest.MonkeyPatch) -> Iterator[PretendOutput]:
    """The only output that a player of this process finds."""
    output = PretendOutput()
    monkeypatch.setattr(portaudio_player, "load_portaudio", lambda: output)
    monkeypatch.setattr(portaudio_player, "find_output_device", lambda _choice: DEVICE)
    yield output
    for stream in output.streams:
        stream.close()
