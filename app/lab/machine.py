"""What a report was made on."""

from __future__ import annotations

import psutil

from app.adapters.ort.providers import intra_threads
from app.adapters.ort.session import VERSION
from app.bench.machine import cpu_name
from app.lab.rows import Row

BUSY_SHARE = 0.25  # of the processor taken by others: figures of time are no longer worth much
LOOK_S = 0.2


def machine_row(backend: str) -> Row:
    """The first row of every report; `busy` says whether other programs compute now.

    Args:
        backend: as it was asked for.
    """
    return {
        "type": "machine",
        "ort": VERSION.removeprefix("onnxruntime "),
        "cpu": cpu_name(),
        "threads": intra_threads(),
        "busy": psutil.cpu_percent(LOOK_S) > 100 * BUSY_SHARE,
        "backend": backend,
    }
