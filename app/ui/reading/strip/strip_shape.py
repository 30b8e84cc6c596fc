"""The content of the strip for a line: a new value with every change, so that drawing needs no further knowledge.

Strip, melody, waveform and playhead share its axis. Where the times are known, it is one of time that gives very short sounds the room a kana
needs; else all morae are as wide.
"""

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from itertools import zip_longest

import numpy as np

from app.common.language import localize
from app.core.sound.line_edits import LinePhrase, find_phrase, list_phrases, set_accent, set_mora_length, set_pause_length
from app.core.sound.line_reading import LineReading
from app.core.sound.line_sound import LineSpans
from app.core.symbols import is_english
from app.core.synthesis_types import Overrides
from app.core.text.notation.noted_text import NotedText
from app.ui.display_names import describe_emoji

FULL_STOP, ELLIPSIS = ".", "…"
MARK_SIGNS = {",": "、", ".": "。", "!": "！", "?": "？", "'": "・", "-": "－"}
BRACKET, BRACKETS = "'", frozenset("「」『』()[]{}〈〉《》【】〔〕〖〗〘〙‹›«»\"“”„‟'’‘")  # the mark they are read as, and what is written

PX_PER_S = 230.0
NARROWEST, NARROWEST_PAUSE = 31.0, 15.0  # pixels: a kana with its small one must be readable
SYLLABLE_LETTER_PX, SYLLABLE_MARGIN_PX = 7.5, 10.0  # of English syllables, which have up to nine letters
PHRASE_GAP_PX = 10.0
AXIS_MARGIN_PX = 14.0
UNKNOWN_MORA_S, UNKNOWN_PAUSE_S = 0.117, 0.25


class CellKind(Enum):
    """The kind of a cell."""

    MORA = "mora"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class StripCell:
    """A mora or a pause; the full stops that an ellipsis is read as are one pause."""

    kind: CellKind
    index: int  # of the mora or of the first mark in the line
    count: int  # how many marks it stands for
    left: float  # left, right: pixels
    right: float
    start_s: float  # start_s, end_s: when it sounds, within the line's sound; both 0 while that is unknown
    end_s: float
    length_s: float  # how long it is, or will be; the best guess while nobody knows
    is_exact: bool  # the user fixed the length

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


@dataclass(frozen=True)
class StripAxis:
    """All cells from left to right."""

    cells: tuple[StripCell, ...] = ()
    is_timed: bool = False

    @property
    def width(self) -> float:
        """Return the width of the axis in pixels, margins included."""
        return self.cells[-1].right + AXIS_MARGIN_PX if self.cells else 2 * AXIS_MARGIN_PX

    def find_cell(self, x: float) -> int:
        """Return the index of the cell at a place, or else before it; -1 if there are no cells."""
        return max(0, bisect_right(self.cells, x, key=lambda cell: cell.left) - 1) if self.cells else -1

    def find_edge(self, x: float, reach_px: float) -> int:
        """Return the index of the cell whose right edge is within reach; -1 if there is none."""
        near = min(range(len(self.cells)), key=lambda index: abs(self.cells[index].right - x), default=-1)
        return near if near >= 0 and abs(self.cells[near].right - x) <= reach_px else -1

    @cached_property
    def knots(self) -> tuple[list[float], list[float]]:
        """Return matching seconds and pixels, both ascending; between them the axis is straight."""
        seconds, pixels = [0.0], [0.0]
        for cell in self.cells:
            for second, pixel in ((cell.start_s, cell.left), (cell.end_s, cell.right)):
                seconds.append(max(seconds[-1], second))
                pixels.append(pixel)
        return seconds, pixels

    def convert_seconds_to_x(self, second: float) -> float:
        """Return the pixel of a moment of the sound."""
        seconds, pixels = self.knots
        return float(np.interp(second, seconds, pixels))

    def convert_x_to_seconds(self, x: float) -> float:
        """Return the moment of the sound at a pixel, in seconds."""
        seconds, pixels = self.knots
        return float(np.interp(x, pixels, seconds))


def build_axis(reading: LineReading, overrides: Overrides, phrases: tuple[LinePhrase, ...], times: LineSpans | None) -> StripAxis:
    fixed = {edit.mora: edit.length_s for edit in overrides.moras if edit.length_s is not None}
    pauses = {edit.mark: edit.length_s for edit in overrides.pauses}
    begins = {phrase.start for phrase in phrases}
    cells: list[StripCell] = []
    left = AXIS_MARGIN_PX
    for kind, index, count in order_cells(reading):
        if kind is CellKind.MORA and index in begins and cells and cells[-1].kind is CellKind.MORA:
            left += PHRASE_GAP_PX
        known = (times.moras if kind is CellKind.MORA else times.marks)[index : index + count] if times else ()
        given = [(fixed if kind is CellKind.MORA else pauses).get(one) for one in range(index, index + count)]
        guess = UNKNOWN_MORA_S if kind is CellKind.MORA else UNKNOWN_PAUSE_S / count
        lengths = zip_longest(given, known)
        length_s = sum(one if one is not None else span.length_s if span and span.length_s else guess for one, span in lengths)
        width = max(_find_narrowest(reading.moras[index].kana) if kind is CellKind.MORA else NARROWEST_PAUSE, length_s * PX_PER_S)
        start_s, end_s = (known[0].start_s, known[-1].end_s) if known else (0.0, 0.0)
        is_exact = any(one is not None for one in given)
        cells.append(StripCell(kind, index, count, left, left + width, start_s, end_s, length_s, is_exact))
        left += width
    return StripAxis(tuple(cells), times is not None)


def _find_narrowest(written: str) -> float:
    """Return the pixels in which a mora can be read."""
    return max(NARROWEST, SYLLABLE_LETTER_PX * len(written) + SYLLABLE_MARGIN_PX) if is_english(written) else NARROWEST


def order_cells(reading: LineReading) -> list[tuple[CellKind, int, int]]:
    """Return for each cell its kind, its first mora or mark and their number; marks that make no pause are left out."""
    places: list[tuple[CellKind, int, int]] = []
    mora = 0
    for index, mark in enumerate(reading.marks):
        places += [(CellKind.MORA, one, 1) for one in range(mora, mark.moras_before)]
        mora = mark.moras_before
        if mark.sentence in reading.silent:
            continue
        kind, first, count = places[-1] if places else (CellKind.MORA, 0, 0)
        former = reading.marks[first] if kind is CellKind.MARK else None
        if former is not None and former.phone == mark.phone == FULL_STOP and former.sentence == mark.sentence:
            places[-1] = kind, first, count + 1
        else:
            places.append((CellKind.MARK, index, 1))
    return places + [(CellKind.MORA, one, 1) for one in range(mora, len(reading.moras))]


@dataclass(frozen=True, slots=True)
class StripShape:
    """A line that was read, its edits, and when it sounds."""

    reading: LineReading
    overrides: Overrides  # counted over the text that was read
    times: LineSpans | None  # of the last sound, None without one
    phrases: tuple[LinePhrase, ...]
    axis: StripAxis

    @property
    def tones(self) -> tuple[int, ...]:
        """Return the tone of each mora."""
        return tuple(tone for phrase in self.phrases for tone in phrase.tones)


def build_shape(reading: LineReading, overrides: Overrides, times: LineSpans | None) -> StripShape:
    phrases = list_phrases(reading, overrides)
    return StripShape(reading, overrides, times, phrases, build_axis(reading, overrides, phrases, times))


def find_cell_text(shape: StripShape, cell: StripCell) -> str:
    if cell.kind is CellKind.MORA:
        return shape.reading.moras[cell.index].kana
    if cell.count > 1:
        return ELLIPSIS
    phone = shape.reading.marks[cell.index].phone
    return (phone == BRACKET and _find_bracket(shape.reading, cell.index)) or MARK_SIGNS.get(phone, "")


def _find_bracket(reading: LineReading, mark: int) -> str:
    """Return the bracket that is written where a mark is; empty if that is not certain."""
    plain = NotedText(reading.text, reading.notation).plain
    written = [letter for letter in plain if unicodedata.normalize("NFKC", letter) in BRACKETS]
    places = [index for index, item in enumerate(reading.marks) if item.phone == BRACKET]
    return written[places.index(mark)] if len(written) == len(places) else ""


@lru_cache(64)  # each cell asks for it whenever it is drawn
def is_emoji_cell(shape: StripShape, cell: StripCell) -> bool:
    """Return whether a mora is an emoji and no kana."""
    return cell.kind is CellKind.MORA and shape.reading.moras[cell.index].is_emoji


def describe_cell(shape: StripShape, cell: StripCell) -> str:
    """Describe a cell in words, for screen readers and tips."""
    ms = round(cell.length_s * 1000)
    known = cell.is_exact or (shape.times is not None and cell.end_s > cell.start_s)
    length = f"{ms} ms" if known else localize("長さは未計算", "length not computed yet")
    if cell.kind is CellKind.MARK:
        return localize(f"間「{find_cell_text(shape, cell)}」、{length}", f"Pause {find_cell_text(shape, cell)}, {length}")
    if is_emoji_cell(shape, cell):
        meaning = describe_emoji(find_cell_text(shape, cell))
        return localize(
            f"絵文字 {find_cell_text(shape, cell)}（{meaning}）、{length}", f"Emoji {find_cell_text(shape, cell)} ({meaning}), {length}"
        )
    word = shape.reading.find_word(cell.index)
    written = shape.reading.extract_text(word.start, word.end).strip() if word else ""
    high = shape.tones[cell.index]
    tone = localize("高い", "high") if high else localize("低い", "low")
    other = localize(f"、別の読み「{word.other_reading}」", f", other reading {word.other_reading}") if word and word.other_reading else ""
    return localize(
        f"「{find_cell_text(shape, cell)}」、{tone}、{length}（{written}{other}）",
        f"{find_cell_text(shape, cell)}, {tone}, {length} ({written}{other})",
    )


def change_cell_length(shape: StripShape, cell: StripCell, length_s: float | None) -> Overrides:
    """Return the edits with another length for a cell, or with the voice's own length if None."""
    if cell.kind is CellKind.MORA:
        return set_mora_length(shape.overrides, cell.index, length_s)
    overrides = shape.overrides
    for mark in range(cell.index, cell.index + cell.count):
        overrides = set_pause_length(overrides, mark, None if length_s is None else length_s / cell.count)
    return overrides


def change_pitch_fall(shape: StripShape, cell: StripCell, is_behind: bool) -> Overrides:
    """Return the edits with the pitch falling behind a mora, or before it."""
    if cell.kind is not CellKind.MORA:
        return shape.overrides
    place = cell.index - find_phrase(shape.phrases, cell.index).start
    return set_accent(shape.reading, shape.overrides, cell.index, place + is_behind)


def find_mora_index(shape: StripShape, cell: StripCell) -> int:
    """Return the index of a mora, or of the one before a pause."""
    return cell.index if cell.kind is CellKind.MORA else max(0, shape.reading.marks[cell.index].moras_before - 1)
