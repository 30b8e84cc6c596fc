"""A PulseAudio server with a sink that nobody hears and we record: what the program plays can be compared with what it should play."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RATE = 48_000
AUDIBLE = 0.1  # of the expected level; what is quieter is not that sound
PROGRAMS = ("pulseaudio", "pactl", "parec")
ALSA = "pcm.!default { type pulse }\nctl.!default { type pulse }\n"


def missing() -> list[str]:
    """Programs that are needed and not there."""
    return [program for program in PROGRAMS if shutil.which(program) is None]


@dataclass(frozen=True, slots=True)
class SoundServer:
    """A running server.

    Attributes:
        environment: variables that lead a program to it.
    """

    environment: dict[str, str]
    folder: Path

    @contextmanager
    def recording(self) -> Iterator[list[np.ndarray]]:
        """Records what is played; when the block is left the list holds it, mono float32 at RATE."""
        heard: list[np.ndarray] = []
        target = self.folder / "recording"
        command = ["parec", "-d", "silent.monitor", "--raw", "--format=float32le", f"--rate={RATE}", "--channels=1", "--latency-msec=20"]
        with target.open("wb") as out, subprocess.Popen(command, env=os.environ | self.environment, stdout=out) as recorder:
            try:
                _wait_until(lambda: target.stat().st_size > 0)
                yield heard
                time.sleep(0.5)  # what is still on its way
            finally:
                recorder.kill()
        heard.append(np.fromfile(target, dtype="<f4", count=target.stat().st_size // 4))


@contextmanager
def sound_server() -> Iterator[SoundServer]:
    """A server of our own in a temporary folder; nothing of the user's sound is touched. AssertionError where it does not start."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as name:
        folder = Path(name)
        (folder / "asound.conf").write_text(ALSA, encoding="ascii")
        environment = {"HOME": name, "XDG_RUNTIME_DIR": name, "PULSE_SERVER": f"unix:{name}/native", "PULSE_COOKIE": f"{name}/cookie"}
        environment["ALSA_CONFIG_PATH"] = f"{name}/asound.conf"
        command = ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=yes"]
        command += ["-L", f"module-native-protocol-unix socket={name}/native auth-anonymous=1"]
        # Without `norewinds=1` playing stalls for more than a second.
        command += ["-L", f"module-null-sink sink_name=silent rate={RATE} channels=2 format=float32le norewinds=1"]
        with subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                _wait_until((folder / "native").exists)
                yield SoundServer(environment, folder)
            finally:
                server.kill()


def likeness(heard: np.ndarray, expected: np.ndarray) -> float:
    """How alike the recording and the expected samples at RATE are, 0..1: their correlation where it is highest."""
    size = 1 << (len(heard) + len(expected)).bit_length()
    match = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(expected, size)), size)[: len(heard)]
    energy = np.concatenate(([0.0], np.cumsum(np.square(heard, dtype=np.float64)), np.zeros(len(expected))))
    energy[len(heard) + 1 :] = energy[len(heard)]
    # Each place by its own loudness: a quiet sound would else be found in the loudest one.
    nearby = np.sqrt(np.maximum(energy[len(expected) : len(expected) + len(heard)] - energy[: len(heard)], 0.0))
    scale = np.maximum(nearby, AUDIBLE * np.linalg.norm(expected)) * np.linalg.norm(expected)
    return float(np.max(match / scale)) if scale.any() else 0.0


def _wait_until(true: Callable[[], bool], timeout_s: float = 10.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, "the sound server did not start"
        time.sleep(0.05)
