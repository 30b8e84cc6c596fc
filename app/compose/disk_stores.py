"""The stores that outlive the program: measurements, optimised copies of graphs; those for devices: `app.compose.device_opening`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.probe_results import ProbeResultStore
from app.common.files import paths


def open_probe_memory() -> ProbeResultStore:
    """Return what probes have found."""
    return ProbeResultStore(paths.find_data_dir() / "cache" / "probe.json")


@cache
def _open_graph_store(folder: Path) -> GraphStore:
    return GraphStore(folder)


def open_graph_store() -> GraphStore:
    """Return where optimised copies of graphs are kept."""
    return _open_graph_store(paths.find_data_dir() / "cache" / "graphs")
