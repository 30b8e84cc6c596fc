"""Writes the picture of `koebako bench --plot`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from app import paths
from app.adapters.ort_providers import intra_threads
from app.adapters.ort_session import VERSION
from app.bench.chart import chart
from app.bench.machine import cpu_name
from app.bench.stages import Measured
from app.bench.work import Peak
from app.errors import InputError, OutputFileError
from app.language import say

TIME_LIMIT_S = 60.0


def check_name(name: str) -> None:
    """Raises InputError for a kind of picture that we do not draw: before the user waits for it."""
    if Path(name).suffix.lower() not in (".svg", ".png"):
        raise InputError(
            say(f"図の形式が分かりません: {name}", f"The picture cannot be of this kind: {name}"),
            say(".svg か .png で終わる名前にしてください。", "Give it a name that ends with .svg or .png."),
        )


def plot(found: Sequence[Measured], peak: Peak, target: Path) -> None:
    """Draws what was measured; OutputFileError where that cannot be written."""
    machine = f"{cpu_name()}, {intra_threads()} threads, {VERSION}, {2 * peak.floats_gmac_s:.0f} GFLOP/s"
    drawing = chart(found, peak, machine)
    try:
        if target.suffix.lower() == ".svg":
            target.write_text(drawing, encoding="utf-8", newline="\n")
            return
        with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
            source = Path(folder) / "bench.svg"
            source.write_text(drawing, encoding="utf-8")
            _as_png(source, target)
    except OSError as exc:
        raise _not_written(target, exc.strerror or str(exc)) from exc


def _as_png(source: Path, target: Path) -> None:
    """Qt turns it into pixels, in a process of its own: the command line does without Qt."""
    *start, last = paths.own_command()
    program = [*start, "app.ui.drawing" if last == "app.cli.main" else last]  # installed, the shells are modules of their own
    screenless = {"QT_QPA_PLATFORM": "offscreen"} if sys.platform.startswith("linux") else {}  # elsewhere it finds no fonts
    command = [*program, "--draw", str(source), str(target)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=os.environ | screenless, timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired as exc:
        raise _not_written(target, str(exc)) from exc
    if done.returncode or not target.is_file():
        raise _not_written(target, done.stderr.decode("utf-8", "replace").strip()[-300:])


def _not_written(target: Path, reason: str) -> OutputFileError:
    return OutputFileError(
        say(f"図を書き込めません: {target}", f"The picture cannot be written: {target}"),
        say(f".svg で終わる名前も試せます。{reason}", f"A name that ends with .svg may do. {reason}"),
    )
