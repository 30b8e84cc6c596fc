"""Readings that are given to words of a text, by the user and by the text itself, over the letters that are spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from app.core.text.normalise import normalise_surface
from app.core.text.notation.kana_readings import normalise_kana
from app.core.text.notation.noted_text import NotedText
from app.core.text.reading_overrides import GivenReading, OverrideSpan, TextPiece


def convert_spans_to_plain(noted: NotedText, spans: Sequence[OverrideSpan]) -> Iterator[OverrideSpan]:
    """Yield places of words in the written text, counted over the spoken one.

    A word that stands within notation is not meant, nor is a part of letters that have one reading.
    """
    for written_start, written_end, override in spans:
        start, end = noted.map_to_plain(written_start), noted.map_to_plain(written_end)
        within = any(ruby.start < end and start < ruby.end and (ruby.start < start or end < ruby.end) for ruby in noted.plain_rubies)
        if start < end and not within:
            yield start, end, replace(override, surface=noted.plain[start:end])


def list_user_readings(spans: Sequence[OverrideSpan]) -> list[GivenReading]:
    """Return the readings of a line or of the user's dictionary."""
    return [GivenReading(start, end, TextPiece(normalise_surface(override.surface), override)) for start, end, override in spans]


def list_text_readings(noted: NotedText, speak: Callable[[str], str]) -> list[GivenReading]:
    """Return the readings that stand in the text; one without a sound is none.

    Args:
        speak: how a reading that is no kana is read.
    """
    found = []
    for ruby in noted.plain_rubies:
        if kana := normalise_kana(ruby.reading) or speak(ruby.reading):
            letters = normalise_surface(noted.plain[ruby.start : ruby.end].replace("※", ""))  # stands for a kanji that is not there
            found.append(GivenReading(ruby.start, ruby.end, TextPiece(letters or kana, kana=kana)))
    return found
