"""A small least-recently-used store, bounded by entries and by bytes."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

CachedValue = TypeVar("CachedValue")


class LRUCache(Generic[CachedValue]):
    """A cache of the values used last; `bytes_held`: sum of the sizes given to `put`."""

    def __init__(self, max_entries: int, max_bytes: int) -> None:
        self._entries: OrderedDict[Hashable, tuple[CachedValue, int]] = OrderedDict()
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self.bytes_held = 0
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> CachedValue | None:
        """Return the value, or None."""
        entry = self._entries.get(key)
        if entry is None:
            self.misses += 1
            return None
        self.hits += 1
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: Hashable, value: CachedValue, size: int = 0) -> None:
        """Store a value of `size` bytes; the oldest values go when the cache is full. A value larger than the whole cache is not kept."""
        previous = self._entries.pop(key, None)
        if previous is not None:
            self.bytes_held -= previous[1]
        if size > self._max_bytes:
            return
        self._entries[key] = (value, size)
        self.bytes_held += size
        while len(self._entries) > self._max_entries or self.bytes_held > self._max_bytes:
            _, (_, oldest) = self._entries.popitem(last=False)
            self.bytes_held -= oldest

    def clear(self) -> None:
        """Forget everything but the counts."""
        self._entries.clear()
        self.bytes_held = 0
