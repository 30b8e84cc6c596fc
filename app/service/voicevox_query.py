"""The values that VOICEVOX's clients send and receive: morae, accent phrases, queries. Seconds, unless said otherwise.

VOICEVOX has no bounds for numbers: the nearest within ours counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE
from app.core.request_limits import BOUNDS, SEED_BOUNDS
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
        """Return the mora as JSON."""
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
        """Return the phrase as JSON."""
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
