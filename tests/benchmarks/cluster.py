"""How many files one and two workers of a cluster make in a second, and what the cluster costs against this machine alone.

    python -m tests.benchmarks.cluster [--lines 60] [--turns 3]

Each worker is held to a core of its own, as if it were a machine of one core, and so is the export without a cluster; the scheduler and
the command that asks take what is left of both. Linux only, with the extra `cluster`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tests.export.local_cluster import ROOT, LocalCluster

assert sys.platform == "linux"

TEXTS = (
    "雨が降る。",
    "今日はとてもいい天気なので、歩きます。",
    "春の夜の、短い夢のような出来事を、彼は誰にも話さずに、長い間ひとりで覚えていた。",
)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = write_table(folder, options.lines)
        rates = {"one core, no cluster": measure(folder, table, options, core=0)}
        for count in (1, 2):
            with closing(LocalCluster(folder / f"cluster-{count}")) as cluster:
                for number in range(count):
                    hold_to_core(cluster.start_worker(f"w{number}", threads=2).pid, number)
                cluster.wait_for_workers()
                rates[f"workers: {count}"] = measure(folder, table, options, "--scheduler", cluster.address)
    for what, rate in rates.items():
        print(f"{what:22} {rate:6.2f} files/s")
    alone, one, two = rates.values()
    print(f"two workers against one: {two / one:.2f}; one worker against no cluster: {one / alone:.2f}")


def write_table(folder: Path, lines: int) -> Path:
    """A script of short and long lines."""
    file = folder / "lines.csv"
    rows = [f"a{number},{TEXTS[number % len(TEXTS)]},{number}" for number in range(lines)]
    file.write_text("\n".join(("id,text,seed", *rows)), encoding="utf-8")
    return file


def measure(folder: Path, table: Path, options: argparse.Namespace, *more: str, core: int | None = None) -> float:
    """Median of files in a second, starting and ending included, after one export that opens everything."""
    found = []
    for turn in range(options.turns + 1):
        with tempfile.TemporaryDirectory(dir=folder) as out:
            began = time.perf_counter()
            command = [sys.executable, str(ROOT / "main.py"), "export", str(table), "-o", out, "--pattern", "$id$", "--json", *more]
            child = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"KOEBAKO_HOME": str(folder / "home")}, stdout=subprocess.PIPE)
            if core is not None:
                hold_to_core(child.pid, core)
            printed, _ = child.communicate()
            assert json.loads(printed.splitlines()[-1])["files"] == options.lines
            if turn:
                found.append(options.lines / (time.perf_counter() - began))
    return statistics.median(found)


def hold_to_core(process: int, core: int) -> None:
    """Hold a process, and all that it starts, to one core."""
    os.sched_setaffinity(process, {core})


if __name__ == "__main__":
    main()
