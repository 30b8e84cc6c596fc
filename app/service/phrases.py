"""Accent phrases of a line, as VOICEVOX writes them, from how Koebako reads it; and their phones again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.core.accents import phrases_of
from app.core.line_reading import read_line
from app.core.pipeline import Pipeline
from app.core.shaped import ShapedSentence
from app.core.symbols import EMOJI_IDS
from app.core.types import Overrides, Phones
from app.service.layout import Layout, Place, layout_of
from app.service.query import AccentPhrase, Mora

LOW, HIGH = 5.5, 6.0
"""What stands for a low and a high mora, in VOICEVOX's unit (logarithm of Hz): a picture of the accent, since no voice of ours predicts a pitch."""
PAUSE = Mora("、", "pau", 0.0, 0.0)
_PROLONGED = {"a": "ア", "i": "イ", "u": "ウ", "e": "エ", "o": "オ", "N": "ン"}
_THEIRS = {"q": "cl"}
_OURS = {"cl": "q", "A": "a", "I": "i", "U": "u", "E": "e", "O": "o"}


def phrases_of_text(pipeline: Pipeline, text: str, sentences: Sequence[ShapedSentence]) -> tuple[AccentPhrase, ...]:
    """The phrases of a text that was read; lengths are 0."""
    phones = [sentence.phones for sentence in sentences]
    layout = layout_of(phones)
    reading = read_line(text, (), pipeline.g2p, pipeline.caches.phones, emoji=pipeline.voice.emoji)
    kana = [mora.kana for mora in reading.moras]
    found = []
    for phrase in phrases_of(reading, Overrides()):
        moras = tuple(_mora(kana[index], phones, layout.moras[index]) for index in range(phrase.start, phrase.end))
        marks = {phones[sentence].phones[place] for sentence, place in layout.gaps.get(phrase.end, ())}
        pause = PAUSE if phrase.end in layout.pauses else None
        found.append(AccentPhrase(moras, phrase.accent or len(moras), pause, "?" in marks))
    return tuple(found)


def with_lengths(phrases: Sequence[AccentPhrase], layout: Layout, frames: Mapping[Place, int], frame_s: float) -> tuple[AccentPhrase, ...]:
    """The phrases with the lengths of their phones; as they are where the voice does not report them."""
    if not frames:
        return tuple(phrases)
    timed, at = [], 0
    for phrase in phrases:
        moras = []
        for mora, places in zip(phrase.moras, layout.moras[at:], strict=False):
            *before, last = (frames[place] * frame_s for place in places)
            moras.append(replace(mora, consonant_length=None if mora.consonant is None else sum(before), vowel_length=last))
        at += len(moras)
        pause = phrase.pause_mora
        if pause is not None and at in layout.pauses:
            pause = replace(pause, vowel_length=sum(frames[place] for place in layout.pauses[at]) * frame_s)
        timed.append(replace(phrase, moras=tuple(moras), pause_mora=pause))
    return tuple(timed)


def with_pitches(phrases: Sequence[AccentPhrase], layout: Layout, phones: Sequence[Phones]) -> tuple[AccentPhrase, ...]:
    """The phrases with the picture of their accent, from the tones of the phones."""
    places = iter(layout.moras)
    drawn = []
    for phrase in phrases:
        tones = [phones[place[-1][0]].tones[place[-1][1]] for _, place in zip(phrase.moras, places, strict=False)]
        moras = (replace(mora, pitch=_pitch(mora, tone)) for mora, tone in zip(phrase.moras, tones, strict=True))
        drawn.append(replace(phrase, moras=tuple(moras)))
    return tuple(drawn)


def phones_of_mora(mora: Mora) -> tuple[str, ...]:
    """Its phones in our letters; a devoiced vowel is a vowel."""
    vowel = _OURS.get(mora.vowel, mora.vowel)
    return (vowel,) if mora.consonant is None else (mora.consonant, vowel)


def _mora(kana: str, phones: Sequence[Phones], places: Sequence[Place]) -> Mora:
    *before, vowel = (phones[sentence].phones[place] for sentence, place in places)
    tone = phones[places[-1][0]].tones[places[-1][1]]
    text = _PROLONGED.get(vowel, kana) if kana in "ーヲ" else kana
    mora = Mora(text, _THEIRS.get(vowel, vowel), 0.0, 0.0, "".join(before) or None, 0.0 if before else None)
    return replace(mora, pitch=_pitch(mora, tone))


def _pitch(mora: Mora, tone: int) -> float:
    silent = mora.vowel in ("cl", "pau", *"AIUEO") or mora.text in EMOJI_IDS
    return 0.0 if silent else HIGH if tone else LOW
