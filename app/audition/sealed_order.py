"""Chance that can be checked afterwards: everything follows from a sealed seed."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache

SEED_DIGITS = 64


def generate_seed() -> str:
    """Return a seed that nobody can guess: 64 hex digits."""
    return os.urandom(SEED_DIGITS // 2).hex()


def compute_seal(seed: str) -> str:
    """Compute the seal, shown instead of the seed until the end: SHA-256 of its digits, which `printf SEED | sha256sum` computes as well."""
    return hashlib.sha256(seed.encode("ascii")).hexdigest()


def draw_positions(seed: str, number: int) -> tuple[bool, int]:
    """Return for a trial whether its two sounds change places, and which of them, 0 or 1, X is. Trials are independent, as coins are."""
    drawn = _draw_bytes(seed, f"trial {number}")[0]
    return bool(drawn & 1), drawn >> 1 & 1


# A test that is read is gone through answer by answer.
@lru_cache(maxsize=4096)
def shuffle_numbers(seed: str, purpose: str, count: int) -> tuple[int, ...]:
    """Return the numbers below `count` in an order of their own for each `purpose`."""
    return tuple(sorted(range(count), key=lambda number: _draw_bytes(seed, f"{purpose} {number}")))


def _draw_bytes(seed: str, purpose: str) -> bytes:
    return hashlib.sha256(f"{seed} {purpose}".encode()).digest()
