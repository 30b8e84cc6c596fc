"""Does the BERT earn its place? The same prosody learned twice for equally many steps, once with its features and once with zeros.

Usage: `python ablation.py --shared ../shared --work WORK --steps 3000`, after `pretrain.py`

Only what follows from the text is learned, durations and the means of states: cheap steps, so that there are enough of them.
Phrase borders come from the features too, or from zeros. Writes `ablation.json`: errors on the held-out lines over all roles,
and how much the features take off them, with 95 % intervals over sentences (bootstrap, the same sentences for both).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from batches import feature_rows
from build import run
from cast import CAST, open_role
from frontend import MARKS, Line, analyse, normalise
from network import Student
from numpy.typing import NDArray
from phrases import TONE_OFFSET, counts, starts_of_moras, thermometer
from pretrain import Reader
from symbols import ID
from teacher import CENT, Target, teach
from texts import held_out
from torch import Tensor

SHARED_FILES = ("lines.pickle", "utterances.npz", "frames.f16", "states.f16", "bert.pt", "libhts_parameters.so")
DRAWS = 2000
SEED = 7


def prepare(work: Path, name: str) -> Path:
    """A work folder of its own that borrows corpus and reader."""
    folder = work / "ablation" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in SHARED_FILES:
        if not (folder / file).exists():
            (folder / file).symlink_to((work / file).resolve())
    return folder


class Judge:
    """A student of `train.py` that reads lines, with the BERT's features or with zeros."""

    def __init__(self, folder: Path, zeros: bool) -> None:
        taught, state = (torch.load(folder / name, weights_only=False) for name in ("bert.pt", "student.pt"))
        self.reader, self.student, self.zeros = Reader(taught["tokens"], taught["classes"]).eval(), Student().eval(), zeros
        self.reader.bert.load_state_dict(taught["bert"])
        self.reader.borders.load_state_dict(taught["borders"])
        self.student.load_state_dict(state["average"])
        self.mean, self.deviation = state["statistics"]["mean"], state["statistics"]["deviation"]

    def read(self, line: Line) -> dict[str, Tensor]:
        """What the student is given for a line."""
        batch, ids = self.reader.batch([line]), np.array([ID[phone] for phone in line.phones])
        _, logits = self.reader(batch, zeros=self.zeros)
        begins = (logits.numpy()[0][: len(ids)] > 0) & starts_of_moras(ids)
        features = self.reader.bert(batch["ids"], batch["real"])[0] * (0 if self.zeros else 1)
        given = (ids, np.array(line.tones) + TONE_OFFSET, thermometer(counts(ids, line.tones, begins)))
        tensors = dict(zip(("phones", "tones", "counts"), (torch.from_numpy(values)[None] for values in given), strict=True))
        return {**tensors, "features": features[torch.from_numpy(feature_rows(line))][None], "real_phones": torch.ones(1, len(ids))}

    def errors(self, line: Line, given: dict[str, Tensor], role: int, target: Target) -> tuple[float, float, float, float]:
        """Sums of one line: squared cents times seconds, seconds; squared milliseconds, phones."""
        durations, states = self.student.states({**given, "role": torch.tensor([role])}, given["features"])
        guess, wanted = states[0].numpy() * self.deviation + self.mean, target.of_states()
        spoken = np.array([phone not in MARKS | {"_"} for phone in line.phones])
        weight = target.durations * (wanted[..., 36] > 0.5) * spoken[:, None]
        cents = (guess[..., 35] - wanted[..., 35]) / CENT
        late_ms = 5 * torch.expm1(torch.relu(durations[0])).sum(-1).numpy() - 1000 * target.durations.sum(1)
        return float((cents**2 * weight).sum()), float(weight.sum()), float((late_ms[spoken] ** 2).sum()), float(spoken.sum())


@torch.no_grad()
def examine(shared: Path, work: Path, folders: dict[str, Path], lines: list[Line]) -> dict[str, NDArray[np.float64]]:
    """For each student the sums of `Judge.errors`, over roles: (lines, 4)."""
    judges = {name: Judge(folder, name == "without") for name, folder in folders.items()}
    given = {name: [judge.read(line) for line in lines] for name, judge in judges.items()}
    sums = {name: np.zeros((len(lines), 4)) for name in judges}
    for place, role in enumerate(CAST):
        voice = open_role(role, shared, work)
        for row, line in enumerate(lines):
            target = teach(voice, role, line)
            for name, judge in judges.items():
                sums[name][row] += judge.errors(line, given[name][row], place, target)
        voice.close()
    return sums


def _rmse(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    total = sums.sum(-2)
    return np.sqrt(total[..., [0, 2]] / total[..., [1, 3]])


def compare(sums: dict[str, NDArray[np.float64]]) -> dict[str, object]:
    """RMSE of both, and without minus with: middle and 95 % interval."""
    drawn = np.random.default_rng(SEED).integers(0, len(sums["with"]), (DRAWS, len(sums["with"])))
    gain = np.quantile(_rmse(sums["without"][drawn]) - _rmse(sums["with"][drawn]), [0.025, 0.5, 0.975], axis=0)
    names = ("f0_cents", "phone_ms")
    rows = {name: dict(zip(names, _rmse(found).tolist(), strict=True)) for name, found in sums.items()}
    return {"lines": len(drawn[0]), **rows, "gain": dict(zip(names, gain.T.tolist(), strict=True))}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=3000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    learned = {name: prepare(options.work, name) for name in ("with", "without")}
    for student, place in learned.items():
        zeros = ["--zeros"] if student == "without" else []
        run("train.py", "--shared", options.shared, "--work", place, "--steps", str(options.steps), "--share", "1", *zeros)
    unseen = [line for line in (analyse(normalise(text)) for text in held_out(options.shared)) if line is not None]
    measured = {"steps": options.steps, **compare(examine(options.shared, options.work, learned, unseen))}
    print(json.dumps(measured, indent=1))
    (options.work / "ablation.json").write_text(json.dumps(measured, indent=1) + "\n")
