"""The content of the strip for a line: a new value with every change, so that drawing needs no further knowledge."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from app.common.language import localize
from app.core.sound.accent_edits import LinePhrase, find_phrase, list_phrases, set_accent, set_mora_length, set_pause_length
from app.core.sound.line_reading import LineReading
from app.core.sound.line_sound import LineSpans
from app.core.synthesis_types import Overrides
from app.core.text.notation.noted_text import NotedText
from app.ui.emoji_labels import describe_emoji
from app.ui.reading.strip.strip_axis import CellKind, StripAxis, StripCell, build_axis

MARK_SIGNS = {",": "、", ".": "。", "!": "！", "?": "？", "'": "・", "-": "－"}
BRACKET, BRACKETS = "'", frozenset("「」『』()[]{}〈〉《》【】〔〕〖〗〘〙‹›«»\"“”„‟'’‘")  # the mark they are read as, and what is written


@dataclass(frozen=True, slots=True)
class StripShape:
    """A line that was read, its edits, and when it sounds.

    Attributes:
        overrides: counted over the text that was read.
        times: of the last sound, None without one.
    """

    reading: LineReading
    overrides: Overrides
    times: LineSpans | None
    phrases: tuple[LinePhrase, ...]
    axis: StripAxis

    @property
    def tones(self) -> tuple[int, ...]:
        """Return the tone of each mora."""
        return tuple(tone for phrase in self.phrases for tone in phrase.tones)


def build_shape(reading: LineReading, overrides: Overrides, times: LineSpans | None) -> StripShape:
    """Build the shape of a line."""
    phrases = list_phrases(reading, overrides)
    return StripShape(reading, overrides, times, phrases, build_axis(reading, overrides, phrases, times))


def find_cell_text(shape: StripShape, cell: StripCell) -> str:
    """Return what stands in a cell."""
    if cell.kind is CellKind.MORA:
        return shape.reading.moras[cell.index].kana
    phone = shape.reading.marks[cell.index].phone
    return (phone == BRACKET and _find_bracket(shape.reading, cell.index)) or MARK_SIGNS.get(phone, "")


def _find_bracket(reading: LineReading, mark: int) -> str:
    """Return the bracket that is written where a mark is; empty if that is not certain."""
    written, places = (
        _list_brackets(reading.text, reading.notation),
        [index for index, item in enumerate(reading.marks) if item.phone == BRACKET],
    )
    return written[places.index(mark)] if len(written) == len(places) else ""


@lru_cache(64)  # each cell asks for it whenever it is drawn
def _list_brackets(text: str, notation: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
    return tuple(letter for letter in NotedText(text, notation).plain if unicodedata.normalize("NFKC", letter) in BRACKETS)


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
    change = set_mora_length if cell.kind is CellKind.MORA else set_pause_length
    return change(shape.overrides, cell.index, length_s)


def change_pitch_fall(shape: StripShape, cell: StripCell, is_behind: bool) -> Overrides:
    """Return the edits with the pitch falling behind a mora, or before it."""
    if cell.kind is not CellKind.MORA:
        return shape.overrides
    place = cell.index - find_phrase(shape.phrases, cell.index).start
    return set_accent(shape.reading, shape.overrides, cell.index, place + is_behind)


def find_mora_index(shape: StripShape, cell: StripCell) -> int:
    """Return the index of a mora, or of the one before a pause."""
    return cell.index if cell.kind is CellKind.MORA else max(0, shape.reading.marks[cell.index].moras_before - 1)
