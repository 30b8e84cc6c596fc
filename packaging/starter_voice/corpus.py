"""Writes the training corpus: lines from the text files, spoken by the teacher, as flat arrays on disk.

Usage: `python corpus.py --shared ../shared --work WORK`

`lines.pickle` holds the analysed lines, `utterances.npz` speakers, texts and frame ranges, `frames.f16` frames, `states.f16` their means.
"""

import argparse
import multiprocessing
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
from cast import CAST, open_role
from frontend import Line, analyse
from hts import HtsVoice
from teacher import LOG_F0_CENTRE, teach
from texts import Job, plan
from tqdm import tqdm

CHANNELS = 37  # 35 mel-cepstra, log F0, voicing


_cast: list[HtsVoice] = []


def _open_cast(shared: Path, work: Path) -> None:
    _cast.extend(open_role(role, shared, work) for role in CAST)


def _perform(job: Job) -> tuple[Line, list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]] | None:
    """The analysed line, and for each role its durations, frames and states; None for an unreadable text."""
    line = analyse(job.text)
    if line is None:
        return None
    takes = []
    for place in job.roles:
        target = teach(_cast[place], CAST[place], line)
        table, states = target.on_grid(), target.of_states()
        table[:, 35] -= LOG_F0_CENTRE
        states[..., 35] -= LOG_F0_CENTRE
        takes.append((place, target.durations, table.astype(np.float16), states.astype(np.float16)))
    return replace(line, labels=()), takes


def build(shared: Path, work: Path, literature: int) -> None:
    """Writes everything; an existing corpus is kept."""
    if (work / "utterances.npz").exists():
        return
    work.mkdir(parents=True, exist_ok=True)
    for voice in (open_role(role, shared, work) for role in CAST[:1]):
        voice.close()  # compiles the library once, before several processes want it
    lines: list[Line] = []
    rows, durations, start = [], [], 0
    jobs = plan(shared, literature)
    with (
        multiprocessing.Pool(os.cpu_count(), _open_cast, (shared, work)) as pool,
        (work / "frames.f16").open("wb") as file,
        (work / "states.f16").open("wb") as means,
    ):
        for performed in tqdm(pool.imap(_perform, jobs, chunksize=16), total=len(jobs), mininterval=20):
            if performed is None:
                continue
            line, takes = performed
            lines.append(line)
            for place, lengths, table, states in takes:
                file.write(table.tobytes())
                means.write(states.tobytes())
                rows.append((len(lines) - 1, place, start, len(table)))
                durations.append(lengths)
                start += len(table)
    (work / "lines.pickle").write_bytes(pickle.dumps(lines))
    np.savez(work / "utterances.npz", rows=np.array(rows, np.int64), durations=np.concatenate(durations))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--literature", type=int, default=9000, help="lines of 青空文庫")
    options = parser.parse_args()
    build(options.shared, options.work, options.literature)
