"""The values that VOICEVOX's clients send and receive: morae, accent phrases, queries; phrases made from how Koebako reads a line, and their phones again.

Seconds, unless said otherwise. VOICEVOX has no bounds for numbers: the nearest within ours counts.
"""

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE
from app.core.sound.fixed_durations import FixedSentence
from app.core.sound.line_edits import list_phrases
from app.core.sound.line_reading import read_line
from app.core.sound.pipeline import Pipeline
from app.core.symbols import EMOJI_IDS, is_english
from app.core.synthesis_types import BOUNDS, SEED_BOUNDS, Overrides, Phones
from app.core.text.phone_ids import NO_INDEX, map_phones_to_moras
from app.service.request_fields import RequestFields, RequestFindings

QUERY_SCALES = {
    "speedScale": "speed",
    "pitchScale": "pitch",
    "intonationScale": "intonation",
    "volumeScale": "volume",
    "prePhonemeLength": "pre_s",
    "postPhonemeLength": "post_s",
}
"""Numbers that queries and presets of VOICEVOX share, and the fields of `AudioQuery` that hold them."""
QUERY_PAUSES = {"pauseLength": "pause_s", "pauseLengthScale": "pause_scale"}  # those that older clients leave out
MAX_QUERY_TEXT = 3000  # characters; half an hour of a chat, and short enough for a query string

MAX_QUERY_MORAS = 20_000
MAX_PHONE_LENGTH_S = 30.0  # of one phone
_MAX_MORA_PITCH = 20.0


@dataclass(frozen=True, slots=True)
class QueryMora:
    """One mora; lengths of 0 leave it to the voice. `pitch` is the logarithm of Hz, or a picture of the accent; 0 for what has none."""

    text: str
    vowel: str
    vowel_length: float
    pitch: float
    consonant: str | None = None
    consonant_length: float | None = None

    def convert_to_json(self) -> dict[str, Any]:
        names = ("text", "consonant", "consonant_length", "vowel", "vowel_length", "pitch")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class AccentPhrase:
    """Morae that share an accent: the one after which the pitch falls, from 1; the last one where it never does."""

    moras: tuple[QueryMora, ...]
    accent: int
    pause_mora: QueryMora | None = None
    is_interrogative: bool = False

    def convert_to_json(self) -> dict[str, Any]:
        return {
            "moras": [mora.convert_to_json() for mora in self.moras],
            "accent": self.accent,
            "pause_mora": None if self.pause_mora is None else self.pause_mora.convert_to_json(),
            "is_interrogative": self.is_interrogative,
        }


@dataclass(frozen=True, slots=True)
class AudioQuery:
    """A line as VOICEVOX's clients shape it."""

    accent_phrases: tuple[AccentPhrase, ...]
    speed: float = 1.0
    pitch: float = 0.0
    intonation: float = 1.0
    volume: float = 1.0
    pre_s: float = 0.1
    post_s: float = 0.1
    pause_s: float | None = None
    pause_scale: float = 1.0
    rate: int = 44100
    stereo: bool = False
    kana: str = ""  # the text that it was made of
    tempo: float | None = None  # AivisSpeech's scale of the tempo; None is our own default
    seed: int = 0  # of the noise. Clients drop it, as they do `tempo`; nothing rests on them.

    def convert_to_json(self) -> dict[str, Any]:
        """Return the query as JSON, with all optional fields."""
        return {
            "accent_phrases": [phrase.convert_to_json() for phrase in self.accent_phrases],
            **self.scale_values,
            "outputSamplingRate": self.rate,
            "outputStereo": self.stereo,
            "kana": self.kana,
            "tempoDynamicsScale": 1.0 if self.tempo is None else self.tempo,
            "seed": self.seed,
        }

    @property
    def scale_values(self) -> dict[str, Any]:
        """Return the numbers that a preset holds, as JSON."""
        return {name: getattr(self, field) for name, field in (QUERY_SCALES | QUERY_PAUSES).items()}


def parse_query(values: Any) -> AudioQuery:
    """Return the query of a body; raise RefusalError if there is none."""
    fields = RequestFields(values, ("body",))
    query = build_query(fields)
    fields.check()
    return query


def parse_queries(values: Sequence[Any]) -> list[AudioQuery]:
    """Return several queries of one body; raise RefusalError if one is not valid."""
    findings = RequestFindings()
    queries = [build_query(RequestFields(item, ("body", index), findings)) for index, item in enumerate(values)]
    findings.check()
    return queries


def build_query(fields: RequestFields) -> AudioQuery:
    """Build a query, which counts only once its fields were checked."""
    tempo = fields.find_raw("tempoDynamicsScale")
    return replace(
        read_scales(fields),
        accent_phrases=_read_phrases(fields),
        rate=fields.read_integer("outputSamplingRate", low=LOWEST_RATE, high=HIGHEST_RATE, should_clamp=True),
        stereo=fields.read_flag("outputStereo"),
        kana=fields.parse_text("kana", "", max_length=4 * MAX_QUERY_TEXT),
        tempo=None if tempo is None else fields.read_number("tempoDynamicsScale", low=0.0, high=2.0, should_clamp=True),
        seed=fields.read_integer("seed", 0, low=0, high=int(SEED_BOUNDS.high)),
    )


def read_scales(fields: RequestFields) -> AudioQuery:
    """Read the numbers that queries and presets share, clamped to our bounds."""
    scales: dict[str, Any] = {field: _read_scale(fields, name, field) for name, field in QUERY_SCALES.items()}
    pause = fields.find_raw("pauseLength")
    return AudioQuery(
        (),
        **scales,
        pause_s=None if pause is None else _read_length_s(fields, "pauseLength"),
        pause_scale=fields.read_number("pauseLengthScale", 1.0, low=0.0, high=10.0, should_clamp=True),
    )


def _read_scale(fields: RequestFields, name: str, field: str) -> float:
    if field not in BOUNDS:
        return _read_length_s(fields, name)
    # A query counts octaves, a line semitones.
    unit = 12 if field == "pitch" else 1
    return fields.read_number(name, low=BOUNDS[field].low / unit, high=BOUNDS[field].high / unit, should_clamp=True)


def parse_phrases(values: Any) -> tuple[AccentPhrase, ...]:
    """Return the accent phrases of a body; raise RefusalError if there are none."""
    fields = RequestFields({"accent_phrases": values}, ("body",))
    phrases = _read_phrases(fields)
    fields.check()
    return phrases


def _read_phrases(fields: RequestFields) -> tuple[AccentPhrase, ...]:
    """Return the accent phrases of a query; reading stops once there are too many morae."""
    phrases: list[AccentPhrase] = []
    mora_room = MAX_QUERY_MORAS
    for index, item in enumerate(fields.read_list("accent_phrases", MAX_QUERY_MORAS)):
        phrase = _read_phrase(fields.create_inner(item, "accent_phrases", index))
        mora_room -= len(phrase.moras)
        if mora_room < 0:
            fields.findings.add_fault("too_long", ("body", "accent_phrases"), f"There should be at most {MAX_QUERY_MORAS} morae in all")
            break
        phrases.append(phrase)
    return tuple(phrases)


def _read_phrase(fields: RequestFields) -> AccentPhrase:
    moras = tuple(
        _read_mora(fields.create_inner(item, "moras", index)) for index, item in enumerate(fields.read_list("moras", MAX_QUERY_MORAS))
    )
    pause = fields.find_raw("pause_mora")
    return AccentPhrase(
        moras,
        fields.read_integer("accent", low=0, high=max(1, len(moras)), should_clamp=True),
        None if pause is None else _read_mora(fields.create_inner(pause, "pause_mora")),
        fields.read_flag("is_interrogative", False),
    )


def _read_mora(fields: RequestFields) -> QueryMora:
    consonant = fields.find_raw("consonant")
    return QueryMora(
        fields.parse_text("text", max_length=8),
        fields.parse_text("vowel", max_length=8),
        _read_length_s(fields, "vowel_length"),
        fields.read_number("pitch", low=-_MAX_MORA_PITCH, high=_MAX_MORA_PITCH, should_clamp=True),
        None if consonant is None else fields.parse_text("consonant", max_length=8) or None,
        None if fields.find_raw("consonant_length") is None else _read_length_s(fields, "consonant_length"),
    )


def _read_length_s(fields: RequestFields, name: str) -> float:
    return fields.read_number(name, low=0.0, high=MAX_PHONE_LENGTH_S, should_clamp=True)


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
    english = any(is_english(phone) for sentence in phones for phone in sentence.phones)
    reading = read_line(text, (), pipeline.g2p, pipeline.caches.phones, emoji=pipeline.voice.emoji, english=english)
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
