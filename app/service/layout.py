"""Where the morae of a line lie among its phones, and what lies between them: marks, and the `_` at the ends of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.phones import NOWHERE, mora_of_phones
from app.core.shaped import ShapedSentence
from app.core.types import Phones

Place = tuple[int, int]
"""A sentence of the list, and a phone in it."""


@dataclass(slots=True)
class Layout:
    """Counted over the line.

    Attributes:
        moras: the phones of each mora.
        gaps: the phones between two morae, by how many morae lie before; 0 is the opening, `len(moras)` the closing.
    """

    moras: list[list[Place]] = field(default_factory=list)
    gaps: dict[int, list[Place]] = field(default_factory=dict)

    @property
    def opening(self) -> list[Place]:
        """What comes before the first mora."""
        return self.gaps.get(0, [])

    @property
    def closing(self) -> list[Place]:
        """What comes after the last mora."""
        return self.gaps.get(len(self.moras), []) if self.moras else []

    @property
    def pauses(self) -> dict[int, list[Place]]:
        """The gaps between two morae."""
        return {before: places for before, places in self.gaps.items() if 0 < before < len(self.moras)}


def layout_of(sentences: Sequence[Phones]) -> Layout:
    """The layout of a line."""
    layout = Layout()
    for index, phones in enumerate(sentences):
        begun = len(layout.moras)
        for place, mora in enumerate(mora_of_phones(phones.phones)):
            if mora == NOWHERE:
                layout.gaps.setdefault(len(layout.moras), []).append((index, place))
            elif begun + mora == len(layout.moras):
                layout.moras.append([(index, place)])
            else:
                layout.moras[-1].append((index, place))
    return layout


def frames_of(sentences: Sequence[ShapedSentence]) -> dict[Place, int]:
    """Frames by place; empty where the voice did not report them."""
    counts = ((at, sentence.frames) for at, sentence in enumerate(sentences))
    return {(at, place): count for at, frames in counts for place, count in enumerate(frames) if count is not None}
