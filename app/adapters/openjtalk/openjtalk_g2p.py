"""Text to phones with Open JTalk's front end (pyopenjtalk-plus), by the conventions SBV2 voices were trained with."""

import re
from collections.abc import Sequence
from dataclasses import astuple
from functools import partial
from itertools import accumulate

from app.adapters.english_kana import convert_english_to_kana
from app.adapters.openjtalk import mecab_words
from app.adapters.openjtalk.reading_choices import find_link_reading, should_find_memos_everywhere
from app.adapters.openjtalk.user_lexicon import find_built_in_words, load_english_dictionary, load_user_lexicon
from app.core.synthesis_types import Phones, ReadingOverride
from app.core.text.emoji_symbols import find_emoji
from app.core.text.english_phones import convert_arpabet
from app.core.text.normalise import PLACEHOLDER, KeptWord, Spell, mark_boundaries, normalise_in_pieces, normalise_surface, normalise_text
from app.core.text.normalise.characters import normalise_characters
from app.core.text.normalise.unspoken_markup import UnspokenSpan, drop_unspoken, find_unspoken
from app.core.text.notation.bracketed_readings import extract_bracketed_readings
from app.core.text.notation.explicit_notation import parse_noted_text
from app.core.text.notation.noted_text import NotedText
from app.core.text.notation.ruby_words import TextReading, convert_spans_to_plain, list_text_readings, list_user_readings
from app.core.text.pronunciation import EMOJI_KIND, ReadBy, Word, convert_words_to_phones
from app.core.text.reading_overrides import GivenReading, TextPiece, add_without_overlap, build_words_with_readings, find_overrides
from app.core.text.readings.english_reading import find_english_words
from app.core.text.readings.word_corrections import mark_rewritten, repair_accents, repair_readings

_PRIVATE_USE_CHARS = re.compile("[\ue000-\uf8ff]")


class OpenJTalkG2P:
    """Implements `app.core.sound.ports.G2P`. pyopenjtalk is imported at the first call, or by `warm_dictionaries`."""

    def warm_dictionaries(self) -> None:
        """Load the dictionaries, so that the first sentence does not wait for them (about half a second)."""
        # 風 has two readings, which brings in the second dictionary as well.
        mecab_words.parse_words("声の風")

    def split_words(self, text: str) -> list[str]:
        return mecab_words.split_at_words(text)

    @property
    def should_skip_memos(self) -> bool:
        """Return whether square brackets hold memos in every text."""
        return should_find_memos_everywhere()

    def explain_readings(self, text: str) -> list[Word]:
        """Return the words of one sentence with the origin of each reading."""
        converted: dict[str, str] = {}

        def spell_and_record(word: str) -> str:
            converted[convert_english_to_kana(word)] = word
            return convert_english_to_kana(word)

        noted = parse_notation(text, memos=self.should_skip_memos)
        words = _parse_range(noted.plain, _collect_given_readings(noted, ()), 0, len(noted.plain), spell_and_record, doubts=True)
        return mark_rewritten(words, normalise_characters(noted.plain), converted)

    def convert_sentence(
        self,
        text: str,
        readings: Sequence[ReadingOverride] = (),
        *,
        emoji: bool = False,
        doubts: bool = False,
        memos: bool = False,
        english: bool = False,
    ) -> Phones:
        """Return the phones of one sentence; unreadable text gives `_ _` and an empty reading.

        Occurrences of `readings` are counted within `text`. An InputError says what is wrong with a reading. What is between two
        emoji that are symbols is analysed as a sentence of its own, as Nanairo voices were trained; a reading given to one wins.
        """
        noted = parse_notation(text, memos=memos or self.should_skip_memos)
        plain, given = noted.plain, _collect_given_readings(noted, readings, english=english)
        emojis = find_emoji(plain) if emoji else []
        symbols = [item for item in emojis if all(item.end <= one.start or item.start >= one.end for one in given)]
        words: list[Word] = []
        start = 0
        for stop, following, symbol in symbols:
            words += [*_parse_range(plain, given, start, stop, doubts=doubts), Word(symbol, "", kind=EMOJI_KIND)]
            start = following
        return convert_words_to_phones(words + _parse_range(plain, given, start, len(plain), doubts=doubts), noted.silent)


def parse_notation(text: str, *, memos: bool) -> NotedText:
    """Parse a text into plain text and notation; text in parentheses is a reading only if the dictionaries know it as a possible one."""
    noted = parse_noted_text(text, memos=memos)
    if private := [match.span() for match in _PRIVATE_USE_CHARS.finditer(noted.plain)]:
        noted = noted.add_notation(private)
    # The second loads another dictionary.
    for known in (mecab_words.find_spelled_readings, mecab_words.find_all_readings):
        noted = extract_bracketed_readings(noted, known)
    return noted


def _collect_given_readings(noted: NotedText, readings: Sequence[ReadingOverride], *, english: bool = False) -> list[GivenReading]:
    """Return readings of the user, then of the text, then of the user's dictionary, and last English words, each only where there is no earlier one."""
    spans = list(convert_spans_to_plain(noted, find_overrides(noted.text, readings)))
    spelled = [(start, end, convert_arpabet(override.reading)) for start, end, override in spans]
    by_hand = list_user_readings([span for span, (*_, syllables) in zip(spans, spelled, strict=True) if not syllables])
    if english:
        by_hand = add_without_overlap(by_hand, [_give_syllables(noted.plain, *span, "user") for span in spelled if span[2]])
    given = add_without_overlap(
        add_without_overlap(by_hand, list_text_readings(noted, _convert_to_kana)),
        list_user_readings(load_user_lexicon().written.find_words(noted.plain)),
    )
    if english:
        found = find_english_words(noted.plain, load_english_dictionary().find_pronunciation)
        given = add_without_overlap(given, [_give_syllables(noted.plain, *astuple(word)) for word in found])
    unspoken = find_unspoken(noted.plain, find_link_reading()) if given else []
    return [one for one in given if not any(_is_cut_by(one, found) for found in unspoken)]


def _give_syllables(text: str, start: int, end: int, syllables: tuple[str, ...], read_by: ReadBy = "pronunciation") -> GivenReading:
    """Return an English word; the analyser sees it as the katakana that it would be read as, so that it reads all around it as it would then."""
    written = text[start:end]
    kana = normalise_text(find_built_in_words().speak_latin_words(written), mecab_words.find_pronunciation, convert_english_to_kana)
    override = ReadingOverride(normalise_surface(written), "")
    return GivenReading(start, end, TextPiece(kana.replace(" ", ""), override, read_by=read_by, syllables=syllables))


def _convert_to_kana(reading: str) -> str:
    """Return a reading in kana; a reading in other letters is read as any text."""
    text = _PRIVATE_USE_CHARS.sub("", reading)
    return "".join(word.pronunciation for word in _parse_range(text, [], 0, len(text)))


def parse_sentence(text: str) -> list[Word]:
    """Return the words of one sentence, with the user's dictionary but without readings of a line."""
    noted = parse_notation(text, memos=False)
    return _parse_range(noted.plain, _collect_given_readings(noted, ()), 0, len(noted.plain))


def _is_cut_by(reading: GivenReading, unspoken: UnspokenSpan) -> bool:
    return (
        reading.start < unspoken.end
        and unspoken.start < reading.end
        and not (reading.start <= unspoken.start and unspoken.end <= reading.end)
    )


def _parse_range(
    text: str, readings: Sequence[GivenReading], start: int, end: int, spell: Spell = convert_english_to_kana, *, doubts: bool = False
) -> list[Word]:
    """Return the words of text[start:end]; a private character holds each place with a given reading while the rest is normalised."""
    readings = [one for one in readings if start <= one.start < end]
    marked = ""
    for one in readings:
        # An English word is parted by spaces, as words in Latin letters are.
        marked += text[start : one.start] + (f" {PLACEHOLDER} " if one.piece.syllables else PLACEHOLDER)
        start = one.end
    spoken = find_built_in_words().speak_latin_words(mark_boundaries(drop_unspoken(marked + text[start:end], find_link_reading())))
    pieces = _insert_readings(normalise_in_pieces(spoken, mecab_words.find_pronunciation, spell), readings)
    if all(piece.override is None for piece in pieces):
        return _parse_pieces(pieces, doubts=doubts)
    return build_words_with_readings(pieces, partial(_parse_pieces, doubts=doubts))


def _insert_readings(normalised: Sequence[str | KeptWord], readings: Sequence[GivenReading]) -> list[TextPiece]:
    pieces: list[TextPiece] = []
    awaited = iter(readings)
    for part in normalised:
        if isinstance(part, KeptWord):
            override = ReadingOverride(part.surface, part.reading, part.accent)
            pieces.append(TextPiece(part.surface, override, read_by="normalisation"))
            continue
        for number, plain in enumerate(part.split(PLACEHOLDER)):
            if number:
                pieces.append(next(awaited).piece)
            pieces.append(TextPiece(plain))
    return [piece for piece in pieces if piece.text]


def _parse_pieces(pieces: Sequence[TextPiece], *, doubts: bool) -> list[Word]:
    ends = list(accumulate(len(piece.text) for piece in pieces))
    readings = [TextReading(end - len(piece.text), end, piece.kana) for piece, end in zip(pieces, ends, strict=True) if piece.kana]
    text = "".join(piece.text for piece in pieces)
    return repair_accents(repair_readings(mecab_words.parse_words(text, doubts=doubts, readings=readings)))
