"""Figures of the heartbeat, kept from run to run in trend.tsv: a row a deed, with the commit, the processor and the ONNX Runtime."""

import csv
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import onnxruntime

from app.bench.multiply_adds import find_cpu_name
from tests.benchmarks.heartbeat.heart import Beat, slowdown

FILE = Path(__file__).with_name("trend.tsv")
COLUMNS = ("date", "commit", "processor", "onnxruntime", "deed", "beats", "own_p99_ms", "own_longest_ms", "busy_longest_ms", "slowdown")


class Trend:
    """What was recorded before, and what this run adds."""

    def __init__(self) -> None:
        commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False, cwd=FILE.parent)
        self._run = (f"{datetime.now(UTC):%Y-%m-%d}", commit.stdout.strip(), find_cpu_name(), onnxruntime.__version__)
        self._rows: list[dict[str, str]] = []
        self._last: dict[str, dict[str, str]] = {}
        if FILE.exists():
            with FILE.open(encoding="utf-8", newline="") as file:
                rows = csv.DictReader(file, delimiter="\t")
                self._last = {row["deed"]: row for row in rows if (row["processor"], row["onnxruntime"]) == self._run[2:]}

    def add(self, deed: str, beats: Sequence[Beat]) -> str:
        """Keep the figures of a deed; return them in words, beside the last ones of such a machine."""
        own_ms = [beat.own_ms for beat in beats]
        figures = (np.percentile(own_ms, 99), max(own_ms), max(beat.busy_ms for beat in beats), slowdown(list(beats)))
        row = dict(zip(COLUMNS, (*self._run, deed, str(len(beats)), *(f"{figure:.1f}" for figure in figures)), strict=True))
        self._rows.append(row)
        words = f"{deed}: {row['beats']} beats, p99 {row['own_p99_ms']} ms, longest {row['own_longest_ms']} ms (slowed {row['slowdown']}×)"
        last = self._last.get(deed)
        return f"{words}; at {last['commit']}: p99 {last['own_p99_ms']}, longest {last['own_longest_ms']} ms" if last else words

    def record(self) -> None:
        """Append the rows of this run to the file."""
        is_new = not FILE.exists()
        with FILE.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerows(self._rows)
