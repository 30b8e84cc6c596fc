"""Parameters of an HTS voice straight from libhts_engine, by way of a small C file compiled on first use."""

import ctypes
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

STATES = 5
FRAME_S = 0.005
SOURCE = Path(__file__).with_name("hts_parameters.c")


@dataclass(frozen=True)
class Trajectory:
    """What a voice says for one line: durations int32 (labels, 5) in 5 ms frames, mel-cepstra (F, 35), log F0 (F,), low-pass taps."""

    durations: NDArray[np.int32]
    cepstra: NDArray[np.float32]
    log_f0: NDArray[np.float32]
    voiced: NDArray[np.bool_]
    lowpass: NDArray[np.float32]


def _library(build: Path) -> ctypes.CDLL:
    target = build / "libhts_parameters.so"
    if not target.exists() or target.stat().st_mtime < SOURCE.stat().st_mtime:
        build.mkdir(parents=True, exist_ok=True)
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", str(target), str(SOURCE), "-lHTSEngine", "-lm"], check=True)
    library = ctypes.CDLL(str(target))
    library.hts_open.restype = ctypes.c_void_p
    library.hts_open.argtypes = [ctypes.c_char_p]
    library.hts_run.restype = ctypes.c_long
    library.hts_run.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.c_double]
    library.hts_width.restype = ctypes.c_size_t
    library.hts_width.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.hts_read.argtypes = [ctypes.c_void_p] * 5
    library.hts_speak.restype = ctypes.c_long
    library.hts_speak.argtypes = [ctypes.c_void_p]
    library.hts_sound.argtypes = [ctypes.c_void_p] * 2
    library.hts_forget.argtypes = library.hts_close.argtypes = [ctypes.c_void_p]
    return library


class HtsVoice:
    """One loaded `.htsvoice`."""

    def __init__(self, path: Path, build: Path) -> None:
        self._library = _library(build)
        self._voice = self._library.hts_open(str(path).encode())
        if not self._voice:
            raise OSError(f"not a usable HTS voice: {path}")

    def close(self) -> None:
        """Frees the voice."""
        self._library.hts_close(self._voice)

    def run(self, labels: Sequence[str], speed: float = 1.0) -> Trajectory:
        """Durations and trajectories of one line of full-context labels."""
        frames = self._generate(labels, speed)
        order, taps = self._library.hts_width(self._voice, 0), self._library.hts_width(self._voice, 2)
        durations = np.empty((len(labels), STATES), np.int32)
        cepstra, log_f0 = np.empty((frames, order), np.float32), np.empty(frames, np.float32)
        lowpass = np.empty(taps, np.float32)
        self._library.hts_read(self._voice, *(array.ctypes.data for array in (durations, cepstra, log_f0, lowpass)))
        self._library.hts_forget(self._voice)
        return Trajectory(durations, cepstra, log_f0, log_f0 > -1e9, lowpass)

    def speak(self, labels: Sequence[str], speed: float = 1.0) -> NDArray[np.float32]:
        """The engine's own sound, 48 kHz in [-1, 1]."""
        self._generate(labels, speed)
        samples = np.empty(max(self._library.hts_speak(self._voice), 0), np.float32)
        self._library.hts_sound(self._voice, samples.ctypes.data)
        self._library.hts_forget(self._voice)
        return samples

    def _generate(self, labels: Sequence[str], speed: float) -> int:
        lines = (ctypes.c_char_p * len(labels))(*[label.encode() for label in labels])
        frames = int(self._library.hts_run(self._voice, lines, len(labels), speed))
        if frames < 0:
            raise ValueError("the voice refused the labels")
        return frames
