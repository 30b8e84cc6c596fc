"""How long the window's thread stands still with each workaround for its sake, and without it, in turns.

    python -m tests.benchmarks.workarounds [--turns 3] [NAME ...]

A workaround whose removal costs less than 20 ms goes. `gui_thread_gc` is not among them: without it windows freeze for good
(tests/ui/workarounds/test_gui_thread_gc.py).
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHOUT = "KOEBAKO_WITHOUT"
OPENING = "a_project_of_thirty_thousand_lines_is_opened"
IMPORTING = """
import sys, time
import numpy
from PySide6 import QtCore, QtGui, QtWidgets
from app.ui.workarounds.import_hook import restore_import
if {restores}:
    restore_import()
began = time.perf_counter()
import {module}
print(1000 * (time.perf_counter() - began))
"""
LOADING = """
import importlib.util, os, sys, threading, time
from pathlib import Path
from app.adapters import file_prefetch

for package, pattern in file_prefetch.PREFETCHED_FILES.items():
    for folder in importlib.util.find_spec(package).submodule_search_locations:
        for file in filter(Path.is_file, Path(folder).glob(pattern)):
            with file.open("rb") as opened:
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

def load():
    if {prefetches}:
        file_prefetch.start_prefetch()
        for package in file_prefetch.PREFETCHED_FILES:
            file_prefetch.wait_for_package(package)
    import onnxruntime.capi.onnxruntime_pybind11_state
    import sudachipy
    sudachipy.Dictionary(dict="core")

import numpy
thread = threading.Thread(target=load)
last, longest = time.perf_counter(), 0.0
thread.start()
while thread.is_alive():
    time.sleep(0.0005)
    now = time.perf_counter()
    last, longest = now, max(longest, now - last)
print(1000 * longest)
"""


def run_code(code: str) -> float:
    """The milliseconds that a process prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True, text=True)
    return float(done.stdout)


def open_project(without: str) -> float:
    """The longest beat while a project of 30,000 lines is opened, in ms."""
    story = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", __spec__.name, "tests/benchmarks/heartbeat/stories.py", "-k", OPENING]
    environment = {**os.environ, WITHOUT: without}
    done = subprocess.run([sys.executable, *story], check=True, cwd=ROOT, capture_output=True, text=True, env=environment)
    match = re.search(r"longest ([\d.]+) ms", done.stdout)
    assert match is not None, done.stdout
    return float(match[1])


def measure(name: str, *, without: bool) -> float:
    """One figure of a workaround."""
    match name:
        case "lazy_pyqtgraph":
            return run_code(IMPORTING.format(module="pyqtgraph" if without else "app.ui.workarounds.lazy_pyqtgraph", restores=True))
        case "import_hook":
            return run_code(IMPORTING.format(module="pyopenjtalk", restores=not without))
        case "file_prefetch":
            return run_code(LOADING.format(prefetches=not without))
    return open_project(name if without else "")


def switch_off(name: str) -> None:
    """Do without a workaround in this process, which pytest started with this module as a plugin."""
    from app.common import gil_yield

    assert name == "gil_yield"
    gil_yield.WORK_S = float("inf")


def main() -> None:
    """Take turns and print."""
    names = ("lazy_pyqtgraph", "import_hook", "file_prefetch", "gil_yield")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("names", nargs="*", choices=[*names, []], metavar="NAME")
    options = parser.parse_args()
    for name in options.names or names:
        pairs = [(measure(name, without=False), measure(name, without=True)) for _ in range(options.turns)]
        ours, plain = (statistics.median(times) for times in zip(*pairs, strict=True))
        cost = statistics.median(without - with_it for with_it, without in pairs)
        print(f"{name}: {ours:.0f} ms, without it {plain:.0f} ms; its removal costs {cost:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
elif os.environ.get(WITHOUT):
    switch_off(os.environ[WITHOUT])
