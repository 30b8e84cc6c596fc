"""A text with its notation taken apart: what of it is spoken, where that is, and which readings are given."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

LetterSpan = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RubyReading:
    """A reading, as it is written, of the letters [start, end)."""

    start: int
    end: int
    reading: str


@dataclass(frozen=True)
class NotedText:
    """A text, and what in it is notation."""

    text: str
    # Letters that belong to no word: marks, readings, notes. Stretches [start, end), ascending, none touching another.
    silent: tuple[LetterSpan, ...] = ()
    rubies: tuple[RubyReading, ...] = ()  # over the letters of `text`, ascending, none overlapping
    notation_spans: tuple[LetterSpan, ...] = ()  # notation with the letters it belongs to, ascending; a text is not cut within

    @cached_property
    def plain(self) -> str:
        """Return what is spoken."""
        pieces, at = [], 0
        for start, end in self.silent:
            pieces.append(self.text[at:start])
            at = end
        return "".join((*pieces, self.text[at:])) if self.silent else self.text

    @cached_property
    def _silent_counts(self) -> list[int]:
        """Return the number of silent letters before each silent stretch, and in all."""
        return [0, *accumulate(end - start for start, end in self.silent)]

    @cached_property
    def _cut_positions(self) -> list[int]:
        """Return where in the plain text each silent stretch is left out."""
        return [start - before for (start, _), before in zip(self.silent, self._silent_counts, strict=False)]

    def map_to_written(self, position: int) -> int:
        """Return where a letter of the plain text is in the text; for its end, the end."""
        return position + self._silent_counts[bisect_right(self._cut_positions, position)] if position < len(self.plain) else len(self.text)

    def map_to_plain(self, position: int) -> int:
        """Return how many letters of the plain text precede a place of the text."""
        before = bisect_left(self.silent, (position,))
        inside = max(0, self.silent[before - 1][1] - position) if before else 0
        return position - self._silent_counts[before] + inside

    def map_span_to_written(self, start: int, end: int) -> LetterSpan:
        """Return the place in the written text of letters [start, end) of the plain text, with the notation between the first and the last of them."""
        first = self.map_to_written(start)
        return first, max(first, self.map_to_written(end - 1) + 1) if end > start else first

    def find_cut(self, position: int, start: int) -> int:
        """Return where to cut the text from `start` on so that letters up to a place of the plain text precede it and no notation is split.

        Notation without letters after the cut goes before it, and so does notation that would otherwise begin the text.
        """
        if position >= len(self.plain):
            return len(self.text)
        cut = self.map_span_to_written(position - 1, position)[1] if position else self.map_to_written(0)
        first, last = self.find_notation(cut)
        return first if first > start and self.map_to_plain(last) > position else last

    def find_notation(self, position: int) -> LetterSpan:
        """Return the notation around a place of the text, or the place itself if there is none."""
        at = bisect_left(self.notation_spans, (position,)) - 1  # the last that begins before it
        return self.notation_spans[at] if at >= 0 and position < self.notation_spans[at][1] else (position, position)

    @property
    def plain_rubies(self) -> list[RubyReading]:
        """Return the readings over the letters of the plain text."""
        return [RubyReading(self.map_to_plain(ruby.start), self.map_to_plain(ruby.end), ruby.reading) for ruby in self.rubies]

    def add_notation(
        self, silent: Iterable[LetterSpan], rubies: Iterable[RubyReading] = (), notation_spans: Iterable[LetterSpan] = ()
    ) -> NotedText:
        """Return the text with more notation, found in the plain text and counted over it. Of two readings the earlier one wins."""
        if not self.silent:
            return NotedText(self.text, _merge_spans(silent), tuple(rubies), _merge_spans(notation_spans, touching=False))
        written_rubies = (RubyReading(*self.map_span_to_written(ruby.start, ruby.end), reading=ruby.reading) for ruby in rubies)
        return NotedText(
            self.text,
            _merge_spans([*self.silent, *(self.map_span_to_written(*span) for span in silent)]),
            tuple(sorted((*self.rubies, *filter(self._is_free, written_rubies)), key=_find_start)),
            _merge_spans([*self.notation_spans, *(self.map_span_to_written(*span) for span in notation_spans)], touching=False),
        )

    def _is_free(self, ruby: RubyReading) -> bool:
        """Return whether no other reading covers the letters of this one."""
        at = bisect_left(self.rubies, ruby.end, key=_find_start)  # those that begin before its end
        return at == 0 or self.rubies[at - 1].end <= ruby.start


def _find_start(ruby: RubyReading) -> int:
    return ruby.start


def _merge_spans(spans: Iterable[LetterSpan], *, touching: bool = True) -> tuple[LetterSpan, ...]:
    joined: list[LetterSpan] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start < joined[-1][1] + touching:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
