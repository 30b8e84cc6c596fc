"""Last lessons: very short lines beside ordinary ones, at a falling rate, starting from the averaged weights.

Usage: `python polish.py --shared ../shared --work WORK --minutes 3`
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from batches import Corpus
from corpus import SEED
from torch import Tensor
from train import WARM_UP, Training

PEAK = 0.3  # of the rates of the first training
AVERAGE = 0.98


def endless(corpus: Corpus, dice: np.random.Generator) -> Iterator[dict[str, Tensor]]:
    """Epoch after epoch."""
    while True:
        yield from corpus.epoch(dice)


def polish(shared: Path, work: Path, minutes: float) -> None:
    """Replaces the averaged weights in `student.pt`; done once."""
    training = Training(shared, work)
    if training.polished:
        return
    training.models.load_state_dict(training.average)
    training.step, training.keep = max(training.step, WARM_UP), AVERAGE
    short = Corpus(work / "short", training.tokens)
    short.mean, short.deviation = training.corpus.mean, training.corpus.deviation
    dice, began = np.random.default_rng(SEED), time.monotonic()
    ordinary, brief, turn = endless(training.corpus, dice), endless(short, dice), 0
    while (done := (time.monotonic() - began) / (60 * minutes)) < 1:
        parts = training.learn(next(brief if turn % 3 == 2 else ordinary), done, PEAK)
        turn += 1
        if turn % 30 < 3:
            print(turn, {name: round(value.item(), 4) for name, value in parts.items()}, flush=True)
    training.elapsed, training.polished = training.elapsed + 60 * minutes, True
    training.save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    polish(options.shared, options.work, options.minutes)
