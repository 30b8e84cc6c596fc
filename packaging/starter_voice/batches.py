"""The corpus on disk as padded batches of tensors; shapes are rounded up so that few of them occur."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from advice import VALUES
from cast import CAST
from consult import open_advice
from contexts import TONE_OFFSET
from corpus import CHANNELS
from frontend import MARKS, Line, ids_of
from network import LONGEST, STATES
from numpy.typing import NDArray
from teacher import LOG_F0_CENTRE, RATE, STEP
from torch import Tensor

BATCH_FRAMES = 7168
BATCH_PHONES = 512
FRAME_STEP, PHONE_STEP = 128, 32
POOL = 512  # utterances sorted by length together, so that a batch wastes little
LOG_F0_SCALE = 0.2
SHORT_PHONES, SHORT_TIMES, NASAL_TIMES = 8, 4, 150  # how often an epoch repeats very short lines, and those of ん alone


def round_up(value: int, step: int) -> int:
    """The next multiple of `step`."""
    return -(-value // step) * step


def frame_inputs(durations: NDArray[np.float32], count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For `count` frames of a line with state durations (n, 5) in seconds: index of the state, and positions (count, 6)."""
    flat = durations.reshape(-1).astype(np.float64)
    ends = np.cumsum(flat)
    times = np.minimum((np.arange(count) + 0.5) * STEP / RATE, ends[-1] - 1e-6)
    state = np.searchsorted(ends, times, side="right")
    phone = state // STATES
    in_state = (times - (ends[state] - flat[state])) / flat[state]
    lengths = durations.sum(1).astype(np.float64)
    place = (times - (np.cumsum(lengths) - lengths)[phone]) / lengths[phone]
    nominal = np.minimum(lengths[phone] / 0.005, LONGEST)
    shares = flat[state] / lengths[phone]
    logs = np.log1p([nominal, nominal * shares, nominal * place, nominal * np.maximum(1 - place, 0)])
    return state, np.stack([in_state, place, *logs], 1).astype(np.float32)


def _times(line: Line) -> int:
    """How often an epoch says this line: whole lines teach too little about a mora alone."""
    if {phone for phone in line.phones if phone not in MARKS} == {"_", "N"}:
        return NASAL_TIMES
    return SHORT_TIMES if len(line.phones) <= SHORT_PHONES else 1


class Corpus:
    """What `corpus.py` and `consult.py` wrote."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[Line] = pickle.loads((folder / "lines.pickle").read_bytes())
        stored = np.load(folder / "utterances.npz")
        self.rows, self._durations = stored["rows"], stored["durations"]
        self._frames = np.memmap(folder / "frames.f16", np.float16, "r").reshape(-1, CHANNELS)
        sizes = np.array([len(self.lines[row[0]].phones) for row in self.rows])
        self._starts, self._sizes = np.cumsum(sizes) - sizes, sizes
        self._states = np.memmap(folder / "states.f16", np.float16, "r").reshape(-1, STATES, CHANNELS)
        self._lengths, self._values = open_advice(folder)
        self._times = np.array([_times(self.lines[row[0]]) * CAST[row[1]].times for row in self.rows])
        self.mean, self.deviation = self._statistics()

    def _statistics(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        sample = np.asarray(self._frames[:: max(1, len(self._frames) // 300_000)], np.float32)
        mean, deviation = sample.mean(0), sample.std(0)
        mean[35:], deviation[35:] = (LOG_F0_CENTRE, 0.0), (LOG_F0_SCALE, 1.0)
        return mean, deviation

    def epoch(self, dice: np.random.Generator, frames: bool) -> Iterator[dict[str, Tensor]]:
        """All utterances once, very short ones more often, in batches of about BATCH_FRAMES frames, or of the states of BATCH_PHONES phones."""
        lengths = self.rows[:, 3] if frames else self._sizes
        step, most = (FRAME_STEP, BATCH_FRAMES) if frames else (PHONE_STEP, BATCH_PHONES)
        order = dice.permutation(np.repeat(np.arange(len(self.rows)), self._times))
        batches: list[list[int]] = []
        for start in range(0, len(order), POOL):
            pool = sorted(order[start : start + POOL], key=lambda row: int(lengths[row]))
            batch: list[int] = []
            for row in pool:
                if batch and round_up(int(lengths[row]), step) * (len(batch) + 1) > most:
                    batches.append(batch)
                    batch = []
                batch.append(int(row))
            batches.append(batch)
        for place in dice.permutation(len(batches)):
            yield self.batch(batches[place], dice, frames)

    def batch(self, chosen: list[int], dice: np.random.Generator, with_frames: bool) -> dict[str, Tensor]:
        """Tensors of some utterances; keys are the arguments of `Student` and the targets, those of frames or those of states."""
        lines = [self.lines[self.rows[row][0]] for row in chosen]
        phones = round_up(max(len(line.phones) for line in lines), PHONE_STEP)
        frames = round_up(max(int(self.rows[row][3]) for row in chosen), FRAME_STEP)
        size = len(chosen)
        batch = {
            **{name: np.zeros((size, phones), np.int64) for name in ("phones", "tones")},
            "real_phones": np.zeros((size, phones), np.float32),
            "values": np.zeros((size, phones, STATES, VALUES), np.float32),
            "role": self.rows[chosen, 1],
            **{name: np.zeros((size, phones, STATES), np.float32) for name in ("lengths", "durations")},
        }
        if with_frames:
            batch |= {
                "state_of_frame": np.zeros((size, frames), np.int64),
                "positions": np.zeros((size, frames, 6), np.float32),
                "real_frames": np.zeros((size, frames // 2), np.float32),
            }
        shape = (size, frames) if with_frames else (size, phones, STATES)
        batch |= {"weight": np.zeros(shape, np.float32), "target": np.zeros((*shape, CHANNELS), np.float32)}
        for place, (row, line) in enumerate(zip(chosen, lines, strict=True)):
            self._fill(batch, place, row, line)
        return {name: torch.from_numpy(values) for name, values in batch.items()}

    def _fill(self, batch: dict[str, NDArray[np.generic]], place: int, row: int, line: Line) -> None:
        _, _, start, count = self.rows[row]
        size, own = len(line.phones), slice(self._starts[row], self._starts[row] + len(line.phones))
        durations = self._durations[own]
        batch["phones"][place, :size], batch["tones"][place, :size] = ids_of(line), np.array(line.tones) + TONE_OFFSET
        batch["real_phones"][place, :size] = 1
        batch["values"][place, :size], batch["lengths"][place, :size] = self._values[own], np.log1p(self._lengths[own])
        batch["durations"][place, :size] = np.log1p(durations / 0.005)
        if "positions" in batch:
            self._fill_frames(batch, place, durations, int(start), int(count))
        else:
            batch["weight"][place, :size] = durations * (RATE / STEP)
            batch["target"][place, :size] = self._normal(self._states[own])

    def _fill_frames(
        self, batch: dict[str, NDArray[np.generic]], place: int, durations: NDArray[np.float32], start: int, count: int
    ) -> None:
        state, positions = frame_inputs(durations, count)
        batch["state_of_frame"][place, :count] = state + place * batch["phones"].shape[1] * STATES
        batch["positions"][place, :count] = positions
        batch["real_frames"][place, : count // 2] = 1
        batch["weight"][place, :count] = 1
        batch["target"][place, :count] = self._normal(self._frames[start : start + count])

    def _normal(self, stored: NDArray[np.float16]) -> NDArray[np.float32]:
        values = np.asarray(stored, np.float32)
        values[..., 35] += LOG_F0_CENTRE
        return np.asarray((values - self.mean) / self.deviation)
