"""The cache forgets the oldest, and never holds more than it may."""

from hypothesis import given
from hypothesis import strategies as st

from app.core.lru_cache import LRUCache


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60))), st.integers(1, 5), st.integers(1, 100))
def test_bounds_hold_whatever_comes(puts: list[tuple[int, int]], entries: int, size: int) -> None:
    cache: LRUCache[int] = LRUCache(entries, size)
    held: dict[int, int] = {}
    for key, weight in puts:
        cache.put(key, key, weight)
        held[key] = weight
        assert len(cache) <= entries
        assert cache.bytes_held <= size
        assert cache.get(key) == (key if weight <= size else None)


def test_what_was_used_last_stays() -> None:
    cache: LRUCache[str] = LRUCache(2, 100)
    cache.put("a", "A")
    cache.put("b", "B")
    assert cache.get("a") == "A"
    cache.put("c", "C")
    assert cache.get("b") is None
    assert (cache.get("a"), cache.hits, cache.misses) == ("A", 2, 1)
    cache.clear()
    assert len(cache) == 0
