"""What a worker is at, in memory that others can read at any time: also when it stands still, or has been killed."""

import mmap
import struct
import time
from dataclasses import dataclass
from pathlib import Path

_FORM = struct.Struct("<qdddqq")  # number, start, limit, starved before, memory, length of the text
LONGEST_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Now:
    """One try in work.

    Attributes:
        number: -1 before the first.
        seconds: since it began.
        starved_s: what the worker had waited for a core when it began.
    """

    number: int
    seconds: float
    limit_s: float
    starved_s: float
    memory_bytes: int
    text: str


class Progress:
    """A small file, mapped by the worker and by its crew."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(_FORM.pack(-1, time.monotonic(), 60.0, 0.0, 4 << 30, 0) + bytes(LONGEST_TEXT))
        with path.open("rb+") as file:
            self._map = mmap.mmap(file.fileno(), _FORM.size + LONGEST_TEXT)

    def begin(self, number: int, limit_s: float, memory_bytes: int, starved_s: float) -> None:
        """A try begins."""
        self._map[: _FORM.size] = _FORM.pack(number, time.monotonic(), limit_s, starved_s, memory_bytes, 0)

    def allow(self, limit_s: float, memory_bytes: int) -> None:
        """The try in work gets so many seconds from now on, and never less memory than it had."""
        number, start, _, starved_s, held, length = _FORM.unpack(self._map[: _FORM.size])
        limit_s, memory_bytes = limit_s + time.monotonic() - start, max(held, memory_bytes)
        self._map[: _FORM.size] = _FORM.pack(number, start, limit_s, starved_s, memory_bytes, length)

    def say(self, text: str) -> None:
        """What the try does now."""
        data = text.encode("utf-8", "backslashreplace")[:LONGEST_TEXT]
        self._map[_FORM.size : _FORM.size + len(data)] = data
        self._map[_FORM.size - 8 : _FORM.size] = struct.pack("<q", len(data))

    def now(self) -> Now:
        """What is going on."""
        number, start, limit_s, starved_s, memory, length = _FORM.unpack(self._map[: _FORM.size])
        text = self._map[_FORM.size : _FORM.size + length].decode("utf-8", "replace")
        return Now(number, time.monotonic() - start, limit_s, starved_s, memory, text)
