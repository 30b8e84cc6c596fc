"""Text to phones with Open JTalk's front end (pyopenjtalk-plus), by the conventions SBV2 voices were trained with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from app.adapters.english import english_kana
from app.adapters.openjtalk import words as openjtalk_words
from app.adapters.openjtalk.choices import chosen_links, has_memos_everywhere
from app.adapters.openjtalk.dictionary import taught_words
from app.adapters.openjtalk.own_words import own_words
from app.core.emoji import EmojiPlace, find_emoji
from app.core.normalise import PLACEHOLDER, KeptWord, Spell, mark_boundaries, normalise_in_pieces
from app.core.normalise.characters import to_plain_characters
from app.core.normalise.unspoken import Unspoken, find_unspoken, leave_out
from app.core.notation.bracketed import with_bracketed
from app.core.notation.given import given_by_text, given_by_user, places_in_plain
from app.core.notation.noted import NotedText
from app.core.notation.ruby_words import Reading
from app.core.notation.written import noted_text
from app.core.overrides import Given, Piece, analyse_with_readings, beside, find_overrides
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

    @property
    def memos(self) -> bool:
        """Whether square brackets hold memos in every text."""
        return has_memos_everywhere()

    def explain(self, text: str) -> list[Word]:
        """The words of one sentence, and what gave the reading of each."""
        converted: dict[str, str] = {}

        def spell(word: str) -> str:
            converted[english_kana(word)] = word
            return english_kana(word)

        noted = read_notation(text, memos=self.memos)
        words = _words(noted.plain, _given(noted, ()), 0, len(noted.plain), spell, doubts=True)
        return explained(words, to_plain_characters(noted.plain), converted)

    def convert(
        self, text: str, readings: Sequence[ReadingOverride] = (), *, emoji: bool = False, doubts: bool = False, memos: bool = False
    ) -> Phones:
        """Phones of one sentence; unreadable text gives `_ _` and an empty reading.

        Occurrences of `readings` are counted within `text`. An InputError says what is wrong with a reading. What lies between two
        emoji that are symbols is analysed as a sentence of its own, as Nanairo voices were trained; a reading given to one wins.
        """
        noted = read_notation(text, memos=memos or self.memos)
        plain, given = noted.plain, _given(noted, readings)
        symbols = [found for found in find_emoji(plain) if _is_free(found, given)] if emoji else []
        words: list[Word] = []
        start = 0
        for stop, following, symbol in symbols:
            words += [*_words(plain, given, start, stop, doubts=doubts), Word(symbol, "", kind=EMOJI_KIND)]
            start = following
        return words_to_phones(words + _words(plain, given, start, len(plain), doubts=doubts), noted.silent)


def read_notation(text: str, *, memos: bool) -> NotedText:
    """The text with its notation taken apart; in parentheses only possible readings are readings, of which dictionaries know."""
    noted = noted_text(text, memos=memos)
    if private := [match.span() for match in _PRIVATE.finditer(noted.plain)]:
        noted = noted.noting(private)
    for known in (openjtalk_words.spelled_readings, openjtalk_words.all_readings):  # the second loads another dictionary
        noted = with_bracketed(noted, known)
    return noted


def _given(noted: NotedText, readings: Sequence[ReadingOverride]) -> list[Given]:
    """Readings of the user, then of the text, then of the user's dictionary, where none of those before stands."""
    by_hand = given_by_user(list(places_in_plain(noted, find_overrides(noted.text, readings))))
    given = beside(beside(by_hand, given_by_text(noted, _spoken)), given_by_user(taught_words().written.find(noted.plain)))
    unspoken = find_unspoken(noted.plain, chosen_links()) if given else []
    return [one for one in given if not any(_cuts(one, found) for found in unspoken)]


def _spoken(reading: str) -> str:
    """A reading in kana; what is no kana is read as any text."""
    text = _PRIVATE.sub("", reading)
    return "".join(word.pronunciation for word in _words(text, [], 0, len(text)))


def words_of(text: str) -> list[Word]:
    """Words of one sentence, with the user's dictionary but without readings of a line."""
    noted = read_notation(text, memos=False)
    return _words(noted.plain, _given(noted, ()), 0, len(noted.plain))


def _cuts(one: Given, found: Unspoken) -> bool:
    """Whether a word lies within what is not spoken, or across its edge."""
    return one.start < found.end and found.start < one.end and not (one.start <= found.start and found.end <= one.end)


def _is_free(emoji: EmojiPlace, given: Sequence[Given]) -> bool:
    return all(emoji.end <= one.start or emoji.start >= one.end for one in given)


def _words(text: str, given: Sequence[Given], start: int, end: int, spell: Spell = english_kana, *, doubts: bool = False) -> list[Word]:
    """Words of text[start:end]; a private character holds each place whose reading is given while the rest is normalised."""
    given = [one for one in given if start <= one.start < end]
    marked = ""
    for one in given:
        marked += text[start : one.start] + PLACEHOLDER
        start = one.end
    spoken = own_words().speak(mark_boundaries(leave_out(marked + text[start:end], chosen_links())))
    pieces = _in_pieces(normalise_in_pieces(spoken, openjtalk_words.lookup, spell), given)
    if all(piece.override is None for piece in pieces):
        return _analyse(pieces, doubts=doubts)
    return analyse_with_readings(pieces, partial(_analyse, doubts=doubts))


def _in_pieces(normalised: Sequence[str | KeptWord], given: Sequence[Given]) -> list[Piece]:
    """Normalised text with the readings that are given and those of words for signs."""
    pieces: list[Piece] = []
    awaited = iter(given)
    for part in normalised:
        if isinstance(part, KeptWord):
            override = ReadingOverride(part.surface, part.reading, part.accent)
            pieces.append(Piece(part.surface, override, read_by="normalisation"))
            continue
        for number, plain in enumerate(part.split(PLACEHOLDER)):
            if number:
                pieces.append(next(awaited).piece)
            pieces.append(Piece(plain))
    return [piece for piece in pieces if piece.text]


def _analyse(pieces: Sequence[Piece], *, doubts: bool) -> list[Word]:
    ends = list(accumulate(len(piece.text) for piece in pieces))
    readings = [Reading(end - len(piece.text), end, piece.kana) for piece, end in zip(pieces, ends, strict=True) if piece.kana]
    text = "".join(piece.text for piece in pieces)
    return mend_accents(mend_readings(openjtalk_words.analyse(text, doubts=doubts, readings=readings)))
