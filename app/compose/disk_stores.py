"""The stores that outlive the program: measurements, optimised copies of graphs, features of a BERT; those for devices: `app.compose.device_opening`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.probe_results import ProbeResultStore
from app.common.files import paths
from app.voices.bert_models import BertModel

if TYPE_CHECKING:
    from app.adapters.disk_feature_cache import DiskFeatureCache

SLOW_BERT_BYTES = 64 << 20  # features of a smaller BERT are computed faster than a disk is asked


def open_probe_memory() -> ProbeResultStore:
    """Return what probes have found."""
    return ProbeResultStore(paths.find_data_dir() / "cache" / "probe.json")


_open_graph_store = cache(GraphStore)


def open_graph_store() -> GraphStore:
    """Return where optimised copies of graphs are kept."""
    return _open_graph_store(paths.find_data_dir() / "cache" / "graphs")


def is_slow_bert(bert: BertModel) -> bool:
    """Return whether its features are worth keeping, and its graph worth fixed sizes."""
    return bert.size_bytes >= SLOW_BERT_BYTES


def open_stored_features(bert: BertModel, room_mib: int) -> DiskFeatureCache | None:
    """Open the stored features of a BERT; return None if there is no space for any, or no use."""
    if not room_mib or not is_slow_bert(bert):
        return None
    return _open_features_file(paths.find_data_dir() / "cache" / "features.sqlite3", room_mib)


@cache
def _open_features_file(path: Path, room_mib: int) -> DiskFeatureCache:
    # And SQLite, which the starter voice does not need.
    from app.adapters.disk_feature_cache import DiskFeatureCache

    return DiskFeatureCache(path, room_mib << 20)
