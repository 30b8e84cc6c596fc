"""One open PortAudio stream that plays a ring, and what it takes to let go of one that died."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any

from app.adapters.portaudio.audio_devices import AudioDevice, build_device_error, leave_hanging_thread, load_portaudio, portaudio_thread
from app.adapters.portaudio.sample_ring import SampleRing
from app.common.errors import AudioDeviceError
from app.core.synthesis_types import Float32

STREAM_POLL_S = 0.005
MAX_STALLED_POLLS = 600  # 3 s; counted in polls because a long hold of the GIL stops the callback and the polls alike
CLOSE_TIMEOUT_S = 2.0
# On ALSA, stopping drops what the device still holds (PortAudio's AlsaStop never drains), and a sound server on a busy machine is late: the
# last 10 ms of a sentence were lost in one of some forty tries.
CALLBACK_LATE_S = 0.2


def find_accepted_rate(device: AudioDevice, rate: int) -> int:
    """Return `rate` if the device takes it, else the rate that the device prefers."""
    sounddevice = load_portaudio()
    check = partial(sounddevice.check_output_settings, device.index, min(2, device.channels), "float32", samplerate=rate)
    try:
        portaudio_thread.call_and_wait(check)
    except sounddevice.PortAudioError:
        return device.sampling_rate
    return rate


class PortAudioStream:
    """A running stream. All methods but the callback belong to the thread that writes."""

    def __init__(self, device: AudioDevice, rate: int, latency_s: float) -> None:
        self.device = device
        self.rate = rate  # its sampling rate in Hz
        self._ring: SampleRing | None = None
        self._stalled_polls = 0
        self._blocks = 0
        sounddevice = load_portaudio()
        try:
            self._stream: Any = portaudio_thread.call_and_wait(
                lambda: sounddevice.OutputStream(
                    samplerate=rate,
                    device=device.index,
                    channels=min(2, device.channels),
                    dtype="float32",
                    latency=latency_s,
                    callback=self._fill_output,
                )
            )
        except sounddevice.PortAudioError as exc:
            raise build_device_error(exc, device.label) from exc
        self.latency_s = float(self._stream.latency)  # time from the callback to the ear, as PortAudio reports it

    def start_playing(self, ring: SampleRing) -> None:
        """Play `ring` from now on."""
        self._ring = ring
        try:
            portaudio_thread.call_and_wait(self._stream.start)
        except AudioDeviceError:  # no answer: closing would have none either
            self._ring = None
            raise
        except load_portaudio().PortAudioError as exc:
            self.close()
            raise build_device_error(exc, self.device.label) from exc

    def _fill_output(self, out: Float32, _frames: int, _time: Any, _status: Any) -> None:
        ring = self._ring
        # Let go of: a device that wakes up again must not eat another stream's samples.
        if ring is None:
            out.fill(0)
        else:
            ring.fill_output(out)

    def is_alive(self) -> bool:
        """Return False once the device is gone or requests no more samples; to be polled every POLL_S while waiting."""
        blocks = self._ring.blocks if self._ring else 0
        self._stalled_polls = self._stalled_polls + 1 if blocks == self._blocks else 0
        self._blocks = blocks
        try:
            return self._stalled_polls < MAX_STALLED_POLLS and bool(self._stream.active)
        except load_portaudio().PortAudioError:
            return False

    def close(self, play_out: bool = False) -> bool:
        """Close the stream, with `play_out` after the device has played the samples that it holds; return False if it hangs and is left behind."""
        self._ring = None if not play_out else self._ring
        if self._stalled_polls < MAX_STALLED_POLLS:
            with suppress(AudioDeviceError):
                portaudio_thread.call_and_wait(partial(self._close_device, play_out))
                return True
            return False
        # Closing waits for a device that no longer answers, perhaps for ever.
        closing = threading.Thread(target=self._close_device, args=(False,), name="audio-close", daemon=True)
        closing.start()
        closing.join(CLOSE_TIMEOUT_S)
        if closing.is_alive():
            leave_hanging_thread(closing)
        return not closing.is_alive()

    def _close_device(self, play_out: bool) -> None:
        # Neither raises for a device that is gone: there is nothing left to lose.
        if play_out:
            time.sleep(CALLBACK_LATE_S)
            self._stream.stop(ignore_errors=True)
        self._stream.close(ignore_errors=True)
        self._ring = None
