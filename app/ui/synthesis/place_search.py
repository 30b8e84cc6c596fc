"""When a mora or a mark sounds, found while the line is being made."""

from __future__ import annotations

from app.core.phones import mark_count, mark_of_phones, mora_count, mora_of_phones
from app.core.types import AudioChunk
from app.ui.synthesis.jobs import LinePlace


class PlaceSearch:
    """Looks at the chunks of a line one after the other."""

    def __init__(self, place: LinePlace) -> None:
        self._owners_of, self._count = (mora_of_phones, mora_count) if place.kind == "mora" else (mark_of_phones, mark_count)
        self._left = place.index
        self._made_s = 0.0
        self._spoken = False

    def look(self, chunk: AudioChunk) -> float | None:
        """Seconds from the beginning of the line, 0 where the voice reports no times; None while the place is still to come."""
        begins_s, self._made_s = self._made_s, self._made_s + len(chunk.samples) / chunk.sampling_rate
        if not chunk.phones:
            return None if chunk.silence or self._spoken else 0.0
        self._spoken = True
        names = [timing.phone for timing in chunk.phones]
        place, self._left = self._left, self._left - self._count(names)
        if self._left >= 0:
            return None
        return begins_s + chunk.phones[self._owners_of(names).index(place)].start_s
