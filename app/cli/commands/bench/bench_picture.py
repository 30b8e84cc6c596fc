"""Writes the picture of `koebako bench --plot`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.adapters.files.part_file import PartFile
from app.adapters.ort.graph_session import ORT_VERSION
from app.adapters.ort.session_options import count_intra_threads
from app.bench.machine_facts import find_cpu_name
from app.bench.multiply_adds import ProcessorPeak
from app.bench.stage_chart import draw_chart
from app.bench.stage_timing import BenchMeasurement
from app.cli.atomic_output import write_output_file
from app.common.errors import InputError
from app.common.language import localize


def check_picture_path(target: Path) -> None:
    """Raise InputError for a name of another format, and OutputFileError if the file cannot be written, before any measuring starts."""
    if target.suffix.lower() != ".svg":
        raise InputError(
            localize(f"この形式のグラフは書き出せません: {target}", f"Charts cannot be written in this format: {target}"),
            localize("ファイル名の末尾を .svg にしてください。", "Use a file name that ends with .svg."),
        )
    PartFile(target).discard()


def write_picture(measurements: Sequence[BenchMeasurement], peak: ProcessorPeak, target: Path) -> None:
    """Draw the measurements; raise OutputFileError if the picture cannot be written."""
    machine = f"{find_cpu_name()}, {count_intra_threads()} threads, {ORT_VERSION}, {2 * peak.floats_gmac_s:.0f} GFLOP/s"
    picture = draw_chart(measurements, peak, machine).encode("utf-8")
    write_output_file(target, picture)
