"""Writes the model card of the starter voice from what `pretrain.py`, `evaluate.py`, `sweep.py` and `ablation.py` measured.

Usage: `python card.py --work WORK --resources resources`
"""

import argparse
import json
import pickle
from pathlib import Path
from typing import Any

import torch

TEMPLATE = Path(__file__).with_name("model_card.md")
ROW = (
    "| {name} | {mcd_db:.2f} dB | {f0_cents:.0f} ({f0_median_cents:.0f}) cents | {voicing_percent:.1f} % | {phone_ms:.1f} ms | {pause_ms:.0f} ms "
    "| {dnsmos:.2f} / {dnsmos_teacher:.2f} ({dnsmos_better:+.2f} ± {dnsmos_error:.2f}) | {loudness_lufs:.1f} LUFS | {peak:.2f} | {times_real_time:.0f} |"
)
ABLATION = """\
The same prosody (what is found, durations and the means of states, no decoder of frames) learned twice for equally many steps ({steps:,} of the
student), once with the BERT's features and once with zeros; {lines} held-out lines, all roles; 95 % intervals over sentences (bootstrap):

| | F0 RMSE | phone duration RMSE |
|---|---|---|
| with the BERT's features | {with[f0_cents]:.1f} cents | {with[phone_ms]:.2f} ms |
| with zeros | {without[f0_cents]:.1f} cents | {without[phone_ms]:.2f} ms |
| the features take off | {f0[1]:.1f} cents ({f0[0]:.1f} to {f0[2]:.1f}) | {phone[1]:.2f} ms ({phone[0]:.2f} to {phone[2]:.2f}) |"""
NO_ABLATION = "Not measured for this build (`ablation.py`)."


def _ablation(path: Path) -> str:
    if not path.exists():
        return NO_ABLATION
    found = json.loads(path.read_text("utf-8"))
    return ABLATION.format(**found, f0=found["gain"]["f0_cents"], phone=found["gain"]["phone_ms"])


def _numbers(work: Path) -> dict[str, Any]:
    state, taught = (torch.load(work / name, map_location="cpu", weights_only=False) for name in ("student.pt", "bert.pt"))
    measured, swept = (json.loads((work / name).read_text("utf-8")) for name in ("figures.json", "sweep.json"))
    forest = pickle.loads((work / "forest.pickle").read_bytes())
    rows = list(measured["roles"].values())
    levels = [row["loudness_lufs"] for row in rows]
    return {
        "parameters": sum(value.numel() for part in (state["average"], taught["finder"]) for value in part.values()) / 1e6,
        "bert_parameters": sum(value.numel() for value in taught["bert"].values()) / 1e6,
        "leaves": f"{len(forest.durations) + len(forest.spectra) + len(forest.pitches):,}",
        "questions": f"{len(forest.fields):,}",
        "hours": (work / "frames.f16").stat().st_size / 37 / 2 * 256 / 44100 / 3600,
        "minutes": state["elapsed"] / 60,
        "steps": f"{state['step']:,}",
        "reader_steps": f"{taught['steps']:,}",
        "lines": measured["lines"],
        "rows": "\n".join(
            ROW.format(name=name, dnsmos_better=row["dnsmos"] - row["dnsmos_teacher"], **row) for name, row in measured["roles"].items()
        ),
        "f0_with": sum(row["f0_cents"] for row in rows) / len(rows),
        "f0_zeros": sum(row["f0_cents_without_bert"] for row in rows) / len(rows),
        "spread": max(levels) - min(levels),
        "swept": swept["lines"],
        "wrong": len(swept["wrong"]),
        "seam": swept["extremes"]["seam"][1],
        "highest": swept["extremes"]["peak"][1],
        "offset": swept["extremes"]["offset"][1],
        "ablation": _ablation(work / "ablation.json"),
        **{name: 100 * share for name, share in taught["facts"].items()},
    }


def write_card(work: Path, resources: Path) -> None:
    """Writes `MODEL_CARD.md` into the voice's folder."""
    folders = [resources / "voices" / "mei", resources / "bert" / "starter"]
    size = sum(path.stat().st_size for folder in folders for path in folder.glob("*.*") if path.suffix not in (".md", ".png", ".jpg")) / 1e6
    card = TEMPLATE.read_text("utf-8").format(size=size, **_numbers(work))
    (folders[0] / "MODEL_CARD.md").write_text(card, "utf-8", newline="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    options = parser.parse_args()
    write_card(options.work, options.resources)
