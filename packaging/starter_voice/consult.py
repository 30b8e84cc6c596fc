"""Asks the teachers' trees about every utterance of the corpus, with what the reader finds in its text, as the voice will when it speaks.

`lengths.f16` and `values.f16` keep the advice (`advice.py`) for all phones of all utterances, in their order.
"""

import multiprocessing
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from advice import VALUES, advise
from contexts import Found, contexts
from forest import Forest, open_forest
from frontend import Line, ids_of
from hts import STATES
from numpy.typing import NDArray
from pretrain import Reader, load_reader
from tqdm import tqdm

TOGETHER = 64  # lines that the reader reads at once

_forest: list[Forest] = []


def find_all(reader: Reader, lines: list[Line], zeros: bool) -> list[Found]:
    """What the reader finds in all lines."""
    order, found = sorted(range(len(lines)), key=lambda place: len(lines[place].phones)), dict[int, Found]()
    for start in range(0, len(order), TOGETHER):
        chosen = order[start : start + TOGETHER]
        found |= zip(chosen, reader.find([lines[place] for place in chosen], zeros), strict=True)
    return [found[place] for place in range(len(lines))]


def _open(shared: Path, work: Path) -> None:
    _forest.append(open_forest(shared, work))


def _ask(question: tuple[NDArray[np.int64], NDArray[np.int64], int]) -> tuple[NDArray[np.float16], NDArray[np.float16]]:
    lengths, values = advise(_forest[0], *question)
    return lengths.astype(np.float16), values.astype(np.float16)


def consult(shared: Path, work: Path, zeros: bool) -> None:
    """Writes both files; finished ones are kept."""
    if (work / "values.f16").exists():
        return
    lines: list[Line] = pickle.loads((work / "lines.pickle").read_bytes())
    rows = np.load(work / "utterances.npz")["rows"]
    ids = [ids_of(line) for line in lines]
    codes = [
        contexts(own, np.array(line.tones), found)
        for own, line, found in zip(ids, lines, find_all(load_reader(work), lines, zeros), strict=True)
    ]
    open_forest(shared, work)  # once, before several processes want it

    def questions() -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
        for line, role, *_ in rows:
            yield ids[line], codes[line], int(role)

    unfinished = work / "values.new"
    with (
        multiprocessing.Pool(os.cpu_count(), _open, (shared, work)) as pool,
        unfinished.open("wb") as said,
        (work / "lengths.f16").open("wb") as lasting,
    ):
        for lengths, values in tqdm(pool.imap(_ask, questions(), chunksize=64), total=len(rows), mininterval=20):
            lasting.write(lengths.tobytes())
            said.write(values.tobytes())
    unfinished.replace(work / "values.f16")


def open_advice(work: Path) -> tuple[NDArray[np.float16], NDArray[np.float16]]:
    """Lengths (phones, 5) and values (phones, 5, VALUES)."""
    lengths, values = (np.memmap(work / f"{name}.f16", np.float16, "r") for name in ("lengths", "values"))
    return lengths.reshape(-1, STATES), values.reshape(-1, STATES, VALUES)
