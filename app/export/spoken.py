"""What was spoken and when: the times that go beside a sound. Seconds from the beginning of the file, silences included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

PAUSE = "pau"


@dataclass(frozen=True, slots=True)
class Timed:
    """A stretch of text and when it sounds."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class TimedMora(Timed):
    """A mora in katakana; tone 0 or 1."""

    tone: int = 0


AnyTimed = TypeVar("AnyTimed", bound=Timed)


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """One line as it sounds.

    Attributes:
        text: as readers see it: without ruby and notes.
        voice: its id; `speaker` and `style` are names.
        settings: that shaped the sound, by the names of `LineSettings`.
        credit: what a publication of the sound must name.
        start_s, end_s: silences included.
        sentences, phrases, moras: empty where the voice reports no times, but for the sentences.
        phones: tile the line, silences as `PAUSE`.
        silent: nothing in the text can be read, so that nobody is heard: one pause, and no credit.
    """

    id: str
    text: str
    reading: str
    seed: int
    voice: str
    speaker: str
    style: str
    settings: Mapping[str, Any]
    credit: str
    start_s: float
    end_s: float
    sentences: tuple[Timed, ...] = ()
    phrases: tuple[Timed, ...] = ()
    moras: tuple[TimedMora, ...] = ()
    phones: tuple[Timed, ...] = ()
    silent: bool = False

    @property
    def spoken(self) -> Timed:
        """The line without the silences around it."""
        if not self.sentences:
            return Timed(self.text, self.start_s, self.end_s)
        return Timed(self.text, self.sentences[0].start_s, self.sentences[-1].end_s)

    def shifted(self, by_s: float) -> SpokenLine:
        """The same line later in a file."""
        return replace(
            self,
            start_s=self.start_s + by_s,
            end_s=self.end_s + by_s,
            sentences=_shifted(self.sentences, by_s),
            phrases=_shifted(self.phrases, by_s),
            moras=_shifted(self.moras, by_s),
            phones=_shifted(self.phones, by_s),
        )


@dataclass(frozen=True, slots=True)
class SpokenFile:
    """What one sound file holds.

    Attributes:
        rate, samples: of the file, a channel.
    """

    lines: tuple[SpokenLine, ...]
    rate: int
    samples: int
    phones: tuple[Timed, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "phones", tiled([phone for line in self.lines for phone in line.phones], self.length_s))

    @property
    def length_s(self) -> float:
        """Of the whole file."""
        return self.samples / self.rate

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(line.text for line in self.lines)

    @property
    def silent(self) -> bool:
        """Every line is."""
        return all(line.silent for line in self.lines)

    @property
    def timed(self) -> bool:
        """Every line has the times of its phones."""
        return all(line.phones for line in self.lines)


def joined(lines: Sequence[SpokenLine]) -> tuple[SpokenLine, ...]:
    """Lines one behind the other."""
    placed: list[SpokenLine] = []
    for line in lines:
        placed.append(line.shifted(placed[-1].end_s if placed else 0.0))
    return tuple(placed)


def tiled(phones: Sequence[Timed], length_s: float) -> tuple[Timed, ...]:
    """Phones from 0 to the end of the sound without a gap, with a pause at both ends and none beside another."""
    tiles: list[Timed] = []
    for phone in phones:
        if tiles and phone.text == PAUSE and tiles[-1].text == PAUSE:
            tiles[-1] = replace(tiles[-1], end_s=phone.end_s)
        else:
            tiles.append(phone)
    if not tiles:
        return ()
    if tiles[0].text != PAUSE:
        tiles.insert(0, Timed(PAUSE, 0.0, tiles[0].start_s))
    if tiles[-1].text != PAUSE:
        tiles.append(Timed(PAUSE, tiles[-1].end_s, length_s))
    tiles = [replace(tile, start_s=min(tile.start_s, length_s), end_s=min(tile.end_s, length_s)) for tile in tiles]
    tiles[-1] = replace(tiles[-1], end_s=length_s)
    return tuple(tiles)


def _shifted(items: tuple[AnyTimed, ...], by_s: float) -> tuple[AnyTimed, ...]:
    return tuple(replace(item, start_s=item.start_s + by_s, end_s=item.end_s + by_s) for item in items)
