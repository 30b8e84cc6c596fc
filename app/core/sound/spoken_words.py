"""The word of a text that sounds at a time, while its sound is still being made."""

from bisect import bisect_right

from app.core.sound.line_reading import LineReading
from app.core.sound.line_sound import LineSound, LineSpans
from app.core.synthesis_types import AudioChunk


class SpokenWordFinder:
    """Collects the sound and the reading of one text, in whatever order they come."""

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        self._sound = LineSound(request_id)
        self._line_reading: LineReading | None = None
        self._spans: LineSpans | None = None
        self._spans_key: tuple[str, int] | None = None

    def add_chunk(self, chunk: AudioChunk) -> None:
        """Add the next chunk of the sound."""
        self._sound.add_chunk(chunk)

    def set_reading(self, reading: LineReading) -> None:
        """Take the reading of the text."""
        self._line_reading, self._spans_key = reading, None

    def find_word(self, played_s: float) -> tuple[int, int] | None:
        """Return the characters [start, end) of the word that sounds so many seconds from the beginning, or None while that is not known."""
        if self._line_reading is None:
            return None
        if self._spans_key != self._sound.progress_key:
            self._spans, self._spans_key = self._sound.compute_spans(self._line_reading), self._sound.progress_key
        if self._spans is None:
            return None
        mora = bisect_right(self._spans.moras, played_s, key=lambda span: span.start_s) - 1
        word = self._line_reading.find_word(mora) if mora >= 0 else None
        return None if word is None else (word.start, word.end)
