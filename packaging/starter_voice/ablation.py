"""Does the BERT earn its place? The same student trained twice for equally many steps, once with its features and once with zeros.

Usage: `python ablation.py --shared ../shared --work WORK --steps 1500`, after `pretrain.py`

Writes `ablation.json`: F0 and duration errors of both on lines that no role has learned, mean over all roles.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from build import run
from cast import CAST, open_role
from evaluate import compare
from frontend import analyse, normalise
from speaker import Speaker
from teacher import teach
from texts import held_out

SHARED_FILES = ("lines.pickle", "utterances.npz", "frames.f16", "pretrain.pickle", "libhts_parameters.so")


def prepare(work: Path, name: str, files: tuple[str, ...]) -> Path:
    """A work folder of its own that borrows the corpus."""
    folder = work / "ablation" / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        if not (folder / file).exists():
            (folder / file).symlink_to((work / file).resolve())
    return folder


def examine(shared: Path, work: Path, resources: Path, count: int, bert: float) -> dict[str, float]:
    """RMSE over the lines, mean over the roles."""
    speaker, texts = Speaker(resources), held_out(shared)
    lines = [line for line in (analyse(normalise(text)) for text in [*texts[:count], *texts[100 : 100 + count]]) if line is not None]
    rows = []
    for role in CAST:
        voice = open_role(role, shared, work)
        found = [compare(speaker, line, teach(voice, role, line), speaker.who(role), bert) for line in lines]
        voice.close()
        errors = {key: np.concatenate([part[key] for part in found]) for key in ("f0", "phone", "pause")}
        rows.append({key: float(np.sqrt(np.mean(values**2))) for key, values in errors.items()})
    mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    return {"f0_cents": mean["f0"], "phone_ms": 1000 * mean["phone"], "pause_ms": 1000 * mean["pause"], "lines": len(lines)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--border-minutes", type=float, default=4, help="lessons in borders for the student that gets zeros")
    parser.add_argument("--lines", type=int, default=20, help="held-out lines of each corpus")
    options = parser.parse_args()
    measured = {}
    for name, files, zeros in (("with", (*SHARED_FILES, "bert.pt"), []), ("without", SHARED_FILES, ["--zeros"])):
        folder = prepare(options.work, name, files)
        places = ("--shared", options.shared, "--work", folder)
        run("pretrain.py", *places, "--minutes", str(options.border_minutes), *zeros)
        run("train.py", *places, "--steps", str(options.steps), *zeros)
        run("export.py", "--work", folder, "--resources", folder)
        measured[name] = examine(options.shared, options.work, folder, options.lines, 0.0 if zeros else 1.0)
        print(name, measured[name], flush=True)
    (options.work / "ablation.json").write_text(json.dumps({"steps": options.steps, **measured}, indent=1) + "\n")
