"""What PortAudio knows of the machine's outputs; sounddevice enters here, when first needed and not at import."""

from __future__ import annotations

import atexit
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

from app.adapters.portaudio.alsa import silence_alsa
from app.adapters.portaudio.thread import portaudio_thread
from app.errors import AudioDeviceError
from app.language import by_frontend, localized

# PortAudio's list of devices must not be read while it is rebuilt.
_list_lock = threading.Lock()
# Threads that wait for a dead device to close its stream.
_hanging: list[threading.Thread] = []


@dataclass(frozen=True, slots=True)
class AudioDevice:
    """An output.

    Attributes:
        index: PortAudio's number, valid until the devices change.
        name: as the system calls it; several hosts may offer the same name.
        host: the system's sound interface (ALSA, Windows WASAPI, …).
        channels: the most it takes.
        sampling_rate: the rate it prefers, in Hz.
        default: the system's choice.
    """

    index: int
    name: str
    host: str
    channels: int
    sampling_rate: int
    default: bool

    @property
    def label(self) -> str:
        """Name and host, enough to find the device again."""
        return f"{self.name} ({self.host})"


@cache
def portaudio() -> Any:
    """The sounddevice module; AudioDeviceError where the PortAudio library is missing, cannot start, or waits for a dead server."""
    try:
        return portaudio_thread.call(_sounddevice)
    except AudioDeviceError:
        raise
    except Exception as exc:  # OSError without the library, sounddevice's own error where the library cannot start
        raise AudioDeviceError(
            localized("音声の再生に使う PortAudio を読み込めません。", "PortAudio, which plays the audio, could not be loaded."),
            localized(
                f"PortAudio をインストールしてください（Debian、Ubuntu では libportaudio2）。{_file_instead()}詳細: {exc}",
                f"Install PortAudio (libportaudio2 on Debian and Ubuntu). {_file_instead()} Details: {exc}",
            ),
        ) from exc


def _sounddevice() -> Any:
    import sounddevice  # which starts PortAudio

    silence_alsa()
    return sounddevice


def rescan() -> None:
    """Reads the machine's devices again, which PortAudio does only when it starts. No stream may be open.

    Does nothing while a stream hangs: PortAudio would wait for it before it restarts.
    """
    sounddevice = portaudio()
    if any(thread.is_alive() for thread in _hanging):
        return

    def start_anew() -> None:
        sounddevice._terminate()
        sounddevice._initialize()

    with _list_lock:
        try:
            portaudio_thread.call(start_anew)
        except sounddevice.PortAudioError as exc:
            raise device_error(exc) from exc


def leave_behind(closing: threading.Thread) -> None:
    """Gives up on a stream whose closing hangs, so that neither a rescan nor the end of the program waits for it."""
    _hanging.append(closing)
    atexit.unregister(portaudio()._exit_handler)


def output_devices() -> list[AudioDevice]:
    """All outputs; an empty list on a machine without any."""
    sounddevice = portaudio()
    with _list_lock:
        try:
            found = sounddevice.query_devices()
            hosts = sounddevice.query_hostapis()
        except sounddevice.PortAudioError as exc:
            raise device_error(exc) from exc
    default = sounddevice.default.device[1]
    return [
        AudioDevice(
            index=index,
            name=device["name"],
            host=hosts[device["hostapi"]]["name"],
            channels=device["max_output_channels"],
            sampling_rate=round(device["default_samplerate"]),
            default=index == default,
        )
        for index, device in enumerate(found)
        if device["max_output_channels"] > 0
    ]


def find_device(choice: str | int | None) -> AudioDevice:
    """The output with this index, name, label or part of a name; None means the system's default.

    Where several fit, the whole name wins over a part, then the default host, then the first.
    """
    devices = output_devices()
    if not devices:
        raise AudioDeviceError(
            localized("再生デバイスが見つかりません。", "No audio output device was found."),
            localized("スピーカーまたはヘッドホンを接続してください。", "Connect speakers or headphones. ") + _file_instead(),
        )
    if choice is None:
        return next((device for device in devices if device.default), devices[0])
    fitting = sorted((device for device in devices if _fit(device, choice) > 0), key=lambda device: -_fit(device, choice))
    if not fitting:
        raise AudioDeviceError(
            localized(f"再生デバイス「{choice}」が見つかりません。", f"The output device “{choice}” was not found."),
            localized("使用できるもの: ", "Available: ") + ", ".join(f"{device.index}: {device.label}" for device in devices),
        )
    default_host = next((device.host for device in devices if device.default), "")
    return max(fitting, key=lambda device: (_fit(device, choice), device.host == default_host))


def _file_instead() -> str:
    """The way out where nothing can be heard."""
    return by_frontend(
        localized("音声ファイルへの書き出しはできます。", "You can still export audio to a file."),
        localized("-o でファイルに書き出すこともできます。", "You can still write a file with -o."),
    )


def _fit(device: AudioDevice, choice: str | int) -> int:
    wanted, name = str(choice).casefold(), device.name.casefold()
    if wanted in (name, device.label.casefold()):
        return 3
    if wanted == str(device.index):
        return 2
    return int(isinstance(choice, str) and bool(wanted) and not wanted.isdecimal() and wanted in name)


def device_error(cause: Exception, device: str = "") -> AudioDeviceError:
    """PortAudio's error as ours."""
    name = localized(f"「{device}」", f" “{device}”") if device else ""
    return AudioDeviceError(
        localized(f"再生デバイス{name}を使用できません。", f"The output device{name} cannot be used."),
        localized(
            f"接続を確認し、ほかのアプリが占有している場合は終了するか、別の再生デバイスを選んでください。（{cause}）",
            f"Check that it is connected and that no other application has exclusive use of it, or choose another device. ({cause})",
        ),
    )


def device_lost(device: AudioDevice) -> AudioDeviceError:
    """The device went away while it played, and none took over."""
    return AudioDeviceError(
        localized(
            f"再生中に再生デバイス「{device.label}」が応答しなくなりました。",
            f"The output device “{device.label}” stopped responding during playback.",
        ),
        localized(
            "接続し直すか、別の再生デバイスを選んで、もう一度再生してください。", "Reconnect it or choose another device, then play again."
        ),
    )
