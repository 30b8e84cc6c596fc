"""Plays chunks through one PortAudio stream that stays open between requests.

Opening, writing, finishing and closing belong to one thread; `abort_output` and the properties are for any.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from app.adapters.portaudio.audio_devices import (
    AudioDevice,
    build_device_error,
    build_device_lost_error,
    find_output_device,
    leave_hanging_thread,
    load_portaudio,
    portaudio_thread,
    refresh_devices,
)
from app.adapters.portaudio.sample_ring import PlayPosition, RequestMark, RequestMarks, SampleRing
from app.adapters.resampler import RateConverter
from app.common.errors import AudioDeviceError
from app.core.synthesis_types import AudioChunk, Float32

LEVEL_WINDOW_S = 0.03  # a little more than the window's picture takes, so that no peak falls between two

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
        self._sample_ring: SampleRing | None = None
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
        self._sample_ring = ring
        try:
            portaudio_thread.call_and_wait(self._stream.start)
        except AudioDeviceError:  # no answer: closing would have none either
            self._sample_ring = None
            raise
        except load_portaudio().PortAudioError as exc:
            self.close()
            raise build_device_error(exc, self.device.label) from exc

    def _fill_output(self, out: Float32, _frames: int, _time: Any, _status: Any) -> None:
        ring = self._sample_ring
        # Let go of: a device that wakes up again must not eat another stream's samples.
        if ring is None:
            out.fill(0)
        else:
            ring.fill_output(out)

    def is_alive(self) -> bool:
        """Return False once the device is gone or requests no more samples; to be polled every POLL_S while waiting."""
        blocks = self._sample_ring.blocks if self._sample_ring else 0
        self._stalled_polls = self._stalled_polls + 1 if blocks == self._blocks else 0
        self._blocks = blocks
        try:
            return self._stalled_polls < MAX_STALLED_POLLS and bool(self._stream.active)
        except load_portaudio().PortAudioError:
            return False

    def close(self, play_out: bool = False) -> bool:
        """Close the stream, with `play_out` after the device has played the samples that it holds; return False if it hangs and is left behind."""
        self._sample_ring = None if not play_out else self._sample_ring
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
        self._sample_ring = None


class PortAudioPlayer:
    """An AudioSink that is heard. One per process: looking for a new device stops every other stream.

    Args:
        device: index, name, label or part of a name; None follows the system's default.
        queue_s: how much sound may wait; `write_chunk` waits above it.
        pre_roll_s: silence after the stream opens, for devices that swallow their first moments.
        latency_s: what the device is asked to buffer; short enough to stop at once, long enough for a busy machine.
    """

    def __init__(self, device: str | int | None = None, queue_s: float = 30.0, pre_roll_s: float = 0.1, latency_s: float = 0.1) -> None:
        self._choice, self._wanted_latency_s, self._pre_roll_s = device, latency_s, pre_roll_s
        self._stream: PortAudioStream | None = None
        self._has_replaced_device = False  # in this request
        self._queue_s = queue_s
        self._sample_ring = SampleRing(1, 1)
        self._converter = RateConverter(1)
        self._marks = RequestMarks()
        self._current_mark: RequestMark | None = None
        self._aborts = 0
        self._aborted_id: str | None = None
        # Between the thread that writes and those that abort or look; the callback never takes it.
        self._lock = threading.Lock()

    def open_device(self, sampling_rate: int) -> None:
        """Open the device ahead of the first sound, at this rate if possible, unless one is open; raise AudioDeviceError."""
        if self._stream is not None:
            return
        try:
            stream = self._open_stream(self._choice, sampling_rate)
        except AudioDeviceError:  # perhaps it was plugged in, or its server started, after PortAudio made its list
            refresh_devices()
            stream = self._open_stream(self._choice, sampling_rate)
        with self._lock:
            self._marks.clear_marks()
            self._sample_ring = SampleRing(max(1, round(self._queue_s * stream.rate)), stream.rate)
            self._converter = RateConverter(stream.rate)
        self._start_stream(stream)

    def write_chunk(self, chunk: AudioChunk) -> None:
        """Queue the chunk, waiting while the queue is full; raise AudioDeviceError when the device is gone and the default one cannot take over.

        An abort ends the waiting and drops the rest of that request, until a chunk of another id, its `last` chunk or `finish_request`.
        """
        aborts = self._aborts
        with self._lock:
            is_dropped = self._aborted_id == chunk.request_id
            if not is_dropped or chunk.last:
                self._aborted_id = None
        if is_dropped:
            return
        writing = self._current_mark
        if writing is None or writing.request_id != chunk.request_id:
            self._begin_request(chunk, aborts)
        if chunk.delay_s and not self._sample_ring.pending:
            self._sample_ring.add_silence(round(chunk.delay_s * self._converter.rate))
        samples = self._converter.convert_rate(chunk.samples, chunk.sampling_rate)
        if chunk.last:
            samples = np.concatenate([samples, self._converter.flush_filter()])
        if not self._queue_samples(samples, len(chunk.samples), chunk.last, aborts) and not chunk.last:
            self._aborted_id = chunk.request_id
        elif (chunk.silence or chunk.may_wait) and not chunk.last:
            self._sample_ring.allow_gap()

    def finish_request(self) -> None:
        """End the request being written, without waiting until it is heard; needed if its `last` chunk may be missing."""
        aborts = self._aborts
        last_samples = self._converter.flush_filter()
        if self._current_mark is not None:
            self._queue_samples(last_samples, 0, True, aborts)
        self._aborted_id = None

    def wait_until_played(self, timeout_s: float | None = None, cancelled: Callable[[], bool] = lambda: False) -> bool:
        """End the request and wait until all is heard; return False after the timeout, `cancelled()` or an abort. Raise AudioDeviceError."""
        aborts = self._aborts
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self.finish_request()
        heard_at: float | None = None
        while True:
            if self._sample_ring.pending:
                self.replace_lost_device()
            elif heard_at is None:
                heard_at = time.monotonic() + self.latency_s
            if aborts != self._aborts or cancelled():
                return False
            if heard_at is not None and time.monotonic() >= heard_at:
                return True
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(STREAM_POLL_S)

    def replace_lost_device(self) -> None:
        """Continue on the default device after the present one is gone, once in a request; to be called often while waiting."""
        try:
            lost = self._stream
            if lost is None or lost.is_alive():
                return
            self._stream = None
            if not lost.close() or self._has_replaced_device:
                raise build_device_lost_error(lost.device)
            self._has_replaced_device = True
            refresh_devices()
            stream = self._open_stream(None, lost.rate)
            # What is queued has the old rate.
            if stream.rate != lost.rate:
                stream.close()
                raise build_device_lost_error(lost.device)
            self._start_stream(stream)
        except AudioDeviceError:
            # No callback runs any more: the ring is ours.
            with self._lock:
                self._current_mark = None
                self._marks.clear_marks()
                self._sample_ring.clear_queue()
            raise

    def close(self) -> None:
        """Play the queued sound, then close the device; a later `write_chunk` opens it again."""
        if self._stream is not None:
            self.wait_until_played()
        if self._stream is not None:
            self._stream.close(play_out=True)
            self._stream = None

    def abort_output(self) -> None:
        """Silence the output within one block, after a short fade; the stream stays open for the next request."""
        with self._lock:
            self._aborts += 1
            if self._current_mark is not None:
                self._aborted_id, self._current_mark = self._current_mark.request_id, None
            self._marks.clear_marks()
            self._sample_ring.discard_queue()

    @property
    def position(self) -> PlayPosition | None:
        """Return the position in the request that sounds; the last one stays until another begins, None after an abort."""
        with self._lock:
            return self._marks.compute_position(self._sample_ring.read, self._converter.rate)

    @property
    def played_frames(self) -> int:
        """Return the frames of that request handed to the device, at the voice's rate; pre-roll and gaps do not count."""
        position = self.position
        return position.frames if position else 0

    @property
    def queued_s(self) -> float:
        return self._sample_ring.pending / self._converter.rate

    @property
    def level(self) -> tuple[float, float]:
        """Return peak and effective value of the samples that the device takes next, with 1 for full scale."""
        return self._sample_ring.measure_level(round(LEVEL_WINDOW_S * self._converter.rate))

    @property
    def underruns(self) -> int:
        """Return the number of gaps within requests since the device opened."""
        return self._sample_ring.underruns

    @property
    def underrun_frames(self) -> int:
        """Return the length of those gaps together, in frames of the device."""
        return self._sample_ring.underrun_frames

    @property
    def latency_s(self) -> float:
        """Return the time from `position` to the ear, as the device reports it; 0 while none is open."""
        stream = self._stream
        return stream.latency_s if stream else 0.0

    @property
    def device(self) -> str:
        stream = self._stream
        return stream.device.label if stream else ""

    def _begin_request(self, chunk: AudioChunk, aborts: int) -> None:
        self.finish_request()
        self._has_replaced_device = False
        self.open_device(chunk.sampling_rate)
        with self._lock:
            if aborts == self._aborts:
                start = self._sample_ring.begin_request()
                self._current_mark = self._marks.begin_request(chunk.request_id, chunk.sampling_rate, start, self._sample_ring.read)

    def _queue_samples(self, samples: Float32, frames: int, last: bool, aborts: int) -> bool:
        """Put samples at the device's rate, `frames` at the voice's, into the ring; return False if an abort came in between."""
        counted = False
        while True:
            with self._lock:
                if aborts != self._aborts:
                    return False
                if self._current_mark is not None and not counted:
                    counted = True
                    self._current_mark.frames += frames
                    if last:
                        self._current_mark.end, self._current_mark = self._sample_ring.end_request(len(samples)), None
                samples = samples[self._sample_ring.put_samples(samples) :]
            self.replace_lost_device()
            if not samples.size:
                return True
            time.sleep(STREAM_POLL_S)

    def _open_stream(self, choice: str | int | None, rate: int) -> PortAudioStream:
        """Open a stream at this rate if the device takes it; it plays after `_start_stream`."""
        device = find_output_device(choice)
        return PortAudioStream(device, find_accepted_rate(device, rate), self._wanted_latency_s)

    def _start_stream(self, stream: PortAudioStream) -> None:
        self._sample_ring.add_silence(round(self._pre_roll_s * stream.rate))
        stream.start_playing(self._sample_ring)
        self._stream = stream
