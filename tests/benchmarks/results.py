"""The table of what is to be reached, filled in: several runs of `koebako bench --reference`, the overhead and the start, as Markdown.

    python -m tests.benchmarks.results --voice VOICE_FOLDER --bert BERT_FOLDER [--runs 3] [--turns 6]
    python -m tests.benchmarks.results --from run1.json run2.json run3.json

Real-size models with random weights, which is what the goals are for, come from (in an environment as that script describes it)

    python ../shared/reference/make_reference_models.py voice --size real --out models/voice-real
    python ../shared/reference/make_reference_models.py bert --size real --out models/bert-real

All ratios are of runs in turns in one process; milliseconds and seconds are of this machine as busy as it was. The reference re-creates
one product's settings (float16 BERT, nothing optimised, the whole text at once); it is not that product.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.page import put

ROOT = Path(__file__).parents[2]
MAIN = [sys.executable, str(ROOT / "main.py")]
Run = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Goal:
    """One row of the table.

    Attributes:
        must, aim: None where the figure only stands beside another one.
        value: of one run; None where it was not measured.
    """

    name: str
    must: float | None
    aim: float | None
    unit: str
    value: Callable[[Run], float | None]
    more_is_better: bool = True

    def row(self, runs: Sequence[Run]) -> str:
        """A row of Markdown: every run, and what the worst of them reaches."""
        values = [value for run in runs if (value := self.value(run)) is not None]
        shown = " · ".join(f"{value:.4g}" for value in values) or "not measured"
        return f"| {self.name} | {self._bound(self.must)} | {self._bound(self.aim)} | {shown} | {self._verdict(values)} |"

    def _bound(self, value: float | None) -> str:
        return "" if value is None else f"{'≥' if self.more_is_better else '≤'} {value:g}{self.unit}"

    def _verdict(self, values: Sequence[float]) -> str:
        if not values or self.must is None or self.aim is None:
            return ""
        worst, middle = (min(values) if self.more_is_better else max(values)), sorted(values)[len(values) // 2]
        if self._keeps(worst, self.aim):
            return "aim"
        if self._keeps(worst, self.must):
            return "reached"
        return "reached in most runs" if self._keeps(middle, self.must) else "**missed**"

    def _keeps(self, value: float, bound: float) -> bool:
        return value >= bound if self.more_is_better else value <= bound


def _against_exported(run: Run) -> float | None:
    found = run["bert"]["against_exported"]
    return float(found["auto"]["median"]) if found else None


def _fast(run: Run, *names: str) -> float | None:
    """A figure of the faster way to speak; None where the voice has none."""
    found: Any = run["summary"]["fast"]
    for name in names:
        found = found and found[name]
    return None if found is None else float(found)


GOALS = (
    Goal("BERT, 20 tokens, as users get it", 5, 8, "×", lambda run: run["summary"]["bert"]["ratio"]),
    Goal("— in exact float32", None, None, "×", lambda run: run["summary"]["bert"]["exact_ratio"]),
    Goal("— least cosine of a token", 0.999, 0.999, "", lambda run: run["summary"]["bert"]["cosine_min"]),
    Goal("— against the optimised float32 file", 2.5, 4, "×", _against_exported),
    Goal("first sound, long line", 6, 10, "×", lambda run: run["summary"]["first_audio"]["long"]),
    Goal("— in exact float32", None, None, "×", lambda run: run["long"]["first_audio"]["exact"]["median"]),
    Goal("first sound, short line", 4, 6, "×", lambda run: run["summary"]["first_audio"]["short"]),
    Goal("— in exact float32", None, None, "×", lambda run: run["short"]["first_audio"]["exact"]["median"]),
    Goal("whole line, all in exact float32", 1.2, 1.6, "×", lambda run: run["summary"]["whole_line"]["exact"]),
    Goal("fast: first sound, long line", 10, 10, "×", lambda run: _fast(run, "first_audio", "long")),
    Goal("fast: first sound, short line", 6, 6, "×", lambda run: _fast(run, "first_audio", "short")),
    Goal("fast: whole line", 3, 3, "×", lambda run: _fast(run, "whole_line")),
    Goal("— signal-to-noise ratio", 35, 35, " dB", lambda run: _fast(run, "snr_db")),
    Goal("— share of lengths unchanged", 0.98, 0.98, "", lambda run: _fast(run, "frames_equal")),
    Goal("peak memory, share of the reference's", 0.6, 0.4, "", lambda run: run["ours"]["peak_mb"] / run["theirs"]["peak_mb"], False),
    Goal("loading voice and BERT", 2, 1, " s", lambda run: run["ours"]["load_ms"] / 1000, False),
    Goal("process start → window", 1, 0.5, " s", lambda run: run.get("window_s"), False),
    Goal("process start → starter voice has spoken", 3, 1.5, " s", lambda run: run.get("spoken_s"), False),
)


def read_run(text: str) -> Run:
    """What `bench --reference --json` printed, line by line under names of its own."""
    lines = [json.loads(line) for line in text.splitlines()]
    run: Run = {"summary": lines[-1], **{line["line"]: line for line in lines if line.get("type") == "line"}}
    run["bert"] = next(line for line in lines if line.get("type") == "bert")
    memory = next(line for line in lines if line.get("type") == "memory")
    return run | {"ours": memory["ours"], "theirs": memory["reference"]}


def started() -> Run:
    """When the window stood and when the starter voice had spoken, in a process of its own."""
    done = subprocess.run([*MAIN, "--selftest", "--platform", "offscreen"], capture_output=True, check=False)
    report = json.loads(done.stdout.decode().splitlines()[-1])
    return {name: report.get(name) for name in ("window_s", "spoken_s")}


def measured(options: argparse.Namespace) -> list[Run]:
    """New runs, each in a process of its own."""
    command = [*MAIN, "bench", "--reference", "--voice", options.voice, "--bert", options.bert, "--turns", str(options.turns), "--json"]
    runs = []
    for _ in range(options.runs):
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        runs.append(read_run(done.stdout.decode()) | started())
    return runs


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voice")
    parser.add_argument("--bert")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--from", dest="files", nargs="+", type=Path, help="what `bench --reference --json` printed earlier")
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    if options.files:
        runs = [read_run(path.read_text(encoding="utf-8")) | started() for path in options.files]
    elif options.voice and options.bert:
        runs = measured(options)
    else:
        parser.error("give --voice and --bert, or --from")
    shown = table(runs)
    if options.write:
        put("results", shown)
    print(shown)


def table(runs: Sequence[Run]) -> str:
    """Every goal with what each run reached, as Markdown."""
    summary = runs[0]["summary"]
    machine = (
        f"{summary['cpu']}, {summary['threads']} threads, ONNX Runtime {summary['ort']}, {time.strftime('%Y-%m-%d')}, runs: {len(runs)}"
    )
    rows = [
        "| against the reference configuration | must | aim | measured, each run | |",
        "|---|---|---|---|---|",
        *(goal.row(runs) for goal in GOALS),
    ]
    lines = ", ".join(f"{line['phones']} symbols ({line['tokens']} tokens, {line['frames']} frames)" for line in summary["lines"])
    return "\n".join([machine, "", *rows, "", f"Lines of {lines}."])


if __name__ == "__main__":
    main()
