"""PortAudio's knowledge of the machine's outputs; sounddevice enters here, when first needed and not at import."""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.adapters.portaudio.portaudio_worker import portaudio_thread
from app.common.errors import AudioDeviceError
from app.common.language import choose_by_frontend, localize

# PortAudio's list of devices must not be read while it is rebuilt.
_list_lock = threading.Lock()
# Threads that wait for a dead device to close its stream.
_hanging_threads: list[threading.Thread] = []


@dataclass(frozen=True, slots=True)
class AudioDevice:
    """An output.

    Attributes:
        index: PortAudio's number, valid until the devices change.
        name: as the system calls it; several hosts may offer the same name.
        host: the system's sound interface (ALSA, Windows WASAPI, …).
        channels: the most it takes.
        sampling_rate: the rate it prefers, in Hz.
        is_default: the system's choice.
    """

    index: int
    name: str
    host: str
    channels: int
    sampling_rate: int
    is_default: bool

    @property
    def label(self) -> str:
        """Return name and host, enough to find the device again."""
        return f"{self.name} ({self.host})"


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
    """Read the machine's devices again, which PortAudio does only when it starts. No stream may be open.

    Does nothing while a stream hangs: PortAudio would wait for it before it restarts.
    """
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
            found = sounddevice.query_devices()
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
        for index, device in enumerate(found)
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
    """Return the hint to write a file if no sound can be played."""
    return choose_by_frontend(
        localize("音声ファイルへの書き出しはできます。", "You can still export audio to a file."),
        localize("-o でファイルに書き出すこともできます。", "You can still write a file with -o."),
    )


def _rank_match(device: AudioDevice, choice: str | int) -> int:
    wanted, name = str(choice).casefold(), device.name.casefold()
    if wanted in (name, device.label.casefold()):
        return 3
    if wanted == str(device.index):
        return 2
    return int(isinstance(choice, str) and bool(wanted) and not wanted.isdecimal() and wanted in name)


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
