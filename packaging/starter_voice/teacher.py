"""The teacher's line as the student should learn it: trajectories of an HTS voice, with what listeners would mend mended.

The teacher counts frames of 5 ms, the student frames of 256 samples at 44.1 kHz.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from frontend import MARKS, MORA_ENDS, Line
from hts import FRAME_S, STATES, HtsVoice, Trajectory
from numpy.typing import NDArray

STYLES = ("Neutral", "Happy", "Bashful", "Angry", "Sad")
VOICE_OF_STYLE = {"Neutral": "normal", "Happy": "happy", "Bashful": "bashful", "Angry": "angry", "Sad": "sad"}
SPEED = {"Neutral": 1.0, "Happy": 1.0, "Bashful": 1.3, "Angry": 1.3, "Sad": 1.3}

RATE = 44100
STEP = 256
EDGE_FRAMES = 18  # first and last silence: 90 ms
STOP_FRAMES = 24  # punctuation that ends a line: 120 ms before the last silence
QUESTION_CENTS = 500.0  # at the end of the last mora; about 300 on its average


@dataclass(frozen=True)
class Target:
    """One line to learn, in frames of 5 ms: state durations (tokens, 5) in seconds; cepstra (F, 35), log F0 (F,), voicing (F,)."""

    durations: NDArray[np.float32]
    cepstra: NDArray[np.float32]
    log_f0: NDArray[np.float32]
    voiced: NDArray[np.bool_]

    def at(self, times: NDArray[np.float64]) -> NDArray[np.float32]:
        """Cepstra, log F0 and voicing (0 or 1) at given times in seconds: (n, 37)."""
        places = np.clip(times / FRAME_S - 0.5, 0, len(self.log_f0) - 1)
        low = np.minimum(places.astype(np.int64), len(self.log_f0) - 2)
        part = (places - low).astype(np.float32)[:, None]
        table = np.column_stack([self.cepstra, self.log_f0, self.voiced])
        values = table[low] * (1 - part) + table[low + 1] * part
        values[:, -1] = values[:, -1] >= 0.5
        return values.astype(np.float32)

    def on_grid(self) -> NDArray[np.float32]:
        """The same at the centres of the student's frames, an even number of them."""
        count = 2 * int(np.ceil(float(self.durations.sum(dtype=np.float64)) * RATE / STEP / 2))
        return self.at((np.arange(count) + 0.5) * STEP / RATE)


def _pause_frames(marks: str, teacher: int) -> int:
    """Half the teacher's pause within 250–400 ms; quotation marks and dashes alone hardly pause."""
    if set(marks) <= {"'", "-"}:
        return int(np.clip(teacher * 0.2, 20, 30))
    kept = np.clip(teacher * 0.5, 50, 72)
    return int(min(80, kept * 1.2)) if set(marks) & set(".!?") else int(kept)


def _shorten(line: Line, taught: Trajectory) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which teacher frames to keep, and the states of every token in kept frames."""
    keep = np.ones(len(taught.log_f0), np.bool_)
    states = np.zeros((len(line.phones), STATES))
    ends = np.cumsum(taught.durations.sum(1))
    for index, tokens in enumerate(line.token_of_label):
        stop, length = int(ends[index]), int(taught.durations[index].sum())
        start, marks = stop - length, [token for token in tokens if line.phones[token] in MARKS]
        if index == 0:
            kept = min(EDGE_FRAMES, length)
            keep[start : stop - kept] = False
            states[0] = kept / STATES
        elif index == len(line.token_of_label) - 1:
            edge = min(EDGE_FRAMES, length)
            mark = min(STOP_FRAMES, length - edge) if marks else 0
            keep[start + edge + mark :] = False
            states[tokens[-1]] = edge / STATES
            states[marks] = mark / max(len(marks), 1) / STATES
        elif marks:
            kept = min(length, _pause_frames("".join(line.phones[token] for token in marks), length))
            head = kept * 3 // 5
            keep[start + head : stop - (kept - head)] = False
            states[marks] = kept / len(marks) / STATES
        else:
            states[tokens[0]] = taught.durations[index]
    return keep, states


def _through_unvoiced(log_f0: NDArray[np.float32], voiced: NDArray[np.bool_]) -> NDArray[np.float32]:
    if not voiced.any():
        return np.full_like(log_f0, np.log(300.0))
    places = np.arange(len(log_f0))
    return np.interp(places, places[voiced], log_f0[voiced]).astype(np.float32)


def _ask(line: Line, states: NDArray[np.float64], log_f0: NDArray[np.float32]) -> None:
    """Raises the last mora of a line that ends in a question mark, which this teacher does not."""
    last = len(line.phones) - 1
    tail = last
    while line.phones[tail - 1] in MARKS:
        tail -= 1
    if "?" not in line.phones[tail:last]:
        return
    first = tail - 1
    if first > 1 and line.phones[first] in MORA_ENDS - {"N", "q"} and line.phones[first - 1] not in MORA_ENDS | MARKS | {"_"}:
        first -= 1
    times = np.cumsum(states.sum(1))
    start, stop = times[first - 1], times[tail - 1]
    place = np.clip((np.arange(len(log_f0)) + 0.5 - start) / max(0.7 * (stop - start), 1.0), 0.0, 1.0)
    log_f0 += (place * place * (3.0 - 2.0 * place) * QUESTION_CENTS * np.log(2.0) / 1200.0).astype(np.float32)


def teach(voice: HtsVoice, style: str, line: Line) -> Target:
    """The line in one mood, mended."""
    taught = voice.run(line.labels, SPEED[style])
    keep, states = _shorten(line, taught)
    log_f0 = _through_unvoiced(taught.log_f0, taught.voiced)[keep]
    _ask(line, states, log_f0)
    return Target((states * FRAME_S).astype(np.float32), taught.cepstra[keep], log_f0, taught.voiced[keep])
