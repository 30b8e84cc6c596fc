"""Aligns the morae of a line with its phones, and with the phones between them: marks, and the `_` at the ends of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.sound.fixed_durations import FixedSentence
from app.core.synthesis_types import Phones
from app.core.text.phone_ids import NO_INDEX, map_phones_to_moras

PhoneOffset = tuple[int, int]
"""A sentence of the list, and a phone in it."""


@dataclass(slots=True)
class MoraAlignment:
    """Counted over the line.

    Attributes:
        moras: the phones of each mora.
        gaps: the phones between two morae, by how many morae lie before; 0 is the opening, `len(moras)` the closing.
    """

    moras: list[list[PhoneOffset]] = field(default_factory=list)
    gaps: dict[int, list[PhoneOffset]] = field(default_factory=dict)

    @property
    def opening(self) -> list[PhoneOffset]:
        """Return the phones before the first mora."""
        return self.gaps.get(0, [])

    @property
    def closing(self) -> list[PhoneOffset]:
        """Return the phones after the last mora."""
        return self.gaps.get(len(self.moras), []) if self.moras else []

    @property
    def pauses(self) -> dict[int, list[PhoneOffset]]:
        """Return the gaps between two morae."""
        return {before: places for before, places in self.gaps.items() if 0 < before < len(self.moras)}


def align_moras(sentences: Sequence[Phones]) -> MoraAlignment:
    """Return the alignment of morae and phones of a line."""
    layout = MoraAlignment()
    for index, phones in enumerate(sentences):
        begun = len(layout.moras)
        for place, mora in enumerate(map_phones_to_moras(phones.phones)):
            if mora == NO_INDEX:
                layout.gaps.setdefault(len(layout.moras), []).append((index, place))
            elif begun + mora == len(layout.moras):
                layout.moras.append([(index, place)])
            else:
                layout.moras[-1].append((index, place))
    return layout


def map_frames(sentences: Sequence[FixedSentence]) -> dict[PhoneOffset, int]:
    """Return the frames by place; empty if the voice did not report them."""
    counts = ((at, sentence.frames) for at, sentence in enumerate(sentences))
    return {(at, place): count for at, frames in counts for place, count in enumerate(frames) if count is not None}
