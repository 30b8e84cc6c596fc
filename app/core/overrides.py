"""Readings that are given, most of them by the user for words of a line: where they apply, and how they replace what the front end says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.core.moras import katakana_of, split_moras
from app.core.types import ReadingOverride
from app.core.words import ReadBy, Word
from app.errors import InputError
from app.language import localized

Place = tuple[int, int, ReadingOverride]

# Stands in for a surface that does not come out as words of its own: a noun with which nothing merges.
_STAND_IN = "彼女"
_REWRITTEN = 24  # characters the analyser may have written another way (numbers) or dropped before a word is found again


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of normalised text.

    Attributes:
        override: when its reading is given, by the user unless `read_by` says otherwise.
        kana: its reading where the text itself gives one.
    """

    text: str
    override: ReadingOverride | None = None
    kana: str = ""
    read_by: ReadBy = "user"


@dataclass(frozen=True, slots=True)
class Given:
    """Letters [start, end) of a text whose reading is given, and what takes their place."""

    start: int
    end: int
    piece: Piece


Analyse = Callable[[Sequence[Piece]], list[Word]]
"""Words of the joined pieces, whatever the user gave to them."""


def find_overrides(text: str, readings: Sequence[ReadingOverride]) -> list[Place]:
    """Where in `text` the readings apply: (start, end, override) in order, none overlapping; of two the earlier given wins."""
    found: list[Place] = []
    taken = bytearray(len(text))
    for override in readings:
        for count, match in enumerate(re.finditer(re.escape(override.surface), text) if override.surface else ()):
            start, end = match.span()
            wanted = override.occurrence is None or override.occurrence == count
            if wanted and not any(taken[start:end]):
                found.append((start, end, override))
                taken[start:end] = b"\1" * (end - start)
    return sorted(found, key=lambda place: place[0])


def beside(given: Sequence[Given], others: Sequence[Given]) -> list[Given]:
    """What is given, and those of the others that overlap none of it, in order."""
    free = [other for other in others if all(other.end <= one.start or other.start >= one.end for one in given)]
    return sorted([*given, *free], key=lambda one: one.start)


def analyse_with_readings(pieces: Sequence[Piece], analyse: Analyse) -> list[Word]:
    """Words of the joined pieces, with the user's reading where a piece has one. An InputError says what is wrong with a reading."""
    stand_ins: set[int] = set()
    for _ in range(2):
        written = [Piece(_STAND_IN) if index in stand_ins else piece for index, piece in enumerate(pieces)]
        words = analyse(written)
        places = _places(words, [piece.text for piece in written])
        missed = {index for index, piece in enumerate(pieces) if piece.override and index not in places}
        if not missed:
            return _replaced(words, places, pieces, stand_ins)
        stand_ins |= missed
    # The neighbours swallow even the stand-in: each piece on its own.
    apart = ([_overridden(piece, piece.override, [])] if piece.override else analyse([piece]) for piece in pieces)
    return [word for words in apart for word in words]


def _places(words: Sequence[Word], written: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Range of words that make up exactly one piece, by index of the piece, for the pieces where that is so."""
    text = "".join(written)
    starts: dict[int, int] = {}  # offset in the text → index of the word that starts or, for the last one, ended there
    position = 0
    for index, word in enumerate(words):
        found = text.find(word.surface, position, position + len(word.surface) + _REWRITTEN)
        if found >= 0:
            starts[found] = index
            position = found + len(word.surface)
            starts.setdefault(position, index + 1)
    places: dict[int, tuple[int, int]] = {}
    offset = 0
    for index, piece in enumerate(written):
        first, last = starts.get(offset), starts.get(offset + len(piece))
        if first is not None and last is not None and "".join(word.surface for word in words[first:last]) == piece != "":
            places[index] = (first, last)
        offset += len(piece)
    return places


def _replaced(words: list[Word], places: dict[int, tuple[int, int]], pieces: Sequence[Piece], stand_ins: set[int]) -> list[Word]:
    replaced = list(words)
    for index, piece in reversed(list(enumerate(pieces))):
        if piece.override:
            first, last = places[index]
            covered = [] if index in stand_ins else words[first:last]  # the accent of a stand-in means nothing
            if piece.read_by != "user" and "".join(word.pronunciation for word in covered) == piece.override.reading:
                continue  # the analyser reads it so, and knows the accent of the whole phrase
            replaced[first:last] = [_overridden(piece, piece.override, covered)]
    return replaced


def _overridden(piece: Piece, override: ReadingOverride, covered: Sequence[Word]) -> Word:
    """The word as it is to be read; accent and phrase are taken over from the covered words where none is given."""
    kana = katakana_of(override.surface, override.reading)
    size = len(split_moras(kana))
    if override.accent is not None:
        if not 0 <= override.accent <= size:
            raise InputError(
                localized(
                    f"「{override.surface}」のアクセント位置 {override.accent} は範囲外です。",
                    f"Accent position {override.accent} is outside the word.",
                ),
                localized(f"0 から {size} までの数にしてください。", f"Use a number from 0 to {size}."),
            )
        return Word(piece.text, kana, override.accent, kind=("名詞", "一般"), read_by=piece.read_by)
    if not covered:
        return Word(piece.text, kana, kind=("名詞", "一般"), read_by=piece.read_by)
    old_size = sum(len(split_moras(word.pronunciation)) for word in covered)
    accent = covered[0].accent
    moved = accent + size - old_size if accent > old_size else min(accent, size)
    return replace(covered[0], surface=piece.text, pronunciation=kana, accent=moved, read_by=piece.read_by, name="", other="")
