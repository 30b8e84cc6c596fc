"""Does the BERT earn its place? The same prosody learned twice for equally many steps, once with its features and once with zeros.

Usage: `python ablation.py --shared ../shared --work WORK --steps 1000`, after `pretrain.py`

Without features the finder learns again, from phones and tones alone, for as many steps as it did with the BERT. Of the student only
what follows from the text is learned, durations and the means of states. Writes `ablation.json`: errors on the held-out lines over all
roles, and how much the features take off them, with 95 % intervals over sentences (bootstrap, the same sentences for both).
"""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from advice import advise
from build import run
from cast import CAST, open_role
from contexts import TONE_OFFSET, contexts
from forest import Forest, open_forest
from frontend import MARKS, Line, analyse, ids_of, normalise
from network import Student
from numpy.typing import NDArray
from pretrain import load_reader
from teacher import CENT, Target, teach
from texts import held_out
from torch import Tensor

SHARED_FILES = ("lines.pickle", "pretrain.pickle", "utterances.npz", "frames.f16", "states.f16", "forest.pickle", "libhts_parameters.so")
DRAWS = 2000
SEED = 7


def prepare(work: Path, name: str) -> Path:
    """A work folder of its own that borrows the corpus, and the reader where it has features."""
    folder = work / "ablation" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in (*SHARED_FILES, *["bert.pt"] * (name == "with")):
        if not (folder / file).exists():
            (folder / file).symlink_to((work / file).resolve())
    return folder


class Judge:
    """A student of `train.py` that reads lines, with the BERT's features or with zeros."""

    def __init__(self, folder: Path, forest: Forest, zeros: bool) -> None:
        state = torch.load(folder / "student.pt", weights_only=False)
        self._reader, self._student, self._forest, self._zeros = load_reader(folder), Student().eval(), forest, zeros
        self._student.load_state_dict(state["average"])
        self._mean, self._deviation = state["statistics"]["mean"], state["statistics"]["deviation"]

    def read(self, line: Line) -> NDArray[np.int64]:
        """The codes of a line's labels."""
        return contexts(ids_of(line), np.array(line.tones), self._reader.find([line], self._zeros)[0])

    def _given(self, line: Line, codes: NDArray[np.int64], role: int) -> dict[str, Tensor]:
        ids = ids_of(line)
        lengths, values = advise(self._forest, ids, codes, role)
        rows = {"phones": ids, "tones": np.array(line.tones) + TONE_OFFSET, "values": values, "lengths": np.log1p(lengths)}
        rows["real_phones"] = np.ones(len(ids), np.float32)
        return {"role": torch.tensor([role]), **{name: torch.from_numpy(values)[None] for name, values in rows.items()}}

    def errors(self, line: Line, codes: NDArray[np.int64], role: int, target: Target) -> tuple[float, float, float, float]:
        """Sums of one line: squared cents times seconds, seconds; squared milliseconds, phones."""
        durations, states = self._student.states(self._given(line, codes, role))
        guess, wanted = states[0].numpy() * self._deviation + self._mean, target.of_states()
        spoken = np.array([phone not in MARKS | {"_"} for phone in line.phones])
        weight = target.durations * (wanted[..., 36] > 0.5) * spoken[:, None]
        cents = (guess[..., 35] - wanted[..., 35]) / CENT
        late_ms = 5 * torch.expm1(torch.relu(durations[0])).sum(-1).numpy() - 1000 * target.durations.sum(1)
        return float((cents**2 * weight).sum()), float(weight.sum()), float((late_ms[spoken] ** 2).sum()), float(spoken.sum())


@torch.no_grad()
def examine(shared: Path, work: Path, folders: dict[str, Path], lines: list[Line]) -> dict[str, NDArray[np.float64]]:
    """For each student the sums of `Judge.errors`, over roles: (lines, 4)."""
    forest = open_forest(shared, work)
    judges = {name: Judge(folder, forest, name == "without") for name, folder in folders.items()}
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
    parser.add_argument("--steps", type=int, default=1000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    learned = {name: prepare(options.work, name) for name in ("with", "without")}
    steps = torch.load(options.work / "bert.pt", weights_only=False)["steps"]
    for student, place in learned.items():
        zeros = ["--zeros"] if student == "without" else []
        run("pretrain.py", "--shared", options.shared, "--work", place, "--steps", str(steps), *zeros)
        run("train.py", "--shared", options.shared, "--work", place, "--steps", str(options.steps), "--share", "1", *zeros)
    unseen = [line for line in (analyse(normalise(text)) for text in held_out(options.shared)) if line is not None]
    measured = {"steps": options.steps, **compare(examine(options.shared, options.work, learned, unseen))}
    print(json.dumps(measured, indent=1))
    (options.work / "ablation.json").write_text(json.dumps(measured, indent=1) + "\n")
