"""Accent phrases of a line, as VOICEVOX writes them, from how Koebako reads it; their phones again, and the text that they were read from."""

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from app.core.sound.fixed_durations import FixedSentence
from app.core.sound.line_edits import list_phrases
from app.core.sound.line_reading import read_line
from app.core.sound.pipeline import Pipeline
from app.core.symbols import EMOJI_IDS
from app.core.synthesis_types import Overrides, Phones
from app.core.text.phone_ids import NO_INDEX, map_phones_to_moras
from app.service.voicevox_query import AccentPhrase, QueryMora

PhoneOffset = tuple[int, int]  # a sentence of the list, and a phone in it

LOW, HIGH = 5.5, 6.0
"""What stands for a low and a high mora, in VOICEVOX's unit (logarithm of Hz): a picture of the accent, for voices that take no melody."""
NO_PITCHES: Mapping[PhoneOffset, float] = MappingProxyType({})
PAUSE_MORA = QueryMora("、", "pau", 0.0, 0.0)
DEVOICED_VOWELS, SILENT_VOWELS = tuple("AIUEO"), ("cl", "pau")
_PROLONGED = {"a": "ア", "i": "イ", "u": "ウ", "e": "エ", "o": "オ", "N": "ン"}
_VOICEVOX_PHONES = {"q": "cl"}
_OWN_PHONES = {"cl": "q", "A": "a", "I": "i", "U": "u", "E": "e", "O": "o"}

_MAX_REMEMBERED_TEXTS = 1000


@dataclass(slots=True)
class MoraAlignment:
    """Counted over the line."""

    moras: list[list[PhoneOffset]] = field(default_factory=list)  # the phones of each mora
    # The phones between two morae, by how many morae come before; 0 is the opening, `len(moras)` the closing.
    gaps: dict[int, list[PhoneOffset]] = field(default_factory=dict)

    def count_outer_frames(self, frames: Mapping[PhoneOffset, int]) -> tuple[int, int]:
        """Return the frames before the first mora and after the last."""
        closing = self.gaps.get(len(self.moras), []) if self.moras else []
        opening_count, closing_count = (sum(frames.get(offset, 0) for offset in offsets) for offsets in (self.gaps.get(0, []), closing))
        return opening_count, closing_count

    @property
    def pauses(self) -> dict[int, list[PhoneOffset]]:
        """Return the gaps between two morae."""
        return {count: places for count, places in self.gaps.items() if 0 < count < len(self.moras)}


def align_moras(sentences: Sequence[Phones]) -> MoraAlignment:
    """Return the alignment of morae and phones of a line."""
    layout = MoraAlignment()
    for index, phones in enumerate(sentences):
        begun = len(layout.moras)
        for phone_index, mora in enumerate(map_phones_to_moras(phones.phones)):
            if mora == NO_INDEX:
                layout.gaps.setdefault(len(layout.moras), []).append((index, phone_index))
            elif begun + mora == len(layout.moras):
                layout.moras.append([(index, phone_index)])
            else:
                layout.moras[-1].append((index, phone_index))
    return layout


def map_frames(sentences: Sequence[FixedSentence]) -> dict[PhoneOffset, int]:
    """Return the frames by place; empty if the voice did not report them."""
    counts = ((at, sentence.frames) for at, sentence in enumerate(sentences))
    return {(at, phone_index): count for at, frames in counts for phone_index, count in enumerate(frames) if count is not None}


def build_phrases(pipeline: Pipeline, text: str, sentences: Sequence[FixedSentence]) -> tuple[AccentPhrase, ...]:
    """Build the phrases of a text that was read; their lengths are 0."""
    phones = [sentence.phones for sentence in sentences]
    layout = align_moras(phones)
    reading = read_line(text, (), pipeline.g2p, pipeline.caches.phones, emoji=pipeline.voice.emoji)
    kana = [mora.kana for mora in reading.moras]
    accent_phrases = []
    for phrase in list_phrases(reading, Overrides()):
        moras = tuple(_build_mora(kana[index], phones, layout.moras[index]) for index in range(phrase.start, phrase.end))
        marks = {phones[sentence].phones[phone_index] for sentence, phone_index in layout.gaps.get(phrase.end, ())}
        pause = PAUSE_MORA if phrase.end in layout.pauses else None
        accent_phrases.append(AccentPhrase(moras, phrase.accent or len(moras), pause, "?" in marks))
    return tuple(accent_phrases)


def apply_lengths(
    phrases: Sequence[AccentPhrase], alignment: MoraAlignment, frames: Mapping[PhoneOffset, int], frame_s: float
) -> tuple[AccentPhrase, ...]:
    """Return the phrases with the lengths of their phones; unchanged if the voice does not report them."""
    if not frames:
        return tuple(phrases)
    timed, at = [], 0
    for phrase in phrases:
        moras = []
        for mora, places in zip(phrase.moras, alignment.moras[at:], strict=False):
            *consonant_lengths_s, last = (frames[offset] * frame_s for offset in places)
            moras.append(replace(mora, consonant_length=None if mora.consonant is None else sum(consonant_lengths_s), vowel_length=last))
        at += len(moras)
        pause = phrase.pause_mora
        if pause is not None and at in alignment.pauses:
            pause = replace(pause, vowel_length=sum(frames[offset] for offset in alignment.pauses[at]) * frame_s)
        timed.append(replace(phrase, moras=tuple(moras), pause_mora=pause))
    return tuple(timed)


def apply_pitches(
    phrases: Sequence[AccentPhrase],
    alignment: MoraAlignment,
    phones: Sequence[Phones],
    pitches_hz: Mapping[PhoneOffset, float] = NO_PITCHES,
) -> tuple[AccentPhrase, ...]:
    """Return the phrases with the pitches of their morae; where a phone has none, they picture the accent, from the tones of the phones."""
    places = iter(alignment.moras)
    drawn = []
    for phrase in phrases:
        ends = [(mora, offsets[-1]) for mora, offsets in zip(phrase.moras, places, strict=False)]
        moras = (replace(mora, pitch=_choose_pitch(mora, phones[end[0]].tones[end[1]], pitches_hz.get(end, 0.0))) for mora, end in ends)
        drawn.append(replace(phrase, moras=tuple(moras)))
    return tuple(drawn)


def list_phones(mora: QueryMora) -> tuple[str, ...]:
    """Return the phones of a mora in our letters; a devoiced vowel is a vowel."""
    vowel = _OWN_PHONES.get(mora.vowel, mora.vowel)
    return (vowel,) if mora.consonant is None else (mora.consonant, vowel)


def _build_mora(kana: str, phones: Sequence[Phones], offsets: Sequence[PhoneOffset]) -> QueryMora:
    *consonant, vowel = (phones[sentence].phones[phone_index] for sentence, phone_index in offsets)
    tone = phones[offsets[-1][0]].tones[offsets[-1][1]]
    text = _PROLONGED.get(vowel, kana) if kana in "ーヲ" else kana
    mora = QueryMora(text, _VOICEVOX_PHONES.get(vowel, vowel), 0.0, 0.0, "".join(consonant) or None, 0.0 if consonant else None)
    return replace(mora, pitch=_choose_pitch(mora, tone))


def _choose_pitch(mora: QueryMora, tone: int, pitch_hz: float = 0.0) -> float:
    """Return the logarithm of a pitch in Hz where it is known, else what pictures the tone; 0 for a mora that has none."""
    if mora.vowel in (*SILENT_VOWELS, *DEVOICED_VOWELS) or mora.text in EMOJI_IDS:
        return 0.0
    return math.log(pitch_hz) if pitch_hz else HIGH if tone else LOW


class QueryTextMemory:
    """Texts that queries were made of, found again by their reading: clients may drop a query's text."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, ...], str] = OrderedDict()

    def remember_text(self, phrases: Sequence[AccentPhrase], text: str) -> None:
        """Remember a text by its phrases."""
        key = _build_reading_key(phrases)
        self._texts.pop(key, None)
        self._texts[key] = text
        while len(self._texts) > _MAX_REMEMBERED_TEXTS:
            self._texts.popitem(last=False)

    def find_texts(self, phrases: Sequence[AccentPhrase]) -> list[str]:
        """Return the text that these phrases were read from last, if any, in a list."""
        text = self._texts.get(_build_reading_key(phrases))
        return [] if text is None else [text]


def _build_reading_key(phrases: Sequence[AccentPhrase]) -> tuple[str, ...]:
    return tuple(" ".join(list_phones(mora)) for phrase in phrases for mora in phrase.moras)
