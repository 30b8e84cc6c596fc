"""Trains the student and its BERT together on the teacher's parameters. Resumes from `student.pt` if stopped.

Usage: `python train.py --shared ../shared --work WORK --minutes 50`
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from batches import Corpus
from bert import StarterBert
from corpus import SEED
from frontend import analyse
from hts import HtsVoice
from network import Student
from torch import Tensor, nn
from torch.nn import functional

RATE, BERT_RATE = 1.5e-3, 5e-4
WARM_UP = 200
AVERAGE = 0.998
SAVE_S = 60.0


def spectrum_table(deviation: np.ndarray) -> Tensor:
    """Normalised mel-cepstra to log amplitude at 62 frequencies, 60 Hz to 20 kHz, evenly on a log scale."""
    omega = 2 * np.pi * np.geomspace(60, 20000, 62) / 48000
    warped = omega + 2 * np.arctan(0.55 * np.sin(omega) / (1 - 0.55 * np.cos(omega)))
    return torch.from_numpy((np.cos(np.arange(35)[:, None] * warped) * deviation[:35, None]).astype(np.float32))


def losses(batch: dict[str, Tensor], durations: Tensor, guess: Tensor, table: Tensor) -> dict[str, Tensor]:
    """All terms, already weighted; their sum is what is learned."""
    target, real = batch["target"], batch["real_frames"].repeat_interleave(2, 1)
    phones, frames = batch["real_phones"], real.sum()
    error = (guess - target) * real[..., None]
    voiced = target[..., 36] * real
    pairs = (real[:, 1:] * real[:, :-1])[..., None]
    change = (error[:, 1:, :36] - error[:, :-1, :36]) * pairs
    change_f0 = change[..., 35] * voiced[:, 1:] * voiced[:, :-1]
    wanted, given = torch.expm1(batch["durations"]).sum(-1), torch.expm1(functional.relu(durations)).sum(-1)
    voicing = functional.binary_cross_entropy_with_logits(guess[..., 36], target[..., 36], reduction="none")
    return {
        "cepstra": error[..., :35].abs().sum() / frames / 35,
        "spectrum": (error[..., :35] @ table).abs().sum() / frames / 62,
        "f0": 2 * (error[..., 35].abs() * voiced).sum() / voiced.sum(),
        "voicing": (voicing * real).sum() / frames,
        "change": change[..., :35].abs().sum() / frames / 35 + 2 * change_f0.abs().sum() / voiced.sum(),
        "durations": 2 * ((durations - batch["durations"]).abs().mean(-1) * phones).sum() / phones.sum(),
        "lengths": 0.05 * ((given - wanted).abs() * phones).sum() / phones.sum(),
    }


def mute_some(features: Tensor) -> Tensor:
    """Turns the features of some lines off or up and down: people may scale them, and the voice must bear it."""
    dice = torch.rand(features.shape[0], 2)
    scale = torch.where(dice[:, 0] < 0.05, torch.zeros(()), torch.where(dice[:, 0] < 0.25, 0.5 + dice[:, 1], torch.ones(())))
    return features * scale[:, None, None]


def lowpass_of(shared: Path, work: Path) -> np.ndarray:
    """The teacher's constant low-pass taps."""
    line = analyse("あ.")
    assert line is not None
    return HtsVoice(shared / "htsvoice" / "mei_normal.htsvoice", work).run(line.labels).lowpass


class Training:
    """Everything that a checkpoint holds."""

    def __init__(self, shared: Path, work: Path) -> None:
        taught = torch.load(work / "bert.pt", weights_only=False)
        self.path, self.tokens, self.classes = work / "student.pt", taught["tokens"], taught["classes"]
        self.corpus = Corpus(work, self.tokens)
        self.student, self.bert = Student(), StarterBert(len(self.tokens), self.classes)
        self.bert.load_state_dict(taught["bert"])
        self.models = nn.ModuleList([self.student, self.bert])
        used = [*self.bert.tokens.parameters(), *self.bert.places.parameters(), *self.bert.norm_places.parameters()]
        used += [*self.bert.layers.parameters(), *self.bert.norm.parameters(), *self.bert.project.parameters()]
        groups = [{"params": list(self.student.parameters()), "peak": RATE}, {"params": used, "peak": BERT_RATE}]
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
        self.average = {name: value.clone() for name, value in self.models.state_dict().items()}
        self.elapsed, self.step, self.keep, self.polished = 0.0, 0, AVERAGE, False
        corpus = self.corpus
        self.statistics = {"mean": corpus.mean, "deviation": corpus.deviation, "lowpass": lowpass_of(shared, work)}
        self.table = spectrum_table(corpus.deviation)
        if self.path.exists():
            self._resume()

    def _resume(self) -> None:
        state = torch.load(self.path, weights_only=False)
        self.models.load_state_dict(state["models"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average, self.elapsed, self.step = state["average"], state["elapsed"], state["step"]
        self.polished = state.get("polished", False)

    def save(self) -> None:
        """Writes the checkpoint in one move."""
        part = {kind: {name.partition(".")[2]: value for name, value in self.average.items() if name[0] == kind} for kind in "01"}
        state = {"models": self.models.state_dict(), "optimiser": self.optimiser.state_dict(), "average": self.average}
        state |= {"student_average": part["0"], "bert_average": part["1"], "statistics": self.statistics}
        state |= {"tokens": self.tokens, "classes": self.classes, "elapsed": self.elapsed, "step": self.step, "polished": self.polished}
        torch.save(state, self.path.with_suffix(".new"))
        self.path.with_suffix(".new").replace(self.path)

    def learn(self, batch: dict[str, Tensor], done: float, peak: float = 1.0) -> dict[str, Tensor]:
        """One step; `peak` scales the learning rates."""
        scale = peak * min(1.0, (self.step + 1) / WARM_UP) * (0.5 + 0.5 * math.cos(math.pi * min(done, 1.0)))
        for group in self.optimiser.param_groups:
            group["lr"] = group["peak"] * max(scale, 0.005)
        with torch.autocast("cpu", torch.bfloat16):
            features = mute_some(self.bert(batch["ids"], batch["real_ids"]))
            rows = functional.embedding(batch["feature_rows"], features.flatten(0, 1))
            durations, guess = self.student(batch, rows)
        parts = losses(batch, durations, guess.float(), self.table)
        self.optimiser.zero_grad()
        sum(parts.values()).backward()  # type: ignore[union-attr]
        nn.utils.clip_grad_norm_(self.models.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        keep = min(self.keep, self.step / (self.step + 10))
        with torch.no_grad():
            for name, value in self.models.state_dict().items():
                self.average[name].lerp_(value, 1 - keep)
        return parts

    def run(self, minutes: float) -> None:
        """Trains until the whole wall time, counted over all starts, is used."""
        dice, frames, before = np.random.default_rng(SEED + self.step), 0, time.monotonic()
        saved, told = before, before
        while self.elapsed < 60 * minutes:
            for batch in self.corpus.epoch(dice):
                parts = self.learn(batch, self.elapsed / (60 * minutes))
                now = time.monotonic()
                self.elapsed, before, frames = self.elapsed + now - before, now, frames + int(batch["real_frames"].sum()) * 2
                if now - told > 15:
                    report = {name: round(value.item(), 4) for name, value in parts.items()}
                    print(self.step, f"{self.elapsed / 60:.1f} min", f"{frames / (now - told):.0f} frames/s", report, flush=True)
                    told, frames = now, 0
                if now - saved > SAVE_S:
                    self.save()
                    saved = now
                if self.elapsed >= 60 * minutes:
                    break
        self.save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=50)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    Training(options.shared, options.work).run(options.minutes)
