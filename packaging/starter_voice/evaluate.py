"""Measures the shipped voice against its teacher on the lines that no role has learned.

Usage: `python evaluate.py --shared ../shared --work WORK --resources resources --lines 60`

Prints one row per role and writes `figures.json` into the work folder. The parameters are compared with the teacher's timing
and no noise, so a frame of one is compared with the same place of the same phone of the other; durations are the student's own.
"""

import argparse
import functools
import json
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np
import pyloudnorm
from cast import CAST, Role, open_role
from dnsmos import Dnsmos
from frontend import MARKS, Line, analyse, normalise
from hts import STATES
from numpy.typing import NDArray
from speaker import HOP, RATE, Speaker, Who
from teacher import STEP, Target, teach
from texts import held_out

from app.core.sound.durations import round_with_carry

MCD_FACTOR = 10 / np.log(10) * np.sqrt(2)
VECTORS = STATES * 64
SILENT = MARKS | {"_"}


def compare(speaker: Speaker, line: Line, target: Target, who: Who, bert: float = 1.0) -> dict[str, NDArray[np.floating]]:
    """Errors of one line: per speech frame (cepstra, F0 in cents, voicing), per phone and per pause (seconds)."""
    logw, mean, _ = speaker.prosody(line, who, bert=bert)
    lengths = target.durations.sum(1).astype(np.float64)
    error = np.exp(logw[1::2]) * HOP / RATE - lengths
    spoken = np.array([phone not in SILENT for phone in line.phones])
    frames = round_with_carry(lengths * RATE / HOP)
    # the teacher's shares, so that states line up too
    mean = mean[:, 1::2].copy()
    mean[VECTORS : VECTORS + STATES] = (target.durations / np.maximum(lengths, 1e-9)[:, None]).T + 1e-6
    z = speaker.flow(np.repeat(mean, frames, 1), frames, who).T.reshape(-1, 38)
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


def row_of(role: Role, shared: Path, work: Path, resources: Path, lines: list[Line]) -> dict[str, float]:
    """All figures of one role."""
    speaker, judge, voice = Speaker(resources), Dnsmos(shared / "judges" / "dnsmos"), open_role(role, shared, work)
    who = speaker.who(role)
    found, plain, scores, sounds, cpu_s = [], [], [], [], 0.0
    for number, line in enumerate(lines):
        target = teach(voice, role, line)
        found.append(compare(speaker, line, target, who))
        plain.append(compare(speaker, line, target, who, bert=0.0)["f0"])
        began = time.process_time()
        sounds.append(speaker.speak(line, who, seed=number))
        cpu_s += time.process_time() - began
        scores.append((judge.score(sounds[-1], RATE), judge.score(teacher_sound(speaker, target), RATE)))
    joined = {key: np.concatenate([part[key] for part in found]) for key in found[0]}

    def rms(key: str) -> float:
        return float(np.sqrt(np.mean(joined[key] ** 2)))

    sound = np.concatenate(sounds)
    student, teacher = np.mean(scores, 0)
    better = -np.diff(scores, axis=1)
    return {
        "mcd_db": float(joined["mcd"].mean()),
        "f0_cents": rms("f0"),
        "f0_median_cents": float(np.median(np.abs(joined["f0"]))),
        "f0_cents_without_bert": float(np.sqrt(np.mean(np.concatenate(plain) ** 2))),
        "f0_bias_cents": float(joined["f0"].mean()),
        "voicing_percent": 100 * float(joined["voicing"].mean()),
        "phone_ms": 1000 * rms("phone"),
        "pause_ms": 1000 * rms("pause"),
        "length_percent": 100 * float(joined["total"].mean()),
        "dnsmos": float(student),
        "dnsmos_teacher": float(teacher),
        "dnsmos_error": float(better.std(ddof=1) / np.sqrt(len(better))),
        "loudness_lufs": float(pyloudnorm.Meter(RATE).integrated_loudness(sound.astype(np.float64))),
        "peak": float(np.abs(sound).max()),
        "times_real_time": len(sound) / RATE / cpu_s,
    }


def evaluate(shared: Path, work: Path, resources: Path, count: int, roles: list[Role]) -> dict[str, object]:
    """Number of lines, and figures by role; one process a core."""
    texts = held_out(shared)
    chosen = texts[: count // 2] + texts[100 : 100 + count - count // 2]
    lines = [line for line in (analyse(normalise(text)) for text in chosen) if line is not None]
    figures = {}
    with multiprocessing.Pool(os.cpu_count()) as pool:
        measure = functools.partial(row_of, shared=shared, work=work, resources=resources, lines=lines)
        for role, row in zip(roles, pool.imap(measure, roles), strict=True):
            figures[role.name] = row
            print(role.name, {key: round(value, 3) for key, value in row.items()}, flush=True)
    return {"lines": len(lines), "roles": figures}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--roles", nargs="+", default=[role.name for role in CAST], choices=[role.name for role in CAST])
    options = parser.parse_args()
    chosen = [role for role in CAST if role.name in options.roles]
    measured = evaluate(options.shared, options.work, options.resources, options.lines, chosen)
    (options.work / "figures.json").write_text(json.dumps(measured, indent=1) + "\n")
