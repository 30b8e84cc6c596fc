"""What the strip shows of a line: a new value with every change, so that drawing needs no further knowledge."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from app.core.accents import Phrase, phrase_at, phrases_of, with_accent, with_mora_length, with_pause_length
from app.core.line_reading import LineReading
from app.core.line_sound import LineTimes
from app.core.notation.noted import NotedText
from app.core.types import Overrides
from app.language import localized
from app.ui.emoji_labels import emoji_words
from app.ui.reading.strip.axis import Axis, Cell, Kind, lay_out

MARK_SIGNS = {",": "、", ".": "。", "!": "！", "?": "？", "'": "・", "-": "－"}
BRACKET, BRACKETS = "'", frozenset("「」『』()[]{}〈〉《》【】〔〕〖〗〘〙‹›«»\"“”„‟'’‘")  # the mark they are read as, and what is written


@dataclass(frozen=True, slots=True)
class Shape:
    """A line that was read, its edits, and when it sounds.

    Attributes:
        overrides: counted over the text that was read.
        times: of the last sound, None without one.
    """

    reading: LineReading
    overrides: Overrides
    times: LineTimes | None
    phrases: tuple[Phrase, ...]
    axis: Axis

    @property
    def tones(self) -> tuple[int, ...]:
        """Tone of each mora."""
        return tuple(tone for phrase in self.phrases for tone in phrase.tones)


def shape_of(reading: LineReading, overrides: Overrides, times: LineTimes | None) -> Shape:
    """The shape of a line."""
    phrases = phrases_of(reading, overrides)
    return Shape(reading, overrides, times, phrases, lay_out(reading, overrides, phrases, times))


def kana_of(shape: Shape, cell: Cell) -> str:
    """What stands in a cell."""
    if cell.kind is Kind.MORA:
        return shape.reading.moras[cell.index].kana
    phone = shape.reading.marks[cell.index].phone
    return (phone == BRACKET and _bracket(shape.reading, cell.index)) or MARK_SIGNS.get(phone, "")


def _bracket(reading: LineReading, mark: int) -> str:
    """The bracket that is written where a mark is; empty where that is not certain."""
    written, places = (
        _brackets(reading.text, reading.notation),
        [index for index, item in enumerate(reading.marks) if item.phone == BRACKET],
    )
    return written[places.index(mark)] if len(written) == len(places) else ""


@lru_cache(64)  # each cell asks for it whenever it is drawn
def _brackets(text: str, notation: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
    return tuple(letter for letter in NotedText(text, notation).plain if unicodedata.normalize("NFKC", letter) in BRACKETS)


def is_emoji(shape: Shape, cell: Cell) -> bool:
    """A mora that is no kana."""
    return cell.kind is Kind.MORA and shape.reading.moras[cell.index].is_emoji


def words_for(shape: Shape, cell: Cell) -> str:
    """A cell in words, for screen readers and tips."""
    ms = round(cell.length_s * 1000)
    known = cell.exact or (shape.times is not None and cell.end_s > cell.start_s)
    length = f"{ms} ms" if known else localized("長さは未計算", "length not computed yet")
    if cell.kind is Kind.MARK:
        return localized(f"間「{kana_of(shape, cell)}」、{length}", f"Pause {kana_of(shape, cell)}, {length}")
    if is_emoji(shape, cell):
        meaning = emoji_words(kana_of(shape, cell))
        return localized(f"絵文字 {kana_of(shape, cell)}（{meaning}）、{length}", f"Emoji {kana_of(shape, cell)} ({meaning}), {length}")
    word = shape.reading.word_at(cell.index)
    written = shape.reading.written(word.start, word.end).strip() if word else ""
    high = shape.tones[cell.index]
    tone = localized("高い", "high") if high else localized("低い", "low")
    other = localized(f"、別の読み「{word.other}」", f", other reading {word.other}") if word and word.other else ""
    return localized(
        f"「{kana_of(shape, cell)}」、{tone}、{length}（{written}{other}）",
        f"{kana_of(shape, cell)}, {tone}, {length} ({written}{other})",
    )


def with_length(shape: Shape, cell: Cell, length_s: float | None) -> Overrides:
    """The edits with another length for a cell; None leaves it to the voice."""
    change = with_mora_length if cell.kind is Kind.MORA else with_pause_length
    return change(shape.overrides, cell.index, length_s)


def with_fall(shape: Shape, cell: Cell, behind: bool) -> Overrides:
    """The edits with the pitch falling behind a mora, or before it."""
    if cell.kind is not Kind.MORA:
        return shape.overrides
    place = cell.index - phrase_at(shape.phrases, cell.index).start
    return with_accent(shape.reading, shape.overrides, cell.index, place + behind)


def mora_of(shape: Shape, cell: Cell) -> int:
    """A mora, or the one before a pause."""
    return cell.index if cell.kind is Kind.MORA else max(0, shape.reading.marks[cell.index].moras_before - 1)
