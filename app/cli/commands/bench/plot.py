"""Writes the picture of `koebako bench --plot`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from app import paths
from app.adapters.files.part_file import PartFile
from app.adapters.ort.providers import intra_threads
from app.adapters.ort.session import VERSION
from app.bench.chart import chart
from app.bench.machine import cpu_name
from app.bench.stages import Measured
from app.bench.work import Peak
from app.child_process import run_hidden
from app.errors import InputError, OutputFileError
from app.language import say
from app.system_errors import reason_of

TIME_LIMIT_S = 60.0


def check_target(target: Path) -> None:
    """Raises InputError for an unknown format and OutputFileError if the file cannot be written, before any measuring starts."""
    if target.suffix.lower() not in (".svg", ".png"):
        raise InputError(
            say(f"図の形式が分かりません: {target}", f"The picture cannot be of this kind: {target}"),
            say(".svg か .png で終わる名前にしてください。", "Give it a name that ends with .svg or .png."),
        )
    PartFile(target).discard()


def plot(found: Sequence[Measured], peak: Peak, target: Path) -> None:
    """Draws what was measured; OutputFileError where that cannot be written."""
    machine = f"{cpu_name()}, {intra_threads()} threads, {VERSION}, {2 * peak.floats_gmac_s:.0f} GFLOP/s"
    picture = chart(found, peak, machine).encode("utf-8")
    if target.suffix.lower() != ".svg":
        picture = _as_png(picture)
    file = PartFile(target)
    try:
        file.write(picture)
        file.check()
    except BaseException:
        file.discard()
        raise
    file.commit()


def _as_png(drawing: bytes) -> bytes:
    """Qt turns it into pixels, in a process of its own: the command line does without Qt."""
    with tempfile.TemporaryDirectory(prefix="koebako-", ignore_cleanup_errors=True) as folder:
        source, target = Path(folder) / "bench.svg", Path(folder) / "bench.png"
        try:
            source.write_bytes(drawing)
            done = _drawn(source, target)
            if done.returncode == 0:
                return target.read_bytes()
        except (OSError, subprocess.SubprocessError) as exc:
            raise _not_drawn(reason_of(exc)) from exc
        raise _not_drawn(done.stderr.decode("utf-8", "replace").strip()[-300:])


def _drawn(source: Path, target: Path) -> subprocess.CompletedProcess[bytes]:
    *start, last = paths.own_command()
    program = [*start, "app.ui.svg_to_png" if last == "app.cli.main" else last]  # installed, the shells are modules of their own
    screenless = {"QT_QPA_PLATFORM": "offscreen"} if sys.platform.startswith("linux") else {}  # elsewhere it finds no fonts
    command = [*program, "--draw", str(source), str(target)]
    return run_hidden(command, TIME_LIMIT_S, os.environ | screenless)


def _not_drawn(details: str) -> OutputFileError:
    return OutputFileError(
        say("PNG の図を描けませんでした。", "The picture could not be drawn as a PNG."),
        say(f".svg で終わる名前なら書き出せます。詳細: {details}", f"A name that ends with .svg works without. Details: {details}"),
    )
