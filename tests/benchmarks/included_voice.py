"""What the lab says of the included voice, as the tables of README.md and of this folder's page. On a quiet machine; it takes about two minutes.

python -m tests.benchmarks.included_voice [--runs 20] [--write]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from app.bench.bench_texts import BENCH_LINES
from app.lab.report_rows import Row
from tests.benchmarks.page import README, put

MAIN = [sys.executable, str(Path(__file__).parents[2] / "main.py")]
VOICE = "mei"
GRAPHS = ("prosody", "flow", "decoder")
BUDGET_MS = "600000"  # nothing is judged
WORDS = {
    "en": (
        "",
        "short line ({} characters)",
        "long line ({} characters)",
        "first sound",
        "whole line",
        "measured while the machine was busy",
    ),
    "ja": ("", "短い行（{} 文字）", "長い行（{} 文字）", "最初の音まで", "行全体の合成", "他の処理の動作中に測定"),
}


def lab(*arguments: str) -> list[Row]:
    """Rows of a part of the lab, that of the machine first."""
    done = subprocess.run([*MAIN, "lab", *arguments, "--json", "--", VOICE], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def measured(runs: int) -> dict[str, list[Row]]:
    """All rows that the tables need, by part; of `profile` one part a sentence."""
    found = {"check": lab("check", "--budget-ms", BUDGET_MS), "inspect": lab("inspect"), "expect": lab("expect", "--runs", str(runs))}
    return found | {name: lab("profile", "--runs", str(runs), "--text", text) for name, text in BENCH_LINES.items()}


def speed(found: dict[str, list[Row]], language: str) -> str:
    """The table of README.md."""
    corner, short, long, first, whole, _ = WORDS[language]
    names = [words.format(len(BENCH_LINES[name])) for words, name in ((short, "short"), (long, "long"))]
    sounds = [_ms(_first_sound(found["check"], name)) for name in BENCH_LINES]
    wholes = [_ms(sum(_figure(row, "median_ms") for row in found[name] if row.get("scope") == "stage")) for name in BENCH_LINES]
    rows = [[corner, *names], ["---"] * 3, [first, *sounds], [whole, *wholes]]
    return f"{_machine(found, language)}\n\n" + _table(rows)


def by_graph(found: dict[str, list[Row]]) -> str:
    """The table of the page: how large each graph is, and how long it takes."""
    rows = [
        ["graph", "parameters", "size", "multiply-adds", "expected", "measured", "efficiency"],
        ["---"] * 7,
    ]
    for graph in GRAPHS:
        size = next(row for row in found["inspect"] if row["type"] == "graph" and row["graph"] == graph)
        pace = next(row for row in found["expect"] if row.get("part") == graph)
        rows.append(
            [
                graph,
                f"{_figure(size, 'parameters'):,.0f}",
                f"{_figure(size, 'bytes') / 1000:,.0f} kB",
                f"{_figure(pace, 'macs') / 1e6:,.0f} M",
                _ms(_figure(pace, "expected_ms")),
                _ms(_figure(pace, "measured_ms")),
                f"{_figure(pace, 'efficiency'):.0%}",
            ]
        )
    return f"{_machine(found, 'en')}; 61 symbols, 256 frames\n\n" + _table(rows)


def _first_sound(rows: Sequence[Row], sentence: str) -> float:
    return next(_figure(row, "value") for row in rows if row.get("check") == "latency" and row["case"] == f"{sentence}: first_audio")


def _machine(found: dict[str, list[Row]], language: str) -> str:
    machine = found["check"][0]
    threads = f"{machine['threads']} スレッド" if language == "ja" else f"{machine['threads']} threads"
    parts = [str(machine["cpu"]), threads, f"ONNX Runtime {machine['ort']}", time.strftime("%Y-%m-%d")]
    busy = any(rows[0]["busy"] for rows in found.values())
    return ("、" if language == "ja" else ", ").join(parts + ([WORDS[language][-1]] if busy else []))


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)


def _figure(row: Row, name: str) -> float:
    value = row[name]
    assert isinstance(value, int | float)
    return float(value)


def _ms(value: float) -> str:
    return f"{value:.1f} ms" if value < 10 else f"{value:.0f} ms"


def main() -> None:
    """Prints the tables, or writes them into their pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="into README.md and tests/benchmarks/README.md")
    options = parser.parse_args()
    found = measured(options.runs)
    for language in WORDS:
        print(speed(found, language), end="\n\n")
        if options.write:
            put(f"speed_{language}", speed(found, language), README)
    print(by_graph(found))
    if options.write:
        put("included_voice", f"{speed(found, 'en')}\n\n{by_graph(found)}")


if __name__ == "__main__":
    main()
