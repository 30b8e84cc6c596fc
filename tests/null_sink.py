"""A PulseAudio server of the test's own, with silent sinks that can be recorded, unplugged, frozen and killed.

It lives in a temporary folder and is reached through a private ALSA configuration: nothing of the user's sound is touched.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

RATE = 48_000
PATIENCE_S = 60  # only what fails takes so long
_ALSA = "pcm.!default { type pulse }\nctl.!default { type pulse }\n"


class NullSink:
    """The server, with one sink called `first`; RATE Hz, stereo, float32. What it plays nobody hears."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "asound.conf").write_text(_ALSA, encoding="ascii")
        self.environment = {
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_SERVER": f"unix:{folder}/native",
            "PULSE_COOKIE": f"{folder}/cookie",
            "ALSA_CONFIG_PATH": str(folder / "asound.conf"),
        }
        self._server: subprocess.Popen[bytes] | None = None
        self._modules: dict[str, str] = {}

    def start(self) -> None:
        """Starts the server and the first sink; skips the test where it does not come up."""
        command = ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=yes"]
        native = f"module-native-protocol-unix socket={self._folder}/native auth-anonymous=1"
        log = (self._folder / "log").open("wb")
        with log:
            self._server = subprocess.Popen([*command, "-L", native], env=self._full(), stdout=log, stderr=log)
        for _ in range(100):
            if self._pactl("info", check=False) is not None:
                break
            time.sleep(0.05)
        else:
            self.kill()
            pytest.skip(f"pulseaudio does not start: {(self._folder / 'log').read_text(errors='replace')[-300:]}")
        self.plug("first")

    def plug(self, name: str) -> None:
        """Adds a sink. Without `norewinds=1` playing stalls for more than a second."""
        form = [f"sink_name={name}", f"rate={RATE}", "channels=2", "format=float32le", "norewinds=1"]
        self._modules[name] = self._pactl("load-module", "module-null-sink", *form) or ""

    def unplug(self, name: str) -> None:
        """Removes a sink; what plays on it ends."""
        self._pactl("unload-module", self._modules.pop(name))

    @property
    def pid(self) -> int:
        """Of the server."""
        assert self._server is not None
        return self._server.pid

    def freeze(self) -> None:
        """The server stops answering, but stays."""
        if sys.platform == "win32":
            raise NotImplementedError("signals of Unix")
        assert self._server is not None
        self._server.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        """The server is gone at once."""
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None
            (self._folder / "native").unlink(missing_ok=True)

    @contextmanager
    def recording(self, name: str = "first") -> Iterator[list[NDArray[np.float32]]]:
        """Records the sink; when the block is left the list holds what was heard, float32 (N, 2)."""
        target = self._folder / "recording"
        options = ["-d", f"{name}.monitor", "--raw", "--format=float32le", f"--rate={RATE}", "--channels=2", "--latency-msec=20"]
        heard: list[NDArray[np.float32]] = []
        with target.open("wb") as out, subprocess.Popen(["parec", *options], env=self._full(), stdout=out) as recorder:
            try:
                ends = time.monotonic() + PATIENCE_S
                while not target.stat().st_size:
                    assert time.monotonic() < ends, "nothing is recorded"
                    time.sleep(0.02)
                yield heard
                _wait_for_more(recorder, target, 0.4)  # what the player's last moment still has on its way
            finally:
                recorder.kill()
        heard.append(np.fromfile(target, dtype="<f4", count=target.stat().st_size // 8 * 2).reshape(-1, 2))

    def wait_for_sound(self) -> None:
        """Waits until the recording that runs holds something that can be heard."""
        target, ends = self._folder / "recording", time.monotonic() + PATIENCE_S
        while np.abs(np.fromfile(target, dtype="<f4", count=target.stat().st_size // 4)).max(initial=0) < 0.05:
            assert time.monotonic() < ends, "nothing is heard"
            time.sleep(0.05)

    def _full(self) -> dict[str, str]:
        return {**os.environ, **self.environment}

    def _pactl(self, *arguments: str, check: bool = True) -> str | None:
        done = subprocess.run(["pactl", *arguments], env=self._full(), capture_output=True, text=True, check=check, timeout=10)
        return done.stdout.strip() if done.returncode == 0 else None


def _wait_for_more(recorder: subprocess.Popen[bytes], recording: Path, seconds: float) -> None:
    """By the recorder's own clock: on a busy machine it may be late by more than any sleep of ours. It ends with a server that is killed."""
    enough = recording.stat().st_size + round(seconds * RATE) * 8
    ends = time.monotonic() + PATIENCE_S
    while recorder.poll() is None and recording.stat().st_size < enough and time.monotonic() < ends:
        time.sleep(0.02)


@pytest.fixture
def null_sink(monkeypatch: pytest.MonkeyPatch) -> Iterator[NullSink]:
    """A running server that PortAudio in this process sees as the only output; function-scoped, since tests break it."""
    if sys.platform == "win32" or not all(map(shutil.which, ("pulseaudio", "pactl", "parec"))):
        pytest.skip("needs pulseaudio and pulseaudio-utils")
    from app.adapters.portaudio.audio_devices import list_output_devices, refresh_devices

    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:  # a short path: a socket's has at most 107 bytes
        sink = NullSink(Path(folder))
        sink.start()
        try:
            for name, value in sink.environment.items():
                monkeypatch.setenv(name, value)
            refresh_devices()
            if [device.name for device in list_output_devices()] != ["default"]:
                pytest.skip("needs libportaudio2 and libasound2-plugins")
            yield sink
        finally:
            sink.kill()
            monkeypatch.undo()
            refresh_devices()
