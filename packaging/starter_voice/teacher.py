"""The teacher's line as the student should learn it: trajectories of an HTS voice, with what listeners would mend mended.

The teacher counts frames of 5 ms, the student frames of 256 samples at 44.1 kHz.
"""

import re
from dataclasses import dataclass

import numpy as np
from cast import Role
from frontend import MARKS, MORA_ENDS, Line
from hts import FRAME_S, STATES, HtsVoice, Trajectory
from numpy.typing import NDArray

RATE = 44100
STEP = 256
EDGE_FRAMES = 18  # first and last silence: 90 ms
LONGEST_FRAMES = {True: 60, False: 36}  # of a vowel or ん 300 ms, of any other phone 180 ms: some leaves of the teachers know no bounds
STOP_FRAMES = 24  # punctuation that ends a line: 120 ms before the last silence
QUESTION_CENTS = 500.0  # at the end of the last mora; about 300 on its average
EXCLAMATION_CENTS, EXCLAMATION_RANGE, EXCLAMATION_DB = 100.0, 1.2, 2.5
FADE_FRAMES = 30  # an exclamation swells for 150 ms
CENT = float(np.log(2.0) / 1200.0)
LOG_F0_CENTRE = 5.85  # log F0 is stored relative to this so that half precision keeps hundredths of a cent
DECIBEL = float(np.log(10.0) / 20.0)  # of the first cepstrum, a natural logarithm
PHRASE_PLACE = re.compile(r"(?<=@)\d+(?=_\d+\|\d+_\d+/G:)")  # of the accent phrase in its breath group
FIRST_N = re.compile(r"\^sil-N\+(?:sil|pau)?")
LONE_N_SPEED = 0.5


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

    def of_states(self) -> NDArray[np.float32]:
        """The mean of the same over each state: (tokens, 5, 37)."""
        table = np.column_stack([self.cepstra, self.log_f0, self.voiced]).astype(np.float64)
        sums = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table, 0)])
        ends = np.cumsum(self.durations.reshape(-1).astype(np.float64)) / FRAME_S
        edges = np.clip(np.concatenate([[0.0], ends]), 0, len(table))
        low = np.minimum(edges.astype(np.int64), len(table) - 1)
        here = sums[low] + (edges - low)[:, None] * table[low]
        length = np.maximum(np.diff(edges), 1e-9)[:, None]
        means = np.where(length > 1e-3, np.diff(here, axis=0) / length, table[low[:-1]])
        return means.astype(np.float32).reshape(*self.durations.shape, -1)

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
            kept = min(length, LONGEST_FRAMES[line.phones[tokens[0]] in MORA_ENDS - {"q"}])
            keep[start + kept // 2 : stop - (kept - kept // 2)] = False
            begins = np.cumsum(taught.durations[index]) - taught.durations[index]
            states[tokens[0]] = np.add.reduceat(keep[start:stop].astype(float), begins)
    return keep, states


def _through_unvoiced(log_f0: NDArray[np.float32], voiced: NDArray[np.bool_]) -> NDArray[np.float32]:
    if not voiced.any():
        return np.full_like(log_f0, np.log(300.0))
    places = np.arange(len(log_f0))
    return np.interp(places, places[voiced], log_f0[voiced]).astype(np.float32)


def _marked(line: Line, states: NDArray[np.float64]) -> list[tuple[str, int, float, float, float]]:
    """Every run of marks after speech: marks, its first token, where its breath group begins, and where the run begins and ends, in frames."""
    ends = np.cumsum(states.sum(1))
    found, since, token = [], 1, 1
    while token < len(line.phones) - 1:
        if line.phones[token] not in MARKS:
            token += 1
            continue
        stop = token
        while line.phones[stop] in MARKS:
            stop += 1
        if token > since:
            found.append(("".join(line.phones[token:stop]), token, float(ends[since - 1]), float(ends[token - 1]), float(ends[stop - 1])))
        since = token = stop
    return found


def _ask(line: Line, states: NDArray[np.float64], log_f0: NDArray[np.float32]) -> None:
    """Raises the mora before each question mark, which these teachers do not."""
    ends, times = np.cumsum(states.sum(1)), np.arange(len(log_f0)) + 0.5
    for marks, token, _, stop, pause_end in _marked(line, states):
        if "?" not in marks:
            continue
        first = token - 1
        if first > 1 and line.phones[first] in MORA_ENDS - {"N", "q"} and line.phones[first - 1] not in MORA_ENDS | MARKS | {"_"}:
            first -= 1
        start = ends[first - 1]
        place = np.clip((times - start) / max(0.7 * (stop - start), 1.0), 0.0, 1.0)
        curve = place * place * (3.0 - 2.0 * place)
        if token + len(marks) < len(line.phones) - 1:  # the pause takes it back
            curve *= np.clip((pause_end - times) / max(pause_end - stop, 1.0), 0.0, 1.0)
        log_f0 += (curve * QUESTION_CENTS * CENT).astype(np.float32)


def _exclaim(line: Line, states: NDArray[np.float64], log_f0: NDArray[np.float32], level: NDArray[np.float32]) -> None:
    """Makes a breath group that ends in an exclamation mark louder, higher and livelier; `level` is the first cepstrum."""
    times = np.arange(len(log_f0)) + 0.5
    for marks, _, start, stop, _ in _marked(line, states):
        if "!" not in marks or "?" in marks:
            continue
        fade = max(min(FADE_FRAMES, 0.4 * (stop - start)), 1.0)
        swell = np.clip((times - start) / fade, 0.0, 1.0) * np.clip((stop + fade - times) / fade, 0.0, 1.0)
        inside = (times >= start) & (times < stop)
        middle = log_f0[inside].mean() if inside.any() else 0.0
        lift = (EXCLAMATION_RANGE - 1.0) * (log_f0 - middle) + EXCLAMATION_CENTS * CENT
        log_f0 += (swell * lift).astype(np.float32)
        level += (swell * EXCLAMATION_DB * DECIBEL).astype(np.float32)


def _speak(voice: HtsVoice, role: Role, line: Line) -> Trajectory:
    """A nasal after silence is faint with all teachers: they hear it inside a word instead, and slower where it is alone."""
    alone = {phone for phone in line.phones if phone not in MARKS} == {"_", "N"}
    speed = role.speed * (LONE_N_SPEED if alone else 1.0)
    labels = [FIRST_N.sub(lambda found: "^o-N+" + "o" * (found[0][-1] != "+"), label) for label in line.labels]
    return voice.run([PHRASE_PLACE.sub(lambda found: str(min(int(found[0]), role.phrases)), label) for label in labels], speed)


def _hummed(line: Line, states: NDArray[np.float64], count: int) -> NDArray[np.bool_]:
    """Frames of nasals that follow silence, which are voiced whatever the teacher says."""
    ends, hummed = np.round(np.cumsum(states.sum(1))).astype(int), np.zeros(count, np.bool_)
    after_silence = True
    for token, phone in enumerate(line.phones):
        after_silence = phone in MARKS or phone == "_" or (after_silence and phone == "N")
        if after_silence and phone == "N":
            hummed[ends[token - 1] : ends[token]] = True
    return hummed


def teach(voice: HtsVoice, role: Role, line: Line) -> Target:
    """The line as one role says it, mended."""
    taught = _speak(voice, role, line)
    keep, states = _shorten(line, taught)
    log_f0 = _through_unvoiced(taught.log_f0, taught.voiced)[keep]
    cepstra = taught.cepstra[keep]
    cepstra[:, 0] += role.level_db * DECIBEL
    _exclaim(line, states, log_f0, cepstra[:, 0])
    _ask(line, states, log_f0)
    voiced = taught.voiced[keep] | _hummed(line, states, len(log_f0))
    return Target((states * FRAME_S).astype(np.float32), cepstra, log_f0, voiced)
