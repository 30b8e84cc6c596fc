"""PortAudio's knowledge of the machine's outputs, and its thread; sounddevice enters here, when first needed and not at import.

In that thread PortAudio starts, opens and closes: a sound server that has stopped answering holds up this one, not the program.
"""

import atexit
import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from typing import Any, TypeVar

from app.common.errors import AudioDeviceError
from app.common.language import choose_by_frontend, localize

_list_lock = threading.Lock()  # PortAudio's list of devices must not be read while it is rebuilt
_hanging_threads: list[threading.Thread] = []  # threads that wait for a dead device to close its stream

CALL_TIMEOUT_S = 10.0  # a headset that has to be woken takes five

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class AudioDevice:
    """An output."""

    index: int  # PortAudio's number, valid until the devices change
    name: str  # as the system calls it; several hosts may offer the same name
    host: str  # the system's sound interface (ALSA, Windows WASAPI, …)
    channels: int  # the most it takes
    sampling_rate: int  # the rate it prefers, in Hz
    is_default: bool  # the system's choice

    @property
    def label(self) -> str:
        """Return name and host, enough to find the device again."""
        return f"{self.name} ({self.host})"


class PortAudioThread:
    """Runs one call at a time, all in the same thread; the caller waits at most `CALL_TIMEOUT_S`."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._turn = threading.Lock()
        self._thread: threading.Thread | None = None
        self.unanswered: Future[Any] | None = None  # the call that did not end in time; None before there was one

    def call_and_wait(self, action: Callable[[], Answer]) -> Answer:
        """Return what `action` returns or raises; AudioDeviceError when it does not end in time, and until it has ended after all."""
        if threading.current_thread() is self._thread:
            return action()
        if not self._turn.acquire(timeout=CALL_TIMEOUT_S):
            raise _build_timeout_error()
        try:
            if self.unanswered is not None and not self.unanswered.done():
                raise _build_timeout_error()
            return self._call_action(action)
        finally:
            self._turn.release()

    def _call_action(self, action: Callable[[], Answer]) -> Answer:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run_actions, name="portaudio", daemon=True)
            self._thread.start()
        answer: Future[Answer] = Future()
        with _restore_stderr():
            self._calls.put((answer, action))
            try:
                return answer.result(CALL_TIMEOUT_S)
            except BaseException as exc:  # Ctrl+C, too
                if answer.done():
                    raise
                self.unanswered = answer
                # PortAudio's exit function is skipped, so that the end of the program does not wait for PortAudio.
                if (library := sys.modules.get("sounddevice")) is not None:
                    atexit.unregister(getattr(library, "_exit_handler", None))  # type: ignore[arg-type]
                if isinstance(exc, TimeoutError):
                    raise _build_timeout_error() from exc
                raise

    def _run_actions(self) -> None:
        while True:
            answer, action = self._calls.get()
            try:
                answer.set_result(action())
            except BaseException as exc:  # the caller handles it
                answer.set_exception(exc)


@contextmanager
def _restore_stderr() -> Iterator[None]:
    """Restore stderr while PortAudio starts: sounddevice discards it then, and if starting never ends, our messages would be lost."""
    try:
        stderr_copy = os.dup(2)
    except OSError:  # a window has none
        yield
        return
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            os.dup2(stderr_copy, 2, inheritable=sys.platform != "win32")
        raise
    finally:
        os.close(stderr_copy)


def _build_timeout_error() -> AudioDeviceError:
    return AudioDeviceError(
        localize("サウンドシステムが応答しません。", "The sound system is not responding."),
        localize("サウンドサーバーまたはコンピューターを再起動してください。", "Restart the sound server or the computer. ")
        + _suggest_file_output(),
    )


portaudio_thread = PortAudioThread()


@cache
def load_portaudio() -> Any:
    """Return the sounddevice module; raise AudioDeviceError if the PortAudio library is missing, cannot start, or waits for a dead server."""
    try:
        return portaudio_thread.call_and_wait(_import_sounddevice)
    except AudioDeviceError:
        raise
    except Exception as exc:  # OSError without the library, sounddevice's own error where the library cannot start
        raise AudioDeviceError(
            localize("音声の再生に使う PortAudio を読み込めません。", "PortAudio, which plays the audio, could not be loaded."),
            localize(
                f"PortAudio をインストールしてください（Debian、Ubuntu では libportaudio2）。{_suggest_file_output()}詳細: {exc}",
                f"Install PortAudio (libportaudio2 on Debian and Ubuntu). {_suggest_file_output()} Details: {exc}",
            ),
        ) from exc


def _import_sounddevice() -> Any:
    import sounddevice  # which starts PortAudio

    mute_alsa_messages()
    return sounddevice


def refresh_devices() -> None:
    """Read the machine's devices again, which PortAudio does only when it starts. No stream may be open; while one hangs, do nothing."""
    sounddevice = load_portaudio()
    if any(thread.is_alive() for thread in _hanging_threads):
        return

    def restart_portaudio() -> None:
        sounddevice._terminate()
        sounddevice._initialize()

    with _list_lock:
        try:
            portaudio_thread.call_and_wait(restart_portaudio)
        except sounddevice.PortAudioError as exc:
            raise build_device_error(exc) from exc


def leave_hanging_thread(thread: threading.Thread) -> None:
    """Give up on a stream whose closing hangs, so that neither a rescan nor the end of the program waits for it."""
    _hanging_threads.append(thread)
    atexit.unregister(load_portaudio()._exit_handler)


def list_output_devices() -> list[AudioDevice]:
    """Return all outputs; none on a machine without any."""
    sounddevice = load_portaudio()
    with _list_lock:
        try:
            devices = sounddevice.query_devices()
            hosts = sounddevice.query_hostapis()
        except sounddevice.PortAudioError as exc:
            raise build_device_error(exc) from exc
    default = sounddevice.default.device[1]
    return [
        AudioDevice(
            index=index,
            name=device["name"],
            host=hosts[device["hostapi"]]["name"],
            channels=device["max_output_channels"],
            sampling_rate=round(device["default_samplerate"]),
            is_default=index == default,
        )
        for index, device in enumerate(devices)
        if device["max_output_channels"] > 0
    ]


def find_output_device(choice: str | int | None) -> AudioDevice:
    """Return the output with this index, name, label or part of a name; None means the system's default.

    Where several fit, the whole name wins over a part, then the default host, then the first.
    """
    devices = list_output_devices()
    if not devices:
        raise AudioDeviceError(
            localize("再生デバイスが見つかりません。", "No audio output device was found."),
            localize("スピーカーまたはヘッドホンを接続してください。", "Connect speakers or headphones. ") + _suggest_file_output(),
        )
    if choice is None:
        return next((device for device in devices if device.is_default), devices[0])
    fitting = sorted((device for device in devices if _rank_match(device, choice) > 0), key=lambda device: -_rank_match(device, choice))
    if not fitting:
        raise AudioDeviceError(
            localize(f"再生デバイス「{choice}」が見つかりません。", f"The output device “{choice}” was not found."),
            localize("使用できるもの: ", "Available: ") + ", ".join(f"{device.index}: {device.label}" for device in devices),
        )
    default_host = next((device.host for device in devices if device.is_default), "")
    return max(fitting, key=lambda device: (_rank_match(device, choice), device.host == default_host))


def _suggest_file_output() -> str:
    return choose_by_frontend(
        localize("音声ファイルへの書き出しはできます。", "You can still export audio to a file."),
        localize("-o でファイルに書き出すこともできます。", "You can still write a file with -o."),
    )


def _rank_match(device: AudioDevice, choice: str | int) -> int:
    key, name = str(choice).casefold(), device.name.casefold()
    if key in (name, device.label.casefold()):
        return 3
    if key == str(device.index):
        return 2
    return int(isinstance(choice, str) and bool(key) and not key.isdecimal() and key in name)


def build_device_error(cause: Exception, device: str = "") -> AudioDeviceError:
    """Return PortAudio's error as ours."""
    name = localize(f"「{device}」", f" “{device}”") if device else ""
    return AudioDeviceError(
        localize(f"再生デバイス{name}を使用できません。", f"The output device{name} cannot be used."),
        localize(
            f"接続を確認し、ほかのアプリが占有している場合は終了するか、別の再生デバイスを選んでください。（{cause}）",
            f"Check that it is connected and that no other application has exclusive use of it, or choose another device. ({cause})",
        ),
    )


def build_device_lost_error(device: AudioDevice) -> AudioDeviceError:
    """Return the error for a device that disconnected while it played, without a substitute."""
    return AudioDeviceError(
        localize(
            f"再生中に再生デバイス「{device.label}」が応答しなくなりました。",
            f"The output device “{device.label}” stopped responding during playback.",
        ),
        localize(
            "接続し直すか、別の再生デバイスを選んで、もう一度再生してください。", "Reconnect it or choose another device, then play again."
        ),
    )


def mute_alsa_messages() -> None:
    """From now on ALSA prints nothing in this process; does nothing where there is no ALSA."""
    if not sys.platform.startswith("linux"):
        return
    # It writes to stderr, underruns at every start and stop among it, which the stream itself counts. The handler is a function of the C library
    # that ignores its arguments: one in Python would wait for Python's lock in the thread of the sound card.
    #
    # Library: libasound 1.2, `snd_lib_error_set_handler`. Buys: a terminal with our sentences only. Remove when
    # tests/adapters/portaudio/test_alsa.py finds that ALSA is silent by itself.
    try:
        alsa = ctypes.CDLL("libasound.so.2")
        handler = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p)
        alsa.snd_lib_error_set_handler(handler)
    except (OSError, AttributeError):  # no ALSA, or another C library
        return
