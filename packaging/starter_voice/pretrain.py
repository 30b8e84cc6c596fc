"""Lessons before the voice: the BERT, and what asks it, learn to read words, phrases and voiceless vowels as the teachers' labels have them.

Usage: `python pretrain.py --shared ../shared --work WORK --minutes 12`
"""

import argparse
import gzip
import math
import multiprocessing
import os
import pickle
import random
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from bert import OUTPUT, StarterBert
from contexts import TONE_OFFSET, VOWEL_IDS, Found, starts_of_moras, word_codes
from frontend import SILENT_WORDS, Line, analyse, feature_rows, ids_of, normalise
from network import Finder
from numpy.typing import NDArray
from texts import SEED, core_texts, held_out
from torch import Tensor, nn
from torch.nn import functional
from vocabulary import SPECIAL, UNK, encode, make_vocabulary

LINES = 90000
BATCH = 64
RATE = 2e-3
UNKNOWN = 0.03  # share of characters that are hidden, so that one it has never met does not upset it
IGNORED = -100


def _analyse(text: str) -> Line | None:
    line = analyse(text)
    return None if line is None else replace(line, labels=())


def read_lines(shared: Path, work: Path) -> list[Line]:
    """Analysed lines of the corpora and of 青空文庫, without those held out; kept on disk."""
    path = work / "pretrain.pickle"
    if not path.exists():
        with gzip.open(shared / "texts" / "aozora_300k.txt.gz", "rt", encoding="utf-8") as file:
            literature = [text.strip() for text in file if 5 <= len(text) <= 100]
        texts = random.Random(SEED + 1).sample(literature, LINES)
        texts += [text for part in core_texts(shared).values() for text in part]
        kept = {normalise(text) for text in held_out(shared)}
        wanted = [text for text in map(normalise, texts) if text and text not in kept]
        with multiprocessing.Pool(os.cpu_count()) as pool:
            lines = pool.map(_analyse, wanted, chunksize=256)
        path.write_bytes(pickle.dumps([line for line in lines if line is not None]))
    return list(pickle.loads(path.read_bytes()))


def mute_some(features: Tensor) -> Tensor:
    """Turns the features of some lines off or up and down: people may scale them, and the voice must tolerate it."""
    dice = torch.rand(features.shape[0], 2)
    scale = torch.where(dice[:, 0] < 0.05, torch.zeros(()), torch.where(dice[:, 0] < 0.25, 0.5 + dice[:, 1], torch.ones(())))
    return features * scale[:, None, None]


class Reader(nn.Module):
    """The BERT, and the finder that asks it."""

    def __init__(self, tokens: list[str], classes: list[str]) -> None:
        super().__init__()
        self.bert, self.finder = StarterBert(len(tokens)), Finder(len(classes))
        self.index = {token: place for place, token in enumerate(tokens)}
        self.classes = {name: place for place, name in enumerate(classes)}
        self.codes = np.array([word_codes(name) for name in classes])

    def batch(self, lines: list[Line], dice: np.random.Generator | None = None) -> dict[str, Tensor]:
        """Padded tensors of some lines; characters are hidden by `dice` if given."""
        count, width = len(lines), -(-max(len(line.text) + 2 for line in lines) // 16) * 16
        longest = -(-max(len(line.phones) for line in lines) // 32) * 32
        ids, real = np.zeros((count, width), np.int64), np.zeros((count, width), np.float32)
        words = np.full((count, longest, 3), IGNORED, np.int64)
        phones, tones, rows = (np.zeros((count, longest), np.int64) for _ in range(3))
        marks, asked = (np.zeros((count, longest, 2), np.float32) for _ in range(2))
        real_phones = np.zeros((count, longest), np.float32)
        for row, line in enumerate(lines):
            size, characters = len(line.phones), len(line.text)
            of_phones = feature_rows(line)
            ids[row, : characters + 2], real[row, : characters + 2] = encode(line.text, self.index), 1
            names = [SILENT_WORDS, *line.words, SILENT_WORDS]
            numbers = np.array([[self.classes.get(name, IGNORED) if any(three) else IGNORED for name in three] for three in names])
            words[row, :size] = numbers[of_phones]
            phones[row, :size], tones[row, :size] = ids_of(line), np.array(line.tones) + TONE_OFFSET
            rows[row, :size], real_phones[row, :size] = row * width + of_phones, 1
            marks[row, :size] = np.stack([line.begins, line.voiceless], 1)
            asked[row, :size] = np.stack(may_be(phones[row, :size]), 1)
        if dice is not None:
            ids[(dice.random(ids.shape) < UNKNOWN) & (real > 0) & (ids >= len(SPECIAL))] = UNK
        names_of = ("ids", "real", "words", "phones", "tones", "rows", "marks", "asked", "real_phones")
        arrays: tuple[NDArray[np.generic], ...] = (ids, real, words, phones, tones, rows, marks, asked, real_phones)
        return {name: torch.from_numpy(values) for name, values in zip(names_of, arrays, strict=True)}

    def forward(self, batch: dict[str, Tensor], mute: bool = False, zeros: bool = False) -> tuple[Tensor, Tensor]:
        """Logits of marks (B, n, 2) and of words (B, n, 3, classes)."""
        ids = batch["ids"]
        features = torch.zeros(*ids.shape, OUTPUT) if zeros else self.bert(ids, batch["real"])
        features = mute_some(features) if mute else features
        rows = functional.embedding(batch["rows"], features.flatten(0, 1))
        marks, words = self.finder(batch["phones"], batch["tones"], rows, batch["real_phones"])
        return marks, words

    @torch.no_grad()
    def find(self, lines: list[Line], zeros: bool = False) -> list[Found]:
        """What it finds in some lines."""
        batch = self.batch(lines)
        with torch.autocast("cpu", torch.bfloat16):
            marks, words = self(batch, zeros=zeros)
        named, yes = self.codes[words.argmax(-1).numpy()].reshape(*marks.shape[:2], 9), (marks > 0).numpy() & batch["asked"].bool().numpy()
        return [
            Found(y[: len(line.phones), 0], y[: len(line.phones), 1], n[: len(line.phones)])
            for line, y, n in zip(lines, yes, named, strict=True)
        ]


def load_reader(work: Path) -> Reader:
    """The reader as `bert.pt` has it."""
    taught = torch.load(work / "bert.pt", map_location="cpu", weights_only=False)
    reader = Reader(taught["tokens"], taught["classes"]).requires_grad_(False).eval()
    reader.bert.load_state_dict(taught["bert"])
    reader.finder.load_state_dict(taught["finder"])
    return reader


def may_be(phones: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which phones may begin an accent phrase, and which may be a vowel without voice."""
    return starts_of_moras(phones), np.isin(phones, VOWEL_IDS)


def _losses(batch: dict[str, Tensor], marks: Tensor, words: Tensor) -> dict[str, Tensor]:
    wrong = functional.binary_cross_entropy_with_logits(marks, batch["marks"], reduction="none") * batch["asked"]
    begins, voiceless = (wrong.sum((0, 1)) / batch["asked"].sum((0, 1))).unbind()
    named = functional.cross_entropy(words.flatten(0, 2), batch["words"].flatten(), ignore_index=IGNORED)
    return {"words": named, "begins": 4 * begins, "voiceless": 4 * voiceless}


@torch.no_grad()
def examine(reader: Reader, lines: list[Line]) -> dict[str, float]:
    """Share of words it names right, and of phones where it is right about a phrase, and about a voice; the same given zeros."""
    batch, facts = reader.batch(lines), dict[str, float]()
    for suffix, zeros in (("", False), ("_without_bert", True)):
        marks, words = reader(batch, zeros=zeros)
        known = batch["words"] != IGNORED
        right = ((marks > 0) == batch["marks"].bool()).float() * batch["asked"]
        begins, voiceless = (right.sum((0, 1)) / batch["asked"].sum((0, 1))).tolist()
        named = (words.argmax(-1) == batch["words"])[known].float().mean().item()
        facts |= {f"words{suffix}": named, f"begins{suffix}": begins, f"voiceless{suffix}": voiceless}
    return facts


def pretrain(shared: Path, work: Path, minutes: float, steps: int, zeros: bool) -> None:
    """Writes `bert.pt` after so many minutes, or steps if given; a finished one is kept."""
    if (work / "bert.pt").exists():
        return
    torch.manual_seed(SEED)
    dice = np.random.default_rng(SEED)
    lines = read_lines(shared, work)
    tokens = make_vocabulary(line.text for line in lines)
    reader = Reader(tokens, sorted({name for line in lines for names in line.words for name in names}))
    optimiser = torch.optim.AdamW(reader.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.01)
    began, step, order = time.monotonic(), 0, list[int]()
    while (done := step / steps if steps else (time.monotonic() - began) / (60 * minutes)) < 1:
        if len(order) < 8 * BATCH:
            order = [int(place) for place in dice.permutation(len(lines))]
        pool = sorted(order[: 8 * BATCH], key=lambda place: len(lines[place].text))  # lines of like length waste less padding
        order = order[8 * BATCH :]
        for part in dice.permutation(8):
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * min(done, 1.0)))
            batch = reader.batch([lines[place] for place in pool[part * BATCH : (part + 1) * BATCH]], dice)
            with torch.autocast("cpu", torch.bfloat16):
                losses = _losses(batch, *reader(batch, mute=True, zeros=zeros))
            optimiser.zero_grad()
            sum(losses.values()).backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            step += 1
        if step % 80 == 0:
            print(step, f"{done:.3f}", {name: round(value.item(), 4) for name, value in losses.items()}, flush=True)
    reader.eval()
    facts = examine(reader, [line for line in map(_analyse, map(normalise, held_out(shared))) if line is not None])
    print(facts, flush=True)
    state = {"bert": reader.bert.state_dict(), "finder": reader.finder.state_dict()}
    torch.save({**state, "tokens": tokens, "classes": list(reader.classes), "facts": facts, "steps": step}, work / "bert.pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--steps", type=int, default=0, help="instead of minutes")
    parser.add_argument("--zeros", action="store_true", help="for comparison: all without the BERT's features")
    options = parser.parse_args()
    torch.set_num_threads(1)
    pretrain(options.shared, options.work, options.minutes, options.steps, options.zeros)
