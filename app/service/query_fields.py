"""Reads queries and accent phrases from bodies, and says what is wrong with them. VOICEVOX has no bounds for numbers: the nearest within ours counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.adapters.sound.formats import HIGHEST_RATE, LOWEST_RATE
from app.core.limits import BOUNDS, SEED_BOUNDS
from app.service.fields import Fields
from app.service.findings import Findings
from app.service.query import LONGEST_TEXT, SCALES, AccentPhrase, AudioQuery, Mora

MOST_MORAS = 20_000
LONGEST_S = 30.0  # of one phone
_TOP_PITCH = 20.0


def read_query(values: Any) -> AudioQuery:
    """The query of a body; Refused where it is none."""
    fields = Fields(values, ("body",))
    query = query_of(fields)
    fields.check()
    return query


def read_queries(values: Sequence[Any]) -> list[AudioQuery]:
    """Several queries of one body; Refused where one is none."""
    findings = Findings()
    queries = [query_of(Fields(item, ("body", index), findings)) for index, item in enumerate(values)]
    findings.check()
    return queries


def query_of(fields: Fields) -> AudioQuery:
    """A query, which counts only once its fields were checked."""
    tempo = fields.raw("tempoDynamicsScale")
    return replace(
        scales_of(fields),
        accent_phrases=_phrases(fields),
        rate=fields.integer("outputSamplingRate", low=LOWEST_RATE, high=HIGHEST_RATE, nearest=True),
        stereo=fields.flag("outputStereo"),
        kana=fields.text("kana", "", longest=4 * LONGEST_TEXT),
        tempo=None if tempo is None else fields.number("tempoDynamicsScale", low=0.0, high=2.0, nearest=True),
        seed=fields.integer("seed", 0, low=0, high=int(SEED_BOUNDS.high)),
    )


def scales_of(fields: Fields) -> AudioQuery:
    """The numbers that queries and presets share, within our bounds."""
    scales: dict[str, Any] = {field: _read_scale(fields, name, field) for name, field in SCALES.items()}
    pause = fields.raw("pauseLength")
    return AudioQuery(
        (),
        **scales,
        pause_s=None if pause is None else _length_s(fields, "pauseLength"),
        pause_scale=fields.number("pauseLengthScale", 1.0, low=0.0, high=10.0, nearest=True),
    )


def _read_scale(fields: Fields, name: str, field: str) -> float:
    if field not in BOUNDS:
        return _length_s(fields, name)
    unit = 12 if field == "pitch" else 1  # a query counts octaves, a line semitones
    return fields.number(name, low=BOUNDS[field].low / unit, high=BOUNDS[field].high / unit, nearest=True)


def read_phrases(values: Any) -> tuple[AccentPhrase, ...]:
    """The accent phrases of a body; Refused where they are none."""
    fields = Fields({"accent_phrases": values}, ("body",))
    phrases = _phrases(fields)
    fields.check()
    return phrases


def _phrases(fields: Fields) -> tuple[AccentPhrase, ...]:
    """Those of a query; nothing more is looked at once there are too many morae."""
    phrases: list[AccentPhrase] = []
    left = MOST_MORAS
    for index, item in enumerate(fields.items("accent_phrases", MOST_MORAS)):
        phrase = _phrase(fields.inside(item, "accent_phrases", index))
        left -= len(phrase.moras)
        if left < 0:
            fields.findings.add("too_long", ("body", "accent_phrases"), f"There should be at most {MOST_MORAS} morae in all")
            break
        phrases.append(phrase)
    return tuple(phrases)


def _phrase(fields: Fields) -> AccentPhrase:
    moras = tuple(_mora(fields.inside(item, "moras", index)) for index, item in enumerate(fields.items("moras", MOST_MORAS)))
    pause = fields.raw("pause_mora")
    return AccentPhrase(
        moras,
        fields.integer("accent", low=0, high=max(1, len(moras)), nearest=True),
        None if pause is None else _mora(fields.inside(pause, "pause_mora")),
        fields.flag("is_interrogative", False),
    )


def _mora(fields: Fields) -> Mora:
    consonant = fields.raw("consonant")
    return Mora(
        fields.text("text", longest=8),
        fields.text("vowel", longest=8),
        _length_s(fields, "vowel_length"),
        fields.number("pitch", low=-_TOP_PITCH, high=_TOP_PITCH, nearest=True),
        None if consonant is None else fields.text("consonant", longest=8) or None,
        None if fields.raw("consonant_length") is None else _length_s(fields, "consonant_length"),
    )


def _length_s(fields: Fields, name: str) -> float:
    return fields.number(name, low=0.0, high=LONGEST_S, nearest=True)
