"""What is kept from one start to the next: measurements, facts of devices, graphs made from graphs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from app import paths
from app.adapters.ort.device_graphs import form_store
from app.adapters.ort.device_record import DeviceRecord
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.probe_results import ProbeMemory


def probe_memory() -> ProbeMemory:
    """What probes have found."""
    return ProbeMemory(paths.data_dir() / "cache" / "probe.json")


@cache
def _device_record(folder: Path) -> DeviceRecord:
    return DeviceRecord(folder)


def device_record() -> DeviceRecord:
    """What is known of devices from before."""
    return _device_record(paths.data_dir() / "cache" / "devices")


@cache
def _graph_store(folder: Path) -> GraphStore:
    return GraphStore(folder)


def graph_store() -> GraphStore:
    """Where optimised copies of graphs are kept."""
    return _graph_store(paths.data_dir() / "cache" / "graphs")


@cache
def _forms(folder: Path) -> GraphStore:
    return form_store(folder)


def forms() -> GraphStore:
    """Where graphs are kept as devices run them."""
    return _forms(paths.data_dir() / "cache" / "forms")
