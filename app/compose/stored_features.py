"""Decides which features of a BERT are kept on the disk."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.common.files import paths
from app.voices.bert_models import BertModel

if TYPE_CHECKING:
    from app.adapters.disk_feature_cache import DiskFeatureCache

# Features of a smaller BERT are computed faster than a disk is asked.
SLOW_BERT_BYTES = 64 << 20


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
