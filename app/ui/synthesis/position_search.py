"""When a mora or a mark sounds, found while the line is being made."""

from __future__ import annotations

from app.core.phone_ids import count_marks, count_moras, map_phones_to_marks, map_phones_to_moras
from app.core.synthesis_types import AudioChunk
from app.ui.synthesis.synthesis_jobs import LinePosition


class PositionSearch:
    """Looks at the chunks of a line one after the other."""

    def __init__(self, position: LinePosition) -> None:
        self._owners_of, self._count = (map_phones_to_moras, count_moras) if position.kind == "mora" else (map_phones_to_marks, count_marks)
        self._left = position.index
        self._made_s = 0.0
        self._spoken = False

    def search_chunk(self, chunk: AudioChunk) -> float | None:
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
