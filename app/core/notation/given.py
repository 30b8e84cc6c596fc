"""Readings that are given to words of a text, by the user and by the text itself, over the letters that are spoken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from app.core.normalise import normalise_surface
from app.core.notation.kana import kana_of
from app.core.notation.noted import NotedText
from app.core.overrides import Given, Piece, Place


def places_in_plain(noted: NotedText, places: Sequence[Place]) -> Iterator[Place]:
    """Places of words in the text as it is written, counted over what is spoken.

    A word that stands within notation is not meant, nor is a part of letters that have one reading.
    """
    for written_start, written_end, override in places:
        start, end = noted.plain_at(written_start), noted.plain_at(written_end)
        within = any(ruby.start < end and start < ruby.end and (ruby.start < start or end < ruby.end) for ruby in noted.plain_rubies)
        if start < end and not within:
            yield start, end, replace(override, surface=noted.plain[start:end])


def given_by_user(places: Sequence[Place]) -> list[Given]:
    """Readings of a line or of the user's dictionary."""
    return [Given(start, end, Piece(normalise_surface(override.surface), override)) for start, end, override in places]


def given_by_text(noted: NotedText, spoken: Callable[[str], str]) -> list[Given]:
    """Readings that stand in the text; one that says nothing is none.

    Args:
        spoken: how a reading that is no kana is read.
    """
    found = []
    for ruby in noted.plain_rubies:
        if kana := kana_of(ruby.reading) or spoken(ruby.reading):
            letters = normalise_surface(noted.plain[ruby.start : ruby.end].replace("※", ""))  # stands for a kanji that is not there
            found.append(Given(ruby.start, ruby.end, Piece(letters or kana, kana=kana)))
    return found
