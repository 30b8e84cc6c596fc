"""Trains the student on the teachers' parameters, reading with the BERT of `pretrain.py`. Resumes from `student.pt` if stopped.

Usage: `python train.py --shared ../shared --work WORK --minutes 50`
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from batches import Corpus
from cast import CAST, open_role
from consult import consult
from frontend import analyse
from network import Student
from texts import SEED
from torch import Tensor, nn
from torch.nn import functional

RATE = 1.5e-3
STATES_SHARE = 0.2  # of the training goes to the means of states alone, at a quarter of the cost of frames
WARM_UP = 200
AVERAGE = 0.998
SAVE_S = 60.0
LONGEST_STEP_S = 5.0  # a longer step slept: a suspended process does not learn


def spectrum_table(deviation: np.ndarray) -> Tensor:
    """Normalised mel-cepstra to log amplitude at 62 frequencies, 60 Hz to 20 kHz, evenly on a log scale."""
    omega = 2 * np.pi * np.geomspace(60, 20000, 62) / 48000
    warped = omega + 2 * np.arctan(0.55 * np.sin(omega) / (1 - 0.55 * np.cos(omega)))
    return torch.from_numpy((np.cos(np.arange(35)[:, None] * warped) * deviation[:35, None]).astype(np.float32))


def losses(batch: dict[str, Tensor], durations: Tensor, guess: Tensor, table: Tensor, deviation: Tensor) -> dict[str, Tensor]:
    """All terms, already weighted; their sum is what is learned. A guess is one of frames or of states."""
    target, weight, phones = batch["target"], batch["weight"], batch["real_phones"]
    total, error, voiced = weight.sum(), guess - target, target[..., 36] * weight
    distance = ((error[..., 1:35] * deviation[1:35]) ** 2).sum(-1).add(1e-4).sqrt()
    wanted, given = torch.expm1(batch["durations"]).sum(-1), torch.expm1(functional.relu(durations)).sum(-1)
    voicing = functional.binary_cross_entropy_with_logits(guess[..., 36], target[..., 36], reduction="none")
    return {
        "distance": 1.5 * (distance * weight).sum() / total,
        "spectrum": ((error[..., :35] @ table).abs().mean(-1) * weight).sum() / total,
        "f0": 2 * ((error[..., 35].abs() + error[..., 35] ** 2) * voiced).sum() / voiced.sum(),
        "voicing": (voicing * weight).sum() / total,
        "change": changes(error, weight, voiced) if guess.dim() == 3 else torch.zeros(()),
        "durations": 2 * ((durations - batch["durations"]).abs().mean(-1) * phones).sum() / phones.sum(),
        "lengths": 0.05 * ((given - wanted).abs() * phones).sum() / phones.sum(),
    }


def changes(error: Tensor, real: Tensor, voiced: Tensor) -> Tensor:
    """How much the error moves from frame to frame."""
    change = (error[:, 1:, :36] - error[:, :-1, :36]) * (real[:, 1:] * real[:, :-1])[..., None]
    change_f0 = change[..., 35] * voiced[:, 1:] * voiced[:, :-1]
    return change[..., :35].abs().sum() / real.sum() / 35 + 2 * change_f0.abs().sum() / voiced.sum()


def lowpass_of(shared: Path, work: Path) -> np.ndarray:
    """The teachers' low-pass taps, the same for all of them and always."""
    line = analyse("あ.")
    assert line is not None
    return open_role(CAST[0], shared, work).run(line.labels).lowpass


class Training:
    """Everything that a checkpoint holds."""

    def __init__(self, shared: Path, work: Path, zeros: bool, start: Path | None = None, share: float = STATES_SHARE) -> None:
        self.path, self.share = work / "student.pt", share
        consult(shared, work, zeros)
        self.corpus = Corpus(work)
        self.student = Student()
        if start is not None:
            self._start_from(start)
        late = [parameter for name, parameter in self.student.frames.named_parameters() if not name.startswith("direct")]
        early = [parameter for parameter in self.student.parameters() if not any(parameter is other for other in late)]
        groups = [{"params": early}, {"params": late}]
        self.optimiser = torch.optim.AdamW(groups, RATE, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
        self.average = {name: value.clone() for name, value in self.student.state_dict().items()}
        self.elapsed, self.step = 0.0, 0
        corpus = self.corpus
        self.statistics = {"mean": corpus.mean, "deviation": corpus.deviation, "lowpass": lowpass_of(shared, work)}
        self.table, self.deviation = spectrum_table(corpus.deviation), torch.from_numpy(corpus.deviation)
        if self.path.exists():
            self._resume()

    def _start_from(self, start: Path) -> None:
        """Takes over a student that learned from the same BERT; parts that it lacks begin silent."""
        earlier = torch.load(start, weights_only=False)
        _, unknown = self.student.load_state_dict(earlier["average"], strict=False)
        if unknown:
            raise ValueError(f"another network: {unknown}")
        self.corpus.mean, self.corpus.deviation = earlier["statistics"]["mean"], earlier["statistics"]["deviation"]

    def _resume(self) -> None:
        state = torch.load(self.path, weights_only=False)
        self.student.load_state_dict(state["student"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.average, self.elapsed, self.step = state["average"], state["elapsed"], state["step"]

    def save(self) -> None:
        """Writes the checkpoint in one move."""
        state = {"student": self.student.state_dict(), "optimiser": self.optimiser.state_dict(), "average": self.average}
        state |= {"statistics": self.statistics, "elapsed": self.elapsed, "step": self.step}
        torch.save(state, self.path.with_suffix(".new"))
        self.path.with_suffix(".new").replace(self.path)

    def learn(self, batch: dict[str, Tensor], done: float) -> dict[str, Tensor]:
        """One step at `done` (0 … 1) of the schedule; what decodes frames starts late and has a schedule of its own."""
        late = max(done - self.share, 0.0) / max(1 - self.share, 1e-9)
        for group, place, start in zip(self.optimiser.param_groups, (done, late), (self.step / WARM_UP, late * 50), strict=True):
            group["lr"] = RATE * max(min(1.0, start) * (0.5 + 0.5 * math.cos(math.pi * min(place, 1.0))), 0.005)
        with torch.autocast("cpu", torch.bfloat16):
            durations, guess = (self.student if "positions" in batch else self.student.states)(batch)
        parts = losses(batch, durations, guess.float(), self.table, self.deviation)
        self.optimiser.zero_grad()
        sum(parts.values()).backward()  # type: ignore[union-attr]
        nn.utils.clip_grad_norm_(self.student.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        keep = min(AVERAGE, self.step / (self.step + 10))
        torch._foreach_lerp_(list(self.average.values()), list(self.student.state_dict().values()), 1 - keep)
        return parts

    def run(self, minutes: float, steps: int = 0) -> None:
        """Trains until the whole wall time, counted over all starts, is used; or, for comparisons on a shared machine, `steps` steps."""
        dice, frames, before = np.random.default_rng(SEED + self.step), 0, time.monotonic()
        saved = reported = before

        def done() -> float:
            return self.step / steps if steps else self.elapsed / (60 * minutes)

        while done() < 1:
            in_frames = done() >= self.share
            for batch in self.corpus.epoch(dice, in_frames):
                parts = self.learn(batch, done())
                now = time.monotonic()
                self.elapsed, before = self.elapsed + min(now - before, LONGEST_STEP_S), now
                frames += int(batch["weight"].sum())
                if now - reported > 30:
                    report = {name: round(value.item(), 4) for name, value in parts.items()}
                    print(self.step, f"{self.elapsed / 60:.1f} min", f"{frames / (now - reported):.0f} frames/s", report, flush=True)
                    reported, frames = now, 0
                if now - saved > SAVE_S:
                    self.save()
                    saved = now
                if done() >= 1 or (done() >= self.share) != in_frames:
                    break
        self.save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=45)
    parser.add_argument("--steps", type=int, default=0, help="instead of minutes")
    parser.add_argument("--share", type=float, default=STATES_SHARE, help="of the training that goes to the means of states alone")
    parser.add_argument("--start", type=Path, help="an earlier student.pt to go on from, in place of nothing")
    parser.add_argument("--zeros", action="store_true", help="for comparison: a voice that never sees the BERT's features")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    Training(options.shared, options.work, options.zeros, options.start, options.share).run(options.minutes, options.steps)
