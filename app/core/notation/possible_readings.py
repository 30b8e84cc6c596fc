"""Whether kana can be the reading of the word before them: put together from readings that a dictionary has for its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache

from app.core.moras import hiragana_to_katakana
from app.core.notation.kana import KANJI, kana_of, sounding, within_words

Readings = Callable[[str], Collection[str]]
"""All readings in katakana, as they are spelled, that a dictionary has for a word as written; none for what it does not know."""

LONGEST_BASE, LONGEST_READING = 24, 40  # letters, kana
LONGEST_ENDING = 5  # kana behind the word that may belong to it: 蔑（さげす）む
_LONGEST_WORD = 8
_IS_KANJI = re.compile(f"[{KANJI}]")
_JOINTS = "ノガツ"  # not always written between parts: 木下, 源頼朝, 八岳
_ALSO = {"ヶ": ("ガ", "カ", "ケ"), "ヵ": ("カ",), "ケ": ("ガ",), "一日": ("ツイタチ",)}


def base_length(before: str, kana: str, after: str, readings: Readings) -> int:
    """How many of the letters before it a reading belongs to; 0 where it is no reading of them.

    Args:
        kana: in katakana.
        after: what follows the reading; kana of it may belong to the word.
    """
    if not 0 < len(kana) <= LONGEST_READING:
        return 0
    before = before[-LONGEST_BASE:]
    start = _Parts(before, kana, _kana_at_start(after), readings).start()
    return 0 if start is None else len(before) - start


class _Parts:
    """Looks for parts of a text whose readings joined are the given one; the last part may have an ending behind the reading."""

    def __init__(self, before: str, kana: str, ending: str, readings: Readings) -> None:
        self._text, self._end = before + ending, len(before)
        self._kana, self._sound = kana, sounding(kana)
        self._readings = cache(lambda word: tuple(readings(word)))

    def start(self) -> int | None:
        """Where the first part begins, with as few parts as there can be."""
        waiting = list(dict.fromkeys(self._last_parts()))
        known = set(waiting)
        for place, left in waiting:  # grows
            if left == 0 and self._may_begin(place):
                return place
            more = [found for found in self._parts(place, left) if found not in known]
            waiting += more
            known.update(more)
        return None

    def _may_begin(self, place: int) -> bool:
        """魔法使（つか）い: a part of a word is read as in the word. 中止（やめ） is said of the whole word, which is read otherwise."""
        if place == 0 or not _IS_KANJI.match(self._text, place - 1):
            return True
        sounds = [
            sounding(reading).removesuffix(sounding(hiragana_to_katakana(self._text[self._end : end])))
            for end in range(self._end, len(self._text) + 1)
            for start in range(max(0, end - _LONGEST_WORD), place)
            for reading in self._of(start, end)
        ]
        fitting = tuple(sounding(sound) for sound in within_words(self._kana, is_last=True))
        return not sounds or any(sound.endswith(fitting) for sound in sounds)

    def _last_parts(self) -> Iterator[tuple[int, int]]:
        """Where the last part begins, and how many kana are left for those before it."""
        for end in range(self._end, len(self._text) + 1):
            ending = hiragana_to_katakana(self._text[self._end : end])
            for place in range(self._end - 1, max(-1, end - _LONGEST_WORD - 1), -1):
                for reading in self._of(place, end):
                    if ending and not (reading.endswith(ending) and len(reading) > len(ending)):
                        continue
                    own = reading.removesuffix(ending)
                    yield from self._fitting(place, own, len(self._kana), is_last=not ending)
                    yield from self._without_honorific(place, own)

    def _parts(self, end: int, left: int) -> Iterator[tuple[int, int]]:
        """The same for a part before another one."""
        if left > 1 and self._kana[left - 1] in _JOINTS:
            yield from self._parts_at(end, left - 1)
        yield from self._parts_at(end, left)

    def _parts_at(self, end: int, left: int) -> Iterator[tuple[int, int]]:
        for place in range(end - 1, max(-1, end - _LONGEST_WORD - 1), -1):
            for reading in self._of(place, end):
                yield from self._fitting(place, reading, left, is_last=False)

    def _of(self, place: int, end: int) -> Collection[str]:
        word = self._text[place:end]
        itself = hiragana_to_katakana(kana_of(word)) if end - place == 1 else ""
        return [*filter(None, (itself,)), *_ALSO.get(word, ()), *(() if itself else self._readings(word))]

    def _fitting(self, place: int, reading: str, left: int, *, is_last: bool) -> Iterator[tuple[int, int]]:
        for sound in within_words(reading, is_last=is_last):
            rest = left - len(sound)
            if rest >= 0 and sounding(self._kana[:rest] + sound) == self._sound[:left]:
                yield place, rest

    def _without_honorific(self, place: int, reading: str) -> Iterator[tuple[int, int]]:
        """お母（かあ）さん: kana at the beginning of a word that are not repeated."""
        written = self._text[place : self._end]
        start = _kana_at_start(written)
        if start and len(start) < len(written) and sounding(reading) == sounding(hiragana_to_katakana(start) + self._kana):
            yield place + len(start), 0


def _kana_at_start(text: str) -> str:
    end = next((end for end, char in enumerate(text[:LONGEST_ENDING]) if not "ぁ" <= char <= "ゖ"), min(len(text), LONGEST_ENDING))
    return text[:end]
