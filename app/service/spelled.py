"""Phones of accent phrases that no text is known for: they are spelled as they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.moras import MORAS, hiragana_to_katakana, mora_phones, split_moras
from app.core.shaped import ShapedSentence
from app.core.symbols import EDGE, EMOJI_IDS, VOWELS
from app.core.types import Phones
from app.core.words import phrase_heights
from app.service.query import AccentPhrase, Mora
from app.service.refused import invalid, problem

LONGEST_BREATH = 60  # morae after which a pause ends the sentence
LONGEST = 400  # morae after which the next phrase begins another one


def spelled(phrases: Sequence[AccentPhrase], *, emoji: bool) -> list[ShapedSentence]:
    """The sentences of accent phrases. Raises Refused for a mora that cannot be spoken."""
    return [ShapedSentence(index, _phones(group, emoji)) for index, group in enumerate(_sentences(phrases))]


def _sentences(phrases: Sequence[AccentPhrase]) -> Iterator[list[AccentPhrase]]:
    group: list[AccentPhrase] = []
    for phrase in phrases:
        if not phrase.moras:
            continue
        group.append(phrase)
        moras = sum(len(one.moras) for one in group)
        over = phrase.pause_mora is not None and (phrase.is_interrogative or moras > LONGEST_BREATH)
        if over or moras > LONGEST:
            yield group
            group = []
    if group:
        yield group


def _phones(phrases: Sequence[AccentPhrase], emoji: bool) -> Phones:
    """One character a mora for BERT, which reads kana then."""
    text, reading, vowel = "", "", ""
    phones, tones, word2ph = [EDGE], [0], [1]
    for index, phrase in enumerate(phrases):
        for mora, tone in zip(phrase.moras, phrase_heights(len(phrase.moras), phrase.accent), strict=True):
            symbols, letters = _spoken(mora, vowel, emoji)
            vowel = symbols[-1] if symbols[-1] in VOWELS or symbols[-1] == "N" else vowel
            text += letters
            reading += "" if letters in EMOJI_IDS else letters
            phones += symbols
            tones += [0 if letters in EMOJI_IDS else tone] * len(symbols)
            word2ph += [len(symbols), *[0] * (len(letters) - 1)]
        if (mark := _mark(phrase, last=index + 1 == len(phrases))) is not None:
            text, vowel = text + mark, ""
            phones, tones, word2ph = [*phones, mark], [*tones, 0], [*word2ph, 1]
    return Phones(text, reading, (*phones, EDGE), (*tones, 0), (*word2ph, 1))


def _mark(phrase: AccentPhrase, *, last: bool) -> str | None:
    if last:
        return "?" if phrase.is_interrogative else "."
    return None if phrase.pause_mora is None else "?" if phrase.is_interrogative else ","


def _spoken(mora: Mora, vowel: str, emoji: bool) -> tuple[tuple[str, ...], str]:
    if emoji and mora.text in EMOJI_IDS:
        return (mora.text,), mora.text
    kana = hiragana_to_katakana(mora.text)
    known = kana in MORAS or kana == "ー" or (len(split_moras(kana)) == 1 and all(letter in MORAS for letter in kana))
    symbols = mora_phones(kana, vowel) if known and kana else ()
    if not symbols:
        raise invalid([problem("mora", ("body", "accent_phrases"), "This mora cannot be spoken", mora.text)])
    return symbols, kana
