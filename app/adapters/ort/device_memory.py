"""How much of an adapter's memory sessions may take: all voices that are open share it."""

from __future__ import annotations

import threading
from collections import defaultdict

import psutil

from app.adapters.ort.providers import device_used
from app.errors import BackendError

SHARE = 0.6  # of the adapter's own; the desktop and other programs have the rest
SHARED_SHARE = 0.25  # of the machine's, where the adapter has none of its own
SESSION_BYTES = 128 << 20  # beside its weights: what is computed on the way, compiled operators
WEIGHTS_FACTOR = 1.2  # drivers keep weights in a layout of their own

_lock = threading.Lock()
_held: dict[str, int] = defaultdict(int)


def memory_of(place: str) -> int:
    """Bytes that sessions on a place may take in all."""
    try:
        device = device_used(place)
    except BackendError:
        return 0
    if device is not None and device.memory_mb is not None:
        return int((device.memory_mb << 20) * SHARE)
    return int(psutil.virtual_memory().total * SHARED_SHARE)


def session_bytes(weights: int) -> int:
    """What a session takes, roughly, whose weights are that many bytes."""
    return int(weights * WEIGHTS_FACTOR) + SESSION_BYTES


def take(place: str, wanted: int, limit: int) -> bool:
    """Counts so many bytes as taken, unless that would be more than the limit."""
    with _lock:
        if _held[place] + wanted > limit:
            return False
        _held[place] += wanted
        return True


def give_back(place: str, taken: int) -> None:
    """Counts so many bytes as free again."""
    with _lock:
        _held[place] -= taken
