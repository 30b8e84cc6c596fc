"""Phones of accent phrases that no text is known for: they are spelled as they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.accent_phrases import compute_phrase_heights
from app.core.fixed_durations import FixedSentence
from app.core.moras import PHONES_BY_MORA, convert_to_katakana, find_mora_phones, split_moras
from app.core.symbols import EDGE_SYMBOL, EMOJI_IDS, VOWEL_PHONES
from app.core.synthesis_types import Phones
from app.service.http_errors import build_problem, create_invalid_refusal
from app.service.voicevox_query import AccentPhrase, QueryMora

# Morae after which a pause ends the sentence.
MAX_BREATH_MORAS = 60
# Morae after which the next phrase begins another one.
MAX_SENTENCE_MORAS = 400


def spell_phrases(phrases: Sequence[AccentPhrase], *, emoji: bool) -> list[FixedSentence]:
    """The sentences of accent phrases. Raises Refused for a mora that cannot be spoken."""
    return [FixedSentence(index, _build_phones(group, emoji)) for index, group in enumerate(_split_sentences(phrases))]


def _split_sentences(phrases: Sequence[AccentPhrase]) -> Iterator[list[AccentPhrase]]:
    group: list[AccentPhrase] = []
    for phrase in phrases:
        if not phrase.moras:
            continue
        group.append(phrase)
        moras = sum(len(one.moras) for one in group)
        over = phrase.pause_mora is not None and (phrase.is_interrogative or moras > MAX_BREATH_MORAS)
        if over or moras > MAX_SENTENCE_MORAS:
            yield group
            group = []
    if group:
        yield group


def _build_phones(phrases: Sequence[AccentPhrase], emoji: bool) -> Phones:
    """One character a mora for BERT, which reads kana then."""
    text, reading, vowel = "", "", ""
    phones, tones, word2ph = [EDGE_SYMBOL], [0], [1]
    for index, phrase in enumerate(phrases):
        for mora, tone in zip(phrase.moras, compute_phrase_heights(len(phrase.moras), phrase.accent), strict=True):
            symbols, letters = _spell_mora(mora, vowel, emoji)
            vowel = symbols[-1] if symbols[-1] in VOWEL_PHONES or symbols[-1] == "N" else vowel
            text += letters
            reading += "" if letters in EMOJI_IDS else letters
            phones += symbols
            tones += [0 if letters in EMOJI_IDS else tone] * len(symbols)
            word2ph += [len(symbols), *[0] * (len(letters) - 1)]
        if (mark := _choose_mark(phrase, last=index + 1 == len(phrases))) is not None:
            text, vowel = text + mark, ""
            phones, tones, word2ph = [*phones, mark], [*tones, 0], [*word2ph, 1]
    return Phones(text, reading, (*phones, EDGE_SYMBOL), (*tones, 0), (*word2ph, 1))


def _choose_mark(phrase: AccentPhrase, *, last: bool) -> str | None:
    if last:
        return "?" if phrase.is_interrogative else "."
    return None if phrase.pause_mora is None else "?" if phrase.is_interrogative else ","


def _spell_mora(mora: QueryMora, vowel: str, emoji: bool) -> tuple[tuple[str, ...], str]:
    if emoji and mora.text in EMOJI_IDS:
        return (mora.text,), mora.text
    kana = convert_to_katakana(mora.text)
    known = kana in PHONES_BY_MORA or kana == "ー" or (len(split_moras(kana)) == 1 and all(letter in PHONES_BY_MORA for letter in kana))
    symbols = find_mora_phones(kana, vowel) if known and kana else ()
    if not symbols:
        raise create_invalid_refusal([build_problem("mora", ("body", "accent_phrases"), "This mora cannot be spoken", mora.text)])
    return symbols, kana
