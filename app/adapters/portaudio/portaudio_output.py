"""The device a player uses: chosen, opened when needed, replaced by the default one when it goes away."""

from __future__ import annotations

from app.adapters.portaudio.audio_devices import build_device_lost_error, find_output_device, refresh_devices
from app.adapters.portaudio.portaudio_stream import PortAudioStream, find_accepted_rate
from app.adapters.portaudio.sample_ring import SampleRing
from app.common.errors import AudioDeviceError


class PortAudioOutput:
    """At most one open stream. The methods belong to one thread, the properties are for any.

    Args:
        choice: index, name, label or part of a name; None follows the system's default.
        latency_s: what the device is asked to buffer.
        pre_roll_s: silence after the stream opens.
    """

    def __init__(self, choice: str | int | None, latency_s: float, pre_roll_s: float) -> None:
        self._choice = choice
        self._wanted_latency_s = latency_s
        self._pre_roll_s = pre_roll_s
        self._stream: PortAudioStream | None = None
        self._replaced = False

    @property
    def is_open(self) -> bool:
        """Return whether a stream is open."""
        return self._stream is not None

    @property
    def latency_s(self) -> float:
        """Return the time from the callback to the ear, as the device reports it; 0 while none is open."""
        stream = self._stream
        return stream.latency_s if stream else 0.0

    @property
    def device(self) -> str:
        """Return the label of the device in use, empty while none is open."""
        stream = self._stream
        return stream.device.label if stream else ""

    def open_stream(self, rate: int) -> PortAudioStream:
        """Open a stream at this rate if the device takes it; it plays after `start_stream`. Raise AudioDeviceError."""
        try:
            return self._open_device(self._choice, rate)
        except AudioDeviceError:  # perhaps it was plugged in, or its server started, after PortAudio made its list
            refresh_devices()
            return self._open_device(self._choice, rate)

    def start_stream(self, stream: PortAudioStream, ring: SampleRing) -> None:
        """Play the ring, after the pre-roll."""
        ring.add_pre_roll(round(self._pre_roll_s * stream.rate))
        stream.start_playing(ring)
        self._stream = stream

    def begin_request(self) -> None:
        """From here on the device may be replaced once more."""
        self._replaced = False

    def replace_lost_device(self, ring: SampleRing) -> None:
        """Continue with the ring on the default device after the present one is gone, once in a request.

        Raises AudioDeviceError when that is not possible; then nothing is open. To be called every POLL_S while waiting.
        """
        lost = self._stream
        if lost is None or lost.is_alive():
            return
        self._stream = None
        if not lost.close() or self._replaced:
            raise build_device_lost_error(lost.device)
        self._replaced = True
        refresh_devices()
        stream = self._open_device(None, lost.rate)
        # What is queued has the old rate.
        if stream.rate != lost.rate:
            stream.close()
            raise build_device_lost_error(lost.device)
        self.start_stream(stream, ring)

    def close(self) -> None:
        """Close the device after it has played the samples that it holds."""
        if self._stream is not None:
            self._stream.close(play_out=True)
            self._stream = None

    def _open_device(self, choice: str | int | None, rate: int) -> PortAudioStream:
        device = find_output_device(choice)
        return PortAudioStream(device, find_accepted_rate(device, rate), self._wanted_latency_s)
