"""Given readings, most of them by the user for words of a line: their places, and how they replace the front end's readings."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.common.errors import InputError
from app.common.language import localize
from app.core.synthesis_types import ReadingOverride
from app.core.text.pronunciation import ReadBy, Word, parse_user_reading, split_moras

OverrideSpan = tuple[int, int, ReadingOverride]

_STAND_IN_WORD = "彼女"  # replaces a surface that does not come out as words of its own: a noun with which nothing merges
_REWRITTEN_CONTEXT_LENGTH = 24  # characters that the analyser may have rewritten (numbers) or dropped before a word is found again


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of normalised text."""

    text: str
    override: ReadingOverride | None = None  # a given reading, by the user unless `read_by` names another source
    kana: str = ""  # its reading where the text itself gives one
    read_by: ReadBy = "user"
    syllables: tuple[str, ...] = ()  # of what is spoken in English; `text` is then katakana, for the analyser


@dataclass(frozen=True, slots=True)
class GivenReading:
    """Letters [start, end) of a text with a given reading, and the piece that replaces them."""

    start: int
    end: int
    piece: TextPiece


Analyse = Callable[[Sequence[TextPiece]], list[Word]]
"""Returns the words of the joined pieces, without regard to the readings that the user gave."""


def find_overrides(text: str, readings: Sequence[ReadingOverride]) -> list[OverrideSpan]:
    """Return the places in `text` where the readings apply: (start, end, override) in order, none overlapping; the earlier reading wins."""
    spans: list[OverrideSpan] = []
    used = bytearray(len(text))
    for override in readings:
        for count, match in enumerate(re.finditer(re.escape(override.surface), text) if override.surface else ()):
            start, end = match.span()
            is_meant = override.occurrence is None or override.occurrence == count
            if is_meant and not any(used[start:end]):
                spans.append((start, end, override))
                used[start:end] = b"\1" * (end - start)
    return sorted(spans, key=lambda place: place[0])


def add_without_overlap(readings: Sequence[GivenReading], others: Sequence[GivenReading]) -> list[GivenReading]:
    """Return the given readings and those of the others that overlap none of them, in order."""
    free = [other for other in others if all(other.end <= reading.start or other.start >= reading.end for reading in readings)]
    return sorted([*readings, *free], key=lambda reading: reading.start)


def build_words_with_readings(pieces: Sequence[TextPiece], analyse: Analyse) -> list[Word]:
    """Return the words of the joined pieces, with the user's reading where a piece has one. Raises InputError for a wrong reading."""
    stand_ins: set[int] = set()
    for _ in range(2):
        written = [TextPiece(_STAND_IN_WORD) if index in stand_ins else piece for index, piece in enumerate(pieces)]
        words = analyse(written)
        places = _locate_pieces(words, [piece.text for piece in written])
        missed = {index for index, piece in enumerate(pieces) if piece.override and index not in places}
        if not missed:
            return _replace_words(words, places, pieces, stand_ins)
        stand_ins |= missed
    # The neighbours swallow even the stand-in, so each piece is analysed on its own.
    apart = ([_replace_word(piece, piece.override, [])] if piece.override else analyse([piece]) for piece in pieces)
    return [word for words in apart for word in words]


def _locate_pieces(words: Sequence[Word], written: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Return the range of words that make up exactly one piece, by index of the piece, for the pieces that have such a range."""
    text = "".join(written)
    # Offset in the text → index of the word that starts or, for the last one, ended there.
    starts: dict[int, int] = {}
    position = 0
    for index, word in enumerate(words):
        start = text.find(word.surface, position, position + len(word.surface) + _REWRITTEN_CONTEXT_LENGTH)
        if start >= 0:
            starts[start] = index
            position = start + len(word.surface)
            starts.setdefault(position, index + 1)
    places: dict[int, tuple[int, int]] = {}
    offset = 0
    for index, piece in enumerate(written):
        first, last = starts.get(offset), starts.get(offset + len(piece))
        if first is not None and last is not None and "".join(word.surface for word in words[first:last]) == piece != "":
            places[index] = (first, last)
        offset += len(piece)
    return places


def _replace_words(words: list[Word], ranges: dict[int, tuple[int, int]], pieces: Sequence[TextPiece], stand_ins: set[int]) -> list[Word]:
    replaced = list(words)
    for index, piece in reversed(list(enumerate(pieces))):
        if piece.override:
            first, last = ranges[index]
            # The accent of a stand-in word says nothing about the word it replaces.
            covered = [] if index in stand_ins else words[first:last]
            if (
                piece.read_by != "user"
                and not piece.syllables
                and "".join(word.pronunciation for word in covered) == piece.override.reading
            ):
                # The analyser already reads the word so, and knows the accent of the whole phrase.
                continue
            replaced[first:last] = [_replace_word(piece, piece.override, covered)]
    return replaced


def _replace_word(piece: TextPiece, override: ReadingOverride, covered: Sequence[Word]) -> Word:
    """Return the word with its given reading; accent and phrase come from the covered words where no accent is given."""
    if piece.syllables:
        kana = "".join(word.pronunciation for word in covered)
        word = covered[0] if covered else Word("", "", kind=("名詞", "一般"))
        return replace(
            word, surface=override.surface, pronunciation=kana, syllables=piece.syllables, read_by=piece.read_by, name="", other_reading=""
        )
    kana = parse_user_reading(override.surface, override.reading)
    size = len(split_moras(kana))
    if override.accent is not None:
        if not 0 <= override.accent <= size:
            raise InputError(
                localize(
                    f"「{override.surface}」のアクセント位置 {override.accent} は範囲外です。",
                    f"Accent position {override.accent} is outside the word.",
                ),
                localize(f"0 から {size} までの数にしてください。", f"Use a number from 0 to {size}."),
            )
        return Word(piece.text, kana, override.accent, kind=("名詞", "一般"), read_by=piece.read_by)
    if not covered:
        return Word(piece.text, kana, kind=("名詞", "一般"), read_by=piece.read_by)
    old_size = sum(len(split_moras(word.pronunciation)) for word in covered)
    accent = covered[0].accent
    moved = accent + size - old_size if accent > old_size else min(accent, size)
    return replace(covered[0], surface=piece.text, pronunciation=kana, accent=moved, read_by=piece.read_by, name="", other_reading="")
