"""A text with its notation taken apart: what of it is spoken, where that stands, and which readings are given."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Ruby:
    """A reading, as it is written, of the letters [start, end)."""

    start: int
    end: int
    reading: str


@dataclass(frozen=True)
class NotedText:
    """A text, and what in it is notation.

    Attributes:
        text: as it is written.
        silent: letters that belong to no word: marks, readings, notes. Stretches [start, end), ascending, none touching another.
        rubies: over the letters of `text`, ascending, none overlapping.
        wholes: notation with the letters it stands at, ascending; a text is not cut within.
    """

    text: str
    silent: tuple[Span, ...] = ()
    rubies: tuple[Ruby, ...] = ()
    wholes: tuple[Span, ...] = ()

    @cached_property
    def plain(self) -> str:
        """What is spoken."""
        pieces, at = [], 0
        for start, end in self.silent:
            pieces.append(self.text[at:start])
            at = end
        return "".join((*pieces, self.text[at:])) if self.silent else self.text

    @cached_property
    def _left_out(self) -> list[int]:
        """Silent letters before each silent stretch, and in all."""
        return [0, *accumulate(end - start for start, end in self.silent)]

    @cached_property
    def _places(self) -> list[int]:
        """Where in the plain text each silent stretch is left out."""
        return [start - before for (start, _), before in zip(self.silent, self._left_out, strict=False)]

    def written_at(self, place: int) -> int:
        """Where a letter of the plain text stands in the text; for its end, the end."""
        return place + self._left_out[bisect_right(self._places, place)] if place < len(self.plain) else len(self.text)

    def plain_at(self, place: int) -> int:
        """How many letters of the plain text stand before a place of the text."""
        before = bisect_left(self.silent, (place,))
        inside = max(0, self.silent[before - 1][1] - place) if before else 0
        return place - self._left_out[before] + inside

    def written(self, start: int, end: int) -> Span:
        """Letters [start, end) of the plain text in the text, with the notation between the first and the last of them."""
        first = self.written_at(start)
        return first, max(first, self.written_at(end - 1) + 1) if end > start else first

    def cut_at(self, place: int, start: int) -> int:
        """Where the text from `start` on is cut so that letters up to a place of the plain text stand before it, but no notation is cut.

        What has no letters behind the cut stands before it, and so does notation that would otherwise begin the text.
        """
        if place >= len(self.plain):
            return len(self.text)
        cut = self.written(place - 1, place)[1] if place else self.written_at(0)
        first, last = self.whole_at(cut)
        return first if first > start and self.plain_at(last) > place else last

    def whole_at(self, place: int) -> Span:
        """The notation that a place of the text lies within; where it lies within none, the place itself."""
        at = bisect_left(self.wholes, (place,)) - 1  # the last that begins before it
        return self.wholes[at] if at >= 0 and place < self.wholes[at][1] else (place, place)

    @property
    def plain_rubies(self) -> list[Ruby]:
        """The readings over the letters of the plain text."""
        return [Ruby(self.plain_at(ruby.start), self.plain_at(ruby.end), ruby.reading) for ruby in self.rubies]

    def noting(self, silent: Iterable[Span], rubies: Iterable[Ruby] = (), wholes: Iterable[Span] = ()) -> NotedText:
        """The same with more notation, found in the plain text and counted over it. Of two readings the one that was there wins."""
        if not self.silent:
            return NotedText(self.text, _joined(silent), tuple(rubies), _joined(wholes, touching=False))
        own = (Ruby(*self.written(ruby.start, ruby.end), reading=ruby.reading) for ruby in rubies)
        return NotedText(
            self.text,
            _joined([*self.silent, *(self.written(*span) for span in silent)]),
            tuple(sorted((*self.rubies, *filter(self._is_free, own)), key=_start)),
            _joined([*self.wholes, *(self.written(*span) for span in wholes)], touching=False),
        )

    def _is_free(self, ruby: Ruby) -> bool:
        """Whether nothing else is read where a reading stands."""
        at = bisect_left(self.rubies, ruby.end, key=_start)  # those that begin before its end
        return at == 0 or self.rubies[at - 1].end <= ruby.start


def _start(ruby: Ruby) -> int:
    return ruby.start


def _joined(spans: Iterable[Span], *, touching: bool = True) -> tuple[Span, ...]:
    """In order; what overlaps, or touches, is one."""
    joined: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and start < joined[-1][1] + touching:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
