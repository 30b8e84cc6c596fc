"""The limit of an adapter's memory for sessions: all open voices share it."""

from __future__ import annotations

import threading
from collections import defaultdict

import psutil

from app.adapters.ort.devices.ort_devices import find_effective_device
from app.common.errors import BackendError

# Of the adapter's own; the desktop and other programs have the rest.
DEDICATED_MEMORY_SHARE = 0.6
# Of the machine's, where the adapter has none of its own.
SHARED_MEMORY_SHARE = 0.25
# Beside its weights: what is computed on the way, compiled operators.
SESSION_OVERHEAD_BYTES = 128 << 20
# Drivers keep weights in a layout of their own.
WEIGHTS_FACTOR = 1.2

_lock = threading.Lock()
# By place.
reserved_bytes: dict[str, int] = defaultdict(int)


def find_memory_limit(place: str) -> int:
    """Return the bytes that all sessions on a place together may take."""
    try:
        device = find_effective_device(place)
    except BackendError:
        return 0
    if device is not None and device.memory_mb is not None:
        return int((device.memory_mb << 20) * DEDICATED_MEMORY_SHARE)
    return int(psutil.virtual_memory().total * SHARED_MEMORY_SHARE)


def estimate_session_bytes(weights: int) -> int:
    """Return what a session takes, roughly, whose weights are that many bytes."""
    return int(weights * WEIGHTS_FACTOR) + SESSION_OVERHEAD_BYTES


def reserve_memory(place: str, requested: int, limit: int) -> bool:
    """Reserve bytes, unless the sum would exceed the limit."""
    with _lock:
        if reserved_bytes[place] + requested > limit:
            return False
        reserved_bytes[place] += requested
        return True


def release_memory(place: str, reserved: int) -> None:
    """Release reserved bytes."""
    with _lock:
        reserved_bytes[place] -= reserved
