"""Which features of a BERT are kept on the disk."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app import paths
from app.voices.bert import Bert

if TYPE_CHECKING:
    from app.adapters.feature_cache import DiskFeatures

SLOW_BERT_BYTES = 64 << 20  # features of a smaller BERT are computed faster than a disk is asked


def is_slow(bert: Bert) -> bool:
    """Whether its features are worth keeping, and its graph worth fixed sizes."""
    return bert.size_bytes >= SLOW_BERT_BYTES


def stored_features(bert: Bert, room_mib: int) -> DiskFeatures | None:
    """The features kept of a BERT; None where there is no room for any, or no use."""
    if not room_mib or not is_slow(bert):
        return None
    return _features_file(paths.data_dir() / "cache" / "features.sqlite3", room_mib)


@cache
def _features_file(path: Path, room_mib: int) -> DiskFeatures:
    from app.adapters.feature_cache import DiskFeatures  # and SQLite, which the starter voice does not need

    return DiskFeatures(path, room_mib << 20)
