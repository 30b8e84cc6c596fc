"""The stores that outlive the program: measurements, facts of devices, graphs made from graphs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from app.adapters.ort.device_crash_journal import DeviceCrashJournal
from app.adapters.ort.fixed_shape_store import create_fixed_shape_store
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.probe_results import ProbeResultStore
from app.common.files import paths


def open_probe_memory() -> ProbeResultStore:
    """Return what probes have found."""
    return ProbeResultStore(paths.find_data_dir() / "cache" / "probe.json")


@cache
def _open_device_journal(folder: Path) -> DeviceCrashJournal:
    return DeviceCrashJournal(folder)


def open_device_journal() -> DeviceCrashJournal:
    """Return what is known of devices from before."""
    return _open_device_journal(paths.find_data_dir() / "cache" / "devices")


@cache
def _open_graph_store(folder: Path) -> GraphStore:
    return GraphStore(folder)


def open_graph_store() -> GraphStore:
    """Return where optimised copies of graphs are kept."""
    return _open_graph_store(paths.find_data_dir() / "cache" / "graphs")


@cache
def _open_fixed_shape_store(folder: Path) -> GraphStore:
    return create_fixed_shape_store(folder)


def open_fixed_shape_store() -> GraphStore:
    """Return where graphs are kept as devices run them."""
    return _open_fixed_shape_store(paths.find_data_dir() / "cache" / "forms")
