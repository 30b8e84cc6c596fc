"""Counts what an archive unpacks to. Sizes that it claims are not believed: a few kilobytes can grow to terabytes."""

from __future__ import annotations

from app.errors import VoiceError
from app.language import say
from app.voices.limits import FREE_UNPACKED_BYTES, LARGEST_UNPACKED_BYTES, MOST_RATIO


class Budget:
    """The bytes that one archive, with the archives inside it, may unpack to."""

    def __init__(self, name: str, packed_bytes: int) -> None:
        self._name = name
        self._left = min(LARGEST_UNPACKED_BYTES, FREE_UNPACKED_BYTES + MOST_RATIO * packed_bytes)

    def spend(self, size: int) -> None:
        """Counts unpacked bytes, before they are kept; a VoiceError when they are too many."""
        self._left -= size
        if self._left < 0:
            raise VoiceError(
                say(f"展開すると大きすぎる書庫です: {self._name}", f"This archive unpacks to far too much: {self._name}"),
                say(
                    "声だけが入った書庫を選ぶか、展開してから追加してください。",
                    "Choose one that holds voices only, or unpack it yourself first.",
                ),
            )
