"""Reads queries and accent phrases from bodies, and says what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.adapters.sound.formats import HIGHEST_RATE, LOWEST_RATE
from app.core.limits import BOUNDS, SEED_BOUNDS
from app.service.fields import Fields
from app.service.query import LONGEST_TEXT, AccentPhrase, AudioQuery, Mora
from app.service.refused import problem

MOST_MORAS = 20_000
LONGEST_S = 30.0  # of one phone
_TOP_PITCH = 20.0


def read_query(values: Any, where: tuple[str | int, ...] = ("body",)) -> AudioQuery:
    """The query of a body; Refused where it is none."""
    fields = Fields(values, where)
    query = scales_of(fields)
    given = fields.items("accent_phrases", MOST_MORAS)
    phrases = tuple(_phrase(fields.inside(item, "accent_phrases", index)) for index, item in enumerate(given))
    query = replace(
        query,
        accent_phrases=phrases,
        rate=fields.integer("outputSamplingRate", low=LOWEST_RATE, high=HIGHEST_RATE),
        stereo=fields.flag("outputStereo"),
        kana=fields.text("kana", "", longest=4 * LONGEST_TEXT),
        tempo=fields.number("tempoDynamicsScale", 1.0, low=0.0, high=2.0) if fields.raw("tempoDynamicsScale") is not None else None,
        seed=fields.integer("seed", 0, low=0, high=int(SEED_BOUNDS.high)),
    )
    _check_size(fields, phrases)
    fields.check()
    return query


def scales_of(fields: Fields) -> AudioQuery:
    """The numbers that queries and presets share, within our bounds."""
    pitch, pause = BOUNDS["pitch"].high / 12, fields.raw("pauseLength")
    return AudioQuery(
        (),
        speed=fields.number("speedScale", low=BOUNDS["speed"].low, high=BOUNDS["speed"].high),
        pitch=fields.number("pitchScale", low=-pitch, high=pitch),
        intonation=fields.number("intonationScale", low=BOUNDS["intonation"].low, high=BOUNDS["intonation"].high),
        volume=fields.number("volumeScale", low=BOUNDS["volume"].low, high=BOUNDS["volume"].high),
        pre_s=fields.number("prePhonemeLength", low=0.0, high=LONGEST_S),
        post_s=fields.number("postPhonemeLength", low=0.0, high=LONGEST_S),
        pause_s=None if pause is None else fields.number("pauseLength", low=0.0, high=LONGEST_S),
        pause_scale=fields.number("pauseLengthScale", 1.0, low=0.0, high=10.0),
    )


def read_phrases(values: Any) -> tuple[AccentPhrase, ...]:
    """The accent phrases of a body; Refused where they are none."""
    fields = Fields({"accent_phrases": values}, ("body",))
    given = fields.items("accent_phrases", MOST_MORAS)
    phrases = tuple(_phrase(fields.inside(item, index)) for index, item in enumerate(given))
    _check_size(fields, phrases)
    fields.check()
    return phrases


def _phrase(fields: Fields) -> AccentPhrase:
    moras = tuple(_mora(fields.inside(item, "moras", index)) for index, item in enumerate(fields.items("moras", MOST_MORAS)))
    pause = fields.raw("pause_mora")
    return AccentPhrase(
        moras,
        fields.integer("accent", low=0, high=max(1, len(moras))),
        None if pause is None else _mora(fields.inside(pause, "pause_mora")),
        fields.flag("is_interrogative", False),
    )


def _mora(fields: Fields) -> Mora:
    consonant = fields.raw("consonant")
    return Mora(
        fields.text("text", longest=8),
        fields.text("vowel", longest=8),
        fields.number("vowel_length", low=0.0, high=LONGEST_S),
        fields.number("pitch", low=-_TOP_PITCH, high=_TOP_PITCH),
        None if consonant is None else fields.text("consonant", longest=8) or None,
        None if fields.raw("consonant_length") is None else fields.number("consonant_length", low=0.0, high=LONGEST_S),
    )


def _check_size(fields: Fields, phrases: tuple[AccentPhrase, ...]) -> None:
    if sum(len(phrase.moras) for phrase in phrases) > MOST_MORAS:
        fields.found.append(problem("too_long", ("body", "accent_phrases"), f"There should be at most {MOST_MORAS} morae in all"))
