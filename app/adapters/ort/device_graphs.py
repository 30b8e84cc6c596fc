"""Where the device forms of graphs are kept: made once by a process of their own, when a graph is first put on a device.

A form belongs to the very file it was made from: a voice that is updated, exported or added again gets a new one when it is needed.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

from app.adapters.ort.device_form import DeviceForm, read_form
from app.adapters.ort.device_thread import ENDING
from app.adapters.ort.optimized_graphs import GraphStore
from app.own_program import start_own

VERSION = "device form 1"
_TIMEOUT_S = 900
LOOKED_AFTER_S = 0.1
LARGEST_BYTES = 2 << 30


def form_store(folder: Path) -> GraphStore:
    """Keeps forms in a folder, which may be deleted at any time."""
    return GraphStore(folder, max_bytes=4 << 30, smallest_bytes=0, largest_bytes=LARGEST_BYTES)


def device_form(store: GraphStore, graph: str, source: Path, *, make: bool = True) -> DeviceForm | None:
    """The form of a graph, which takes up to minutes where it is not there yet; None where there is none.

    Args:
        graph: bert, prosody, flow or decoder.
        source: its file, in the folder of the voice or of the BERT.
        make: one that is not there yet.
    """
    copy = store.copy_of(source, f"{VERSION} {graph}", lambda folder: _make(graph, source, folder) if make else _leave(graph))
    if copy is None:
        return None
    try:
        return read_form(copy.parent)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as exc:
        logging.getLogger("koebako").info("the device form of %s cannot be read: %s", source, exc)
        return None


def _make(graph: str, source: Path, folder: Path) -> None:
    process, end = start_own(os.environ, "--device-form", graph, source, folder), time.monotonic() + _TIMEOUT_S
    while process.poll() is None:
        if ENDING.wait(LOOKED_AFTER_S) or time.monotonic() > end:
            process.kill()
    output = process.communicate()[0]
    if process.returncode:
        raise OSError(f"exit code {process.returncode}: {output.decode('utf-8', 'replace').strip()[-300:]}")


def _leave(graph: str) -> None:
    raise FileNotFoundError(f"{graph} has not been converted yet")
