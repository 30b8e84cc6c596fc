"""A row about the machine that a report was made on."""

from __future__ import annotations

import psutil

from app.adapters.ort.graph_session import ORT_VERSION
from app.adapters.ort.session_options import count_intra_threads
from app.bench.machine_facts import find_cpu_name
from app.lab.report_rows import Row

# Of the processor taken by others: figures of time are no longer worth much.
BUSY_SHARE = 0.25
BUSY_SAMPLE_S = 0.2


def build_machine_row(backend: str) -> Row:
    """Build the first row of every report; `busy` states whether other programs compute now.

    Args:
        backend: as it was asked for.
    """
    return {
        "type": "machine",
        "ort": ORT_VERSION.removeprefix("onnxruntime "),
        "cpu": find_cpu_name(),
        "threads": count_intra_threads(),
        "busy": psutil.cpu_percent(BUSY_SAMPLE_S) > 100 * BUSY_SHARE,
        "backend": backend,
    }
