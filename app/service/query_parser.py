"""Reads queries and accent phrases from bodies, and says what is wrong with them. VOICEVOX has no bounds for numbers: the nearest within ours counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE
from app.core.request_limits import BOUNDS, SEED_BOUNDS
from app.service.request_fields import RequestFields
from app.service.request_findings import RequestFindings
from app.service.voicevox_query import MAX_QUERY_TEXT, QUERY_SCALES, AccentPhrase, AudioQuery, QueryMora

MAX_QUERY_MORAS = 20_000
MAX_PHONE_LENGTH_S = 30.0  # of one phone
_MAX_MORA_PITCH = 20.0


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
    left = MAX_QUERY_MORAS
    for index, item in enumerate(fields.read_list("accent_phrases", MAX_QUERY_MORAS)):
        phrase = _read_phrase(fields.create_inner(item, "accent_phrases", index))
        left -= len(phrase.moras)
        if left < 0:
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
