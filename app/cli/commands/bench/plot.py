"""Writes the picture of `koebako bench --plot`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.adapters.files.part_file import PartFile
from app.adapters.ort.providers import intra_threads
from app.adapters.ort.session import VERSION
from app.bench.chart import chart
from app.bench.machine import cpu_name
from app.bench.stages import Measured
from app.bench.work import Peak
from app.cli.whole_file import write_whole
from app.errors import InputError
from app.language import localized


def check_target(target: Path) -> None:
    """Raises InputError for a name of another format and OutputFileError if the file cannot be written, before any measuring starts."""
    if target.suffix.lower() != ".svg":
        raise InputError(
            localized(f"この形式のグラフは書き出せません: {target}", f"Charts cannot be written in this format: {target}"),
            localized("ファイル名の末尾を .svg にしてください。", "Use a file name that ends with .svg."),
        )
    PartFile(target).discard()


def plot(found: Sequence[Measured], peak: Peak, target: Path) -> None:
    """Draws what was measured; OutputFileError where that cannot be written."""
    machine = f"{cpu_name()}, {intra_threads()} threads, {VERSION}, {2 * peak.floats_gmac_s:.0f} GFLOP/s"
    picture = chart(found, peak, machine).encode("utf-8")
    write_whole(target, picture)
