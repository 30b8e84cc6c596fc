"""Words as the analyser finds them, before their accents are joined, and how some of them are to be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

CorrectionSource = Literal["rule", "dictionary", "second", "ruby"]


@dataclass(frozen=True, slots=True)
class Morph:
    """One word of the analyser."""

    surface: str  # surface, base: as written and its base form, NFKC
    base: str
    kinds: tuple[str, ...]  # part of speech and its subdivisions, kind and form of conjugation, as the dictionary names them
    reading: str  # katakana, long vowels as ー; empty for marks
    start: int = 0  # characters of the text before it
    is_users: bool = False  # the user's dictionary has it, so nobody may read it otherwise

    @property
    def end(self) -> int:
        """Return the characters of the text up to the end of the morph."""
        return self.start + len(self.surface)


@dataclass(frozen=True, slots=True)
class MorphPart:
    """A word that takes the place of others."""

    surface: str
    reading: str | None = None  # katakana; None is what the analyser's dictionary has for the surface
    accent: int | None = None  # mora after which the pitch falls, 0 = never; None is what the dictionary has for surface and reading
    # As `app.core.text.dictionary_entries` names it, or adverb, of a word that the analyser's dictionary need not have; otherwise the word
    # is looked up there, sooner as this part of speech (名詞,一般) or, where it is empty, as what the analyser took it for.
    kind: str = ""
    # How the accent of a noun right before it changes, by Open JTalk's rules: the pitch falls at its own accent (C1), behind its
    # first mora (C2), right before it (C3) or nowhere (C4); empty is as without it. Only for words of one of these kinds.
    joining: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """Words [first, last) of a sentence are these parts instead; `name` is the rule, entry or word of the white list, or the ruby."""

    first: int
    last: int
    parts: tuple[MorphPart, ...]
    source: CorrectionSource
    name: str


def drop_overlaps(corrections: Sequence[Correction]) -> list[Correction]:
    """Return corrections in order, none overlapping; of two the earlier one wins."""
    separate: list[Correction] = []
    for correction in corrections:
        if all(correction.last <= other.first or correction.first >= other.last for other in separate):
            separate.append(correction)
    return sorted(separate, key=lambda correction: correction.first)
