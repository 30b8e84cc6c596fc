"""Text to phones with Open JTalk's front end (pyopenjtalk-plus), by the conventions SBV2 voices were trained with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from app.adapters.english import english_kana
from app.adapters.openjtalk import words as openjtalk_words
from app.adapters.openjtalk.dictionary import taught_words
from app.adapters.openjtalk.own_words import own_words
from app.core.emoji import EmojiPlace, find_emoji
from app.core.normalise import PLACEHOLDER, Spell, normalise, normalise_surface
from app.core.normalise.characters import to_plain_characters
from app.core.overrides import Piece, Place, analyse_with_readings, beside, find_overrides
from app.core.readings.accents import mend_accents
from app.core.readings.explained import explained
from app.core.readings.word_pairs import mend_readings
from app.core.types import Phones, ReadingOverride
from app.core.words import EMOJI_KIND, Word, words_to_phones

_PRIVATE = re.compile("[\ue000-\uf8ff]")


class OpenJTalkG2P:
    """Implements `app.core.ports.G2P`. pyopenjtalk is imported at the first call, or by `warm_up`."""

    def warm_up(self) -> None:
        """Loads the dictionaries, so that the first sentence does not wait for them (about half a second)."""
        openjtalk_words.analyse("声の風")  # 風 has two readings, which brings in the second dictionary as well

    def words(self, text: str) -> list[str]:
        """Cuts raw text at word boundaries; the pieces joined are `text`."""
        return openjtalk_words.cut(text)

    def explain(self, text: str) -> list[Word]:
        """The words of one sentence, and what gave the reading of each."""
        converted: dict[str, str] = {}

        def spell(word: str) -> str:
            converted[english_kana(word)] = word
            return english_kana(word)

        text = _PRIVATE.sub("", text)
        words = _words(text, taught_words().written.find(text), 0, len(text), spell, doubts=True)
        return explained(words, to_plain_characters(text), converted)

    def convert(self, text: str, readings: Sequence[ReadingOverride] = (), *, emoji: bool = False, doubts: bool = False) -> Phones:
        """Phones of one sentence; unreadable text gives `_ _` and an empty reading.

        Occurrences of `readings` are counted within `text`. An InputError says what is wrong with a reading. What lies between two
        emoji that are symbols is analysed as a sentence of its own, as Nanairo voices were trained; a reading given to one wins.
        """
        text = _PRIVATE.sub("", text)
        places = beside(find_overrides(text, readings), taught_words().written.find(text))
        symbols = [found for found in find_emoji(text) if _is_free(found, places)] if emoji else []
        words: list[Word] = []
        start = 0
        for stop, following, symbol in symbols:
            words += [*_words(text, places, start, stop, doubts=doubts), Word(symbol, "", kind=EMOJI_KIND)]
            start = following
        return words_to_phones(words + _words(text, places, start, len(text), doubts=doubts))


def words_of(text: str) -> list[Word]:
    """Words of one sentence, with the user's dictionary but without readings of a line."""
    text = _PRIVATE.sub("", text)
    return _words(text, taught_words().written.find(text), 0, len(text))


def _is_free(emoji: EmojiPlace, places: Sequence[Place]) -> bool:
    return all(emoji.end <= start or emoji.start >= end for start, end, _ in places)


def _words(text: str, places: Sequence[Place], start: int, end: int, spell: Spell = english_kana, *, doubts: bool = False) -> list[Word]:
    """Words of text[start:end]; a private character holds each place whose reading is given while the rest is normalised."""
    given = [(first, last, override) for first, last, override in places if start <= first < end]
    marked = ""
    for first, last, _ in given:
        marked += text[start:first] + PLACEHOLDER
        start = last
    spoken = own_words().speak(marked + text[start:end])
    first_text, *others = normalise(spoken, openjtalk_words.lookup, spell).split(PLACEHOLDER)
    if not given:
        return _analyse(first_text, doubts=doubts)
    pieces = [Piece(first_text)]
    for (_, _, override), following in zip(given, others, strict=True):
        pieces += [Piece(normalise_surface(override.surface), override), Piece(following)]
    return analyse_with_readings([piece for piece in pieces if piece.text], partial(_analyse, doubts=doubts))


def _analyse(text: str, *, doubts: bool) -> list[Word]:
    return mend_accents(mend_readings(openjtalk_words.analyse(text, doubts=doubts)))
