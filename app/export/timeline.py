"""The spoken text and its times, which go beside a sound. Seconds from the beginning of the file, silences included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

PAUSE_PHONE = "pau"


@dataclass(frozen=True, slots=True)
class TimedText:
    """A stretch of text and when it sounds."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class TimedMora(TimedText):
    """A mora in katakana; tone 0 or 1."""

    tone: int = 0


AnyTimedText = TypeVar("AnyTimedText", bound=TimedText)


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """One line as it sounds."""

    id: str
    text: str  # as readers see it: without ruby and notes
    reading: str
    seed: int
    voice: str  # its id; `speaker` and `style` are names
    speaker: str
    style: str
    settings: Mapping[str, Any]  # that shaped the sound, by the names of `LineSettings`
    credit: str  # what a publication of the sound must name
    start_s: float  # start_s, end_s: silences included
    end_s: float
    sentences: tuple[TimedText, ...] = ()  # sentences, phrases, moras: empty where the voice reports no times, but for the sentences
    phrases: tuple[TimedText, ...] = ()
    moras: tuple[TimedMora, ...] = ()
    phones: tuple[TimedText, ...] = ()  # tile the line, silences as `PAUSE_PHONE`
    is_silent: bool = False  # nothing in the text can be read, so that nobody is heard: one pause, and no credit
    character: str = ""  # name of who speaks it in the script; empty where nobody is named

    @property
    def speech_span(self) -> TimedText:
        """Return the line without the silences around it."""
        if not self.sentences:
            return TimedText(self.text, self.start_s, self.end_s)
        return TimedText(self.text, self.sentences[0].start_s, self.sentences[-1].end_s)

    def shift_times(self, offset_s: float) -> SpokenLine:
        """Return the same line later in a file."""
        return replace(
            self,
            start_s=self.start_s + offset_s,
            end_s=self.end_s + offset_s,
            sentences=_shift_items(self.sentences, offset_s),
            phrases=_shift_items(self.phrases, offset_s),
            moras=_shift_items(self.moras, offset_s),
            phones=_shift_items(self.phones, offset_s),
        )


@dataclass(frozen=True, slots=True)
class SpokenFile:
    """The contents of one sound file."""

    lines: tuple[SpokenLine, ...]
    rate: int  # rate, samples: of the file, a channel
    samples: int
    phones: tuple[TimedText, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "phones", fill_gaps_with_pauses([phone for line in self.lines for phone in line.phones], self.length_s))

    @property
    def length_s(self) -> float:
        """Return the length of the whole file."""
        return self.samples / self.rate

    @property
    def text(self) -> str:
        """Return the text of all lines."""
        return "\n".join(line.text for line in self.lines)

    @property
    def is_silent(self) -> bool:
        """Return whether every line is silent."""
        return all(line.is_silent for line in self.lines)

    @property
    def has_phone_times(self) -> bool:
        """Return whether every line has the times of its phones."""
        return all(line.phones for line in self.lines)


def join_lines(lines: Sequence[SpokenLine]) -> tuple[SpokenLine, ...]:
    """Return the lines one after the other."""
    placed: list[SpokenLine] = []
    for line in lines:
        placed.append(line.shift_times(placed[-1].end_s if placed else 0.0))
    return tuple(placed)


def fill_gaps_with_pauses(phones: Sequence[TimedText], length_s: float) -> tuple[TimedText, ...]:
    """Return the phones from 0 to the end of the sound without a gap, with a pause at both ends and none beside another."""
    tiles: list[TimedText] = []
    for phone in phones:
        if tiles and phone.text == PAUSE_PHONE and tiles[-1].text == PAUSE_PHONE:
            tiles[-1] = replace(tiles[-1], end_s=phone.end_s)
        else:
            tiles.append(phone)
    if not tiles:
        return ()
    if tiles[0].text != PAUSE_PHONE:
        tiles.insert(0, TimedText(PAUSE_PHONE, 0.0, tiles[0].start_s))
    if tiles[-1].text != PAUSE_PHONE:
        tiles.append(TimedText(PAUSE_PHONE, tiles[-1].end_s, length_s))
    tiles = [replace(tile, start_s=min(tile.start_s, length_s), end_s=min(tile.end_s, length_s)) for tile in tiles]
    tiles[-1] = replace(tiles[-1], end_s=length_s)
    return tuple(tiles)


def _shift_items(items: tuple[AnyTimedText, ...], offset_s: float) -> tuple[AnyTimedText, ...]:
    return tuple(replace(item, start_s=item.start_s + offset_s, end_s=item.end_s + offset_s) for item in items)
