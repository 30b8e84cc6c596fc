"""Measures the shipped voice against its teacher on the lines that no mood has learned.

Usage: `python evaluate.py --shared ../shared --work WORK --resources resources --lines 40`

Prints one row per style and writes `figures.json` into the work folder. The parameters are compared with the teacher's timing
and no noise, so a frame of one stands beside the same place of the same phone of the other; durations are the student's own.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from corpus import held_out
from dnsmos import Dnsmos
from frontend import MARKS, Line, analyse, normalise
from hts import STATES, HtsVoice
from numpy.typing import NDArray
from speaker import HOP, RATE, Speaker
from teacher import SPEED, STEP, STYLES, VOICE_OF_STYLE, Target, teach

from app.core.durations import round_with_carry

MCD_FACTOR = 10 / np.log(10) * np.sqrt(2)
VECTORS = STATES * 64
SILENT = MARKS | {"_"}


def compare(speaker: Speaker, line: Line, target: Target, style: NDArray[np.float32], bert: float = 1.0) -> dict[str, NDArray[np.floating]]:
    """Errors of one line: per speech frame (cepstra, F0 in cents, voicing), per phone and per pause (seconds)."""
    logw, mean, _ = speaker.prosody(line, style, bert=bert)
    lengths = target.durations.sum(1).astype(np.float64)
    error = np.exp(logw[1::2]) * HOP / RATE - lengths
    spoken = np.array([phone not in SILENT for phone in line.phones])
    frames = round_with_carry(lengths * RATE / HOP)
    # the teacher's shares, so that states line up too
    mean = mean[:, 1::2].copy()
    mean[VECTORS : VECTORS + STATES] = (target.durations / np.maximum(lengths, 1e-9)[:, None]).T + 1e-6
    z = speaker.flow(np.repeat(mean, frames, 1), frames, style).T.reshape(-1, 38)
    phone = np.repeat(np.arange(len(frames)), 2 * frames)
    within = np.arange(len(phone)) - np.repeat(2 * (np.cumsum(frames) - frames), 2 * frames)
    times = (np.cumsum(lengths) - lengths)[phone] + (within + 0.5) / (2 * frames[phone]) * lengths[phone]
    wanted = target.at(times)
    speech = spoken[phone]
    both = speech & (z[:, 36] > 0.5) & (wanted[:, 36] > 0.5)
    return {
        "mcd": MCD_FACTOR * np.sqrt(((z[speech, 1:35] - wanted[speech, 1:35]) ** 2).sum(1)),
        "f0": (z[both, 35] - wanted[both, 35]) * 1200 / np.log(2),
        "voicing": (z[speech, 36] != wanted[speech, 36]).astype(float),
        "phone": error[spoken],
        "pause": error[1:-1][~spoken[1:-1]],
        "total": np.array([error.sum() / lengths.sum()]),
    }


def teacher_sound(speaker: Speaker, target: Target) -> NDArray[np.float32]:
    """The teacher's parameters through the same vocoder."""
    table = target.on_grid()
    f0 = np.exp(table[:, 35].astype(np.float64))
    turns = np.concatenate([[0.0], np.cumsum((f0[1:] + f0[:-1]) / 2 * STEP / RATE)]) % 1
    z = np.column_stack([table, turns]).astype(np.float32).reshape(-1, 76).T
    return speaker.decode(np.ascontiguousarray(z))


def row_of(speaker: Speaker, style: int, lines: list[Line], voice: HtsVoice, judge: Dnsmos) -> dict[str, float]:
    """All figures of one style."""
    vector, name = speaker.styles[style], STYLES[style]
    found, plain, scores, peak, spoken_s, wall_s = [], [], [], 0.0, 0.0, 0.0
    for number, line in enumerate(lines):
        target = teach(voice, name, line)
        found.append(compare(speaker, line, target, vector))
        plain.append(compare(speaker, line, target, vector, bert=0.0)["f0"])
        began = time.perf_counter()
        audio = speaker.speak(line, vector, seed=number)
        wall_s += time.perf_counter() - began
        spoken_s += len(audio) / RATE
        peak = max(peak, float(np.abs(audio).max()))
        own = voice.speak(line.labels, SPEED[name])
        scores.append((judge.score(audio, RATE), judge.score(teacher_sound(speaker, target), RATE), judge.score(own, 48000)))
    joined = {key: np.concatenate([part[key] for part in found]) for key in found[0]}

    def rms(key: str) -> float:
        return float(np.sqrt(np.mean(joined[key] ** 2)))

    student, same, engine = np.mean(scores, 0)
    return {
        "mcd_db": float(joined["mcd"].mean()),
        "f0_cents": rms("f0"),
        "f0_cents_without_bert": float(np.sqrt(np.mean(np.concatenate(plain) ** 2))),
        "f0_bias_cents": float(joined["f0"].mean()),
        "voicing_percent": 100 * float(joined["voicing"].mean()),
        "phone_ms": 1000 * rms("phone"),
        "pause_ms": 1000 * rms("pause"),
        "length_percent": 100 * float(joined["total"].mean()),
        "dnsmos": float(student),
        "dnsmos_teacher": float(same),
        "dnsmos_hts_sound": float(engine),
        "peak": peak,
        "times_real_time": spoken_s / wall_s,
    }


def evaluate(shared: Path, work: Path, resources: Path, count: int, styles: list[str]) -> dict[str, object]:
    """Number of lines, and figures by style."""
    speaker, judge = Speaker(resources), Dnsmos(shared / "judges" / "dnsmos")
    texts = held_out(shared)
    chosen = texts[: count // 2] + texts[100 : 100 + count - count // 2]
    lines = [line for line in (analyse(normalise(text)) for text in chosen) if line is not None]
    figures = {}
    for name in styles:
        style = STYLES.index(name)
        voice = HtsVoice(shared / "htsvoice" / f"mei_{VOICE_OF_STYLE[name]}.htsvoice", work)
        figures[name] = row_of(speaker, style, lines, voice, judge)
        print(name, {key: round(value, 3) for key, value in figures[name].items()}, flush=True)
        voice.close()
    return {"lines": len(lines), "styles": figures}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--styles", nargs="+", default=list(STYLES), choices=STYLES)
    options = parser.parse_args()
    measured = evaluate(options.shared, options.work, options.resources, options.lines, options.styles)
    (options.work / "figures.json").write_text(json.dumps(measured, indent=1) + "\n")
