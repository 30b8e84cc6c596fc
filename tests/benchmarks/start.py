"""How soon the window is seen, and what that rests on.

    python -m tests.benchmarks.start [--turns 10] [--other MAIN_OR_PROGRAM]

Prints the moments of a start (seconds since the process began, medians), and what importing pyqtgraph and pyopenjtalk take in the window's way
(Python's own import, lazy names of Qt) against the plain way, each in a process of its own, in turns. `--other` is a `main.py` of another checkout,
or a built `Koebako`, that takes turns with this one.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MAIN = Path(__file__).parents[2] / "main.py"
MOMENTS = ("python_s", "qt_s", "imported_s", "built_s", "window_s", "ready_s", "spoken_s")
IMPORTS = {"pyqtgraph": "app.ui.workarounds.lazy_pyqtgraph", "pyopenjtalk": "pyopenjtalk"}
"""A library, and what the window imports for it."""

IMPORT = """
import time
import numpy
from PySide6 import QtCore, QtGui, QtWidgets
from app.ui.workarounds.import_hook import restore_import
{first}
began = time.perf_counter()
import {module}
print(time.perf_counter() - began)
"""


def start(program: Path) -> dict[str, float]:
    """The moments of one start, those that the program tells of."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        begun = [sys.executable, str(program)] if program.suffix == ".py" else [str(program)]
        subprocess.run([*begun, "--selftest", "--platform", "offscreen", "--report", str(report)], check=False, cwd=program.parent)
        told = json.loads(report.read_text(encoding="utf-8"))
    if not told["ok"]:
        raise SystemExit(f"{program}: {told['errors']}")
    return {moment: told[moment] for moment in MOMENTS if moment in told}


def import_s(module: str, first: str = "") -> float:
    """Seconds in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT.format(module=module, first=first)], check=True, cwd=MAIN.parent, capture_output=True, text=True
    )
    return float(done.stdout)


def main() -> None:
    """Takes turns and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--other", type=Path)
    options = parser.parse_args()
    programs = [MAIN, *([options.other.resolve()] if options.other else [])]
    starts: dict[Path, list[dict[str, float]]] = {program: [] for program in programs}
    imports: dict[str, list[float]] = {plain: [] for plain in IMPORTS}
    for turn in range(options.turns + 1):
        moments = {program: start(program) for program in programs}
        ratios = {plain: import_s(ours, "restore_import()") / import_s(plain) for plain, ours in IMPORTS.items()}
        if turn:  # the first one reads from the disk
            for plain, ratio in ratios.items():
                imports[plain].append(ratio)
            for program, told in moments.items():
                starts[program].append(told)
    for program, told_all in starts.items():
        medians = {moment: statistics.median(told[moment] for told in told_all) for moment in told_all[0]}
        print(program, *(f"{moment.removesuffix('_s')} {seconds:.2f} s" for moment, seconds in medians.items()), sep="  ")
    if options.other:
        ratio = statistics.median(ours["window_s"] / other["window_s"] for ours, other in zip(*starts.values(), strict=True))
        print(f"window: {ratio:.2f} of the other's time")
    for plain, ratios_of in imports.items():
        print(f"import of {plain}: {statistics.median(ratios_of):.2f} of the plain way's time")


if __name__ == "__main__":
    main()
