"""First lessons of the starter BERT: masked characters, and what the teacher's labels know that phones and tones do not say.

Usage: `python pretrain.py --shared ../shared --work WORK --minutes 5`
"""

from __future__ import annotations

import argparse
import gzip
import math
import pickle
import random
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from bert import StarterBert
from corpus import SEED, core_texts, held_out
from frontend import Line, analyse, normalise
from torch import Tensor
from torch.nn import functional
from vocabulary import MASK, encode, make_vocabulary

LINES = 60000
BATCH = 64
RATE = 1.5e-3
IGNORED = -100


def read_lines(shared: Path, work: Path) -> list[Line]:
    """Analysed lines of the corpora and of 青空文庫, without those held out; kept on disk."""
    path = work / "pretrain.pickle"
    if not path.exists():
        with gzip.open(shared / "texts" / "aozora_300k.txt.gz", "rt", encoding="utf-8") as file:
            literature = [text.strip() for text in file if 5 <= len(text) <= 100]
        texts = random.Random(SEED + 1).sample(literature, LINES)
        texts += [text for part in core_texts(shared).values() for text in part]
        kept = {normalise(text) for text in held_out(shared)}
        lines = [analyse(text) for text in map(normalise, texts) if text and text not in kept]
        path.write_bytes(pickle.dumps([replace(line, labels=()) for line in lines if line is not None]))
    return list(pickle.loads(path.read_bytes()))


def _batch(lines: list[Line], index: dict[str, int], classes: dict[str, int], dice: np.random.Generator) -> dict[str, Tensor]:
    width = -(-max(len(line.text) + 2 for line in lines) // 16) * 16
    batch = {name: np.full((len(lines), width), IGNORED, np.int64) for name in ("characters", "classes", "borders")}
    ids, real = np.zeros((len(lines), width), np.int64), np.zeros((len(lines), width), np.float32)
    for row, line in enumerate(lines):
        size = len(line.text)
        ids[row, : size + 2] = encode(line.text, index)
        real[row, : size + 2] = 1
        batch["classes"][row, 1 : size + 1] = [classes[name] for name in line.classes]
        batch["borders"][row, 1 : size + 1] = line.borders
    hidden = (dice.random(ids.shape) < 0.12) & (batch["classes"] != IGNORED)
    batch["characters"][hidden] = ids[hidden]
    ids[hidden] = MASK
    return {name: torch.from_numpy(values) for name, values in {**batch, "ids": ids, "real": real}.items()}


def _loss(bert: StarterBert, batch: dict[str, Tensor]) -> dict[str, Tensor]:
    hidden = bert.hidden(batch["ids"], batch["real"])
    masked = batch["characters"] != IGNORED
    losses = {"characters": functional.cross_entropy(bert.characters(hidden[masked]).float(), batch["characters"][masked])}
    for name in ("classes", "borders"):
        guess = getattr(bert, name)(hidden).float()
        losses[name] = functional.cross_entropy(guess.flatten(0, 1), batch[name].flatten(), ignore_index=IGNORED)
    return losses


def pretrain(shared: Path, work: Path, minutes: float) -> None:
    """Writes `bert.pt`; a finished one is kept."""
    if (work / "bert.pt").exists():
        return
    torch.manual_seed(SEED)
    dice = np.random.default_rng(SEED)
    lines = read_lines(shared, work)
    tokens = make_vocabulary(line.text for line in lines)
    index = {token: place for place, token in enumerate(tokens)}
    names = sorted({name for line in lines for name in line.classes})
    classes = {name: place for place, name in enumerate(names)}
    bert = StarterBert(len(tokens), len(names))
    optimiser = torch.optim.AdamW(bert.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.01)
    began, step, order = time.monotonic(), 0, list[int]()
    while (done := (time.monotonic() - began) / (60 * minutes)) < 1:
        if len(order) < BATCH:
            order = [int(place) for place in dice.permutation(len(lines))]
        pool, order = order[:BATCH], order[BATCH:]
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * done))
        with torch.autocast("cpu", torch.bfloat16):
            losses = _loss(bert, _batch([lines[place] for place in pool], index, classes, dice))
        optimiser.zero_grad()
        sum(losses.values()).backward()  # type: ignore[union-attr]
        torch.nn.utils.clip_grad_norm_(bert.parameters(), 1.0)
        optimiser.step()
        step += 1
        if step % 100 == 0:
            print(step, f"{done:.3f}", {name: round(value.item(), 3) for name, value in losses.items()}, flush=True)
    torch.save({"bert": bert.state_dict(), "tokens": tokens, "classes": len(names)}, work / "bert.pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=5)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pretrain(options.shared, options.work, options.minutes)
