"""PyTorch as one more candidate of `koebako lab compare`: the network of the starter BERT beside the graph that is written from it.

    python -m tests.benchmarks.torch_column [--tokens 5,20,40] [--runs 10] [--seconds 3]

Needs the `training` extra. Weights are random: they tell time, and that both compute the same, nothing else.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from app.adapters.ort.lab_sessions import open_at_level
from app.adapters.ort.session_options import count_intra_threads
from app.bench.repeated_runs import Repeats
from app.lab.compare.compare_candidates import CandidateSessions, CompareCandidate, EnergyMeter, measure_candidates
from app.lab.compare.comparison_run import build_sentence_rows, find_crossovers
from app.lab.report_rows import Row
from app.lab.report_tables import format_as_text
from app.lab.subject_lookup import build_machine_row
from app.lab.verify.graph_pair import VerifyLimit, compute_figures

sys.path.append(str(Path(__file__).parents[2] / "packaging" / "starter_voice"))
from bert import StarterBert
from export_bert import export_bert

VOCABULARY = 4000
SAME = VerifyLimit("relative", 1e-4)  # the graph keeps its tables of positions in halves, too
TORCH = CompareCandidate("cpu", "float32", "eager", "torch")
GRAPH = CompareCandidate("cpu", "float32", "all", "prepared")


class TorchSession:
    """A module that is run as a session is: one sentence, without a batch axis."""

    inputs: dict[str, tuple[np.dtype[Any], int]] = {"input_ids": (np.dtype(np.int64), 1)}  # noqa: RUF012
    outputs = ["output"]  # noqa: RUF012

    def __init__(self, module: torch.nn.Module) -> None:
        self._module = module.eval()

    @torch.inference_mode()
    def run_graph(self, values: dict[str, Any], outputs: Sequence[str] | None = None) -> list[np.ndarray]:
        """Features (n, 1024)."""
        ids = torch.from_numpy(np.asarray(values["input_ids"]))[None]
        return [self._module(ids, torch.ones_like(ids, dtype=torch.float32))[0].numpy()]

    def terminate(self) -> None:
        """Runs end by themselves."""


def rows(tokens: Sequence[int], repeats: Repeats) -> list[Row]:
    """Both candidates at each length; AssertionError where they do not compute the same."""
    torch.manual_seed(0)
    torch.set_num_threads(count_intra_threads())
    model, found = StarterBert(VOCABULARY).eval(), list[Row]()
    for weight in model.parameters():
        weight.data = weight.data.half().float()  # the graph keeps halves
    with tempfile.TemporaryDirectory() as folder:
        export_bert(model, Path(folder) / "bert.onnx")
        sessions: dict[CompareCandidate, Any] = {
            TORCH: TorchSession(model),
            GRAPH: open_at_level(Path(folder) / "bert.onnx", "all", "bert"),
        }
    opened = {item.name: CandidateSessions(item, {"bert": session}, frozenset({"bert"}), 0.0) for item, session in sessions.items()}
    for length in tokens:
        values = {"bert": {"input_ids": np.random.default_rng(length).integers(VOCABULARY, size=length)}}
        expected, same = (item.sessions["bert"].run_graph(values["bert"]) for item in opened.values())
        figures = compute_figures("bert", expected, same)
        assert SAME.is_met(figures), figures
        times = measure_candidates(opened, dict.fromkeys(opened, values), repeats, EnergyMeter())
        found += build_sentence_rows(times, f"{length} tokens", 1, length, None)
    return [*found, *find_crossovers(found)]


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", default="5,20,40")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    lengths = [int(item) for item in options.tokens.split(",")]
    print(format_as_text([build_machine_row("cpu"), *rows(lengths, Repeats(options.runs, seconds=options.seconds))]))


if __name__ == "__main__":
    main()
