"""What a trained student's speech still lacks, measured on lines it has learned: one loudness for all roles, and the teacher's mean length.

Both go into its graphs as a constant for each role. Errors of log durations are even, so those of durations are not; and sound that
is a little smoother than the teacher's is a little less loud.
"""

import pickle
from pathlib import Path

import numpy as np
import pyloudnorm
from cast import CAST
from frontend import Line
from numpy.typing import NDArray
from speaker import HOP, RATE, Speaker, Who
from teacher import DECIBEL

LINES = 40  # of each role
PHONES = (25, 90)  # whole lines of common length
LOUDNESS_LUFS = -20.0


def _chosen(lines: list[Line], rows: NDArray[np.int64], role: int) -> list[int]:
    """Utterances of a role, evenly from its whole corpus: lines of common length that nobody shouts."""
    fitting = [
        place
        for place in np.flatnonzero(rows[:, 1] == role)
        if PHONES[0] <= len(lines[rows[place, 0]].phones) <= PHONES[1] and "!" not in lines[rows[place, 0]].phones
    ]
    return [int(fitting[place]) for place in np.linspace(0, len(fitting) - 1, LINES).astype(int)]


def _lacking(speaker: Speaker, who: Who, lines: list[Line], taught_s: list[float]) -> tuple[float, float]:
    spoken_s = sum(float(np.exp(speaker.prosody(line, who)[0]).sum()) * HOP / RATE for line in lines)
    sound = np.concatenate([speaker.speak(line, who, seed) for seed, line in enumerate(lines)])
    loudness = pyloudnorm.Meter(RATE).integrated_loudness(sound.astype(np.float64))
    return float(np.log(sum(taught_s) / spoken_s)), float((LOUDNESS_LUFS - loudness) * DECIBEL)


def balance(work: Path, resources: Path) -> NDArray[np.float32]:
    """For each role of CAST the log of a factor of its durations, and what to add to its first cepstrum: (roles, 2)."""
    speaker, stored = Speaker(resources), np.load(work / "utterances.npz")
    lines: list[Line] = pickle.loads((work / "lines.pickle").read_bytes())
    rows = stored["rows"]
    ends = np.cumsum([len(lines[row[0]].phones) for row in rows])
    lengths_s = np.concatenate([[0.0], np.cumsum(stored["durations"].sum(1, dtype=np.float64))])
    found = []
    for place, role in enumerate(CAST):
        chosen = _chosen(lines, rows, place)
        own = [lines[rows[row, 0]] for row in chosen]
        taught_s = [float(lengths_s[ends[row]] - lengths_s[ends[row] - len(line.phones)]) for row, line in zip(chosen, own, strict=True)]
        found.append(_lacking(speaker, speaker.who(role), own, taught_s))
        print(role.name, f"{found[-1][0] * 100:+.2f} % of length, {found[-1][1] / DECIBEL:+.2f} dB", flush=True)
    return np.array(found, np.float32)
