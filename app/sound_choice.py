"""How exactly voices speak: a default, and voices for which the user has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SoundPrecision = Literal["exact", "fast"]
SOUND_PRECISIONS: tuple[SoundPrecision, ...] = ("exact", "fast")
MOST_CHOICES = 500


@dataclass(frozen=True, slots=True)
class SoundChoice:
    """What the user wants; a voice that has no int8 graphs is exact all the same.

    Attributes:
        default: of voices that are in neither list.
        exact, fast: ids of voices as their manifests have them, the one chosen last at the end.
    """

    default: SoundPrecision = "exact"
    exact: tuple[str, ...] = ()
    fast: tuple[str, ...] = ()

    def of(self, voice: str) -> SoundPrecision:
        """That of a voice."""
        if voice in self.fast:
            return "fast"
        return "exact" if voice in self.exact else self.default

    def with_own(self, voice: str, precision: SoundPrecision) -> SoundChoice:
        """The same with a choice for one voice, which then no longer follows the default."""
        others = self._without(voice)
        if precision == "fast":
            return SoundChoice(self.default, others.exact, (*others.fast, voice)[-MOST_CHOICES:])
        return SoundChoice(self.default, (*others.exact, voice)[-MOST_CHOICES:], others.fast)

    def with_changes(self, before: SoundChoice, after: SoundChoice) -> SoundChoice:
        """The same with what changed between two others, voice by voice."""
        result = SoundChoice(after.default if before.default != after.default else self.default, self.exact, self.fast)
        for voice in dict.fromkeys((*before.exact, *before.fast, *after.exact, *after.fast)):
            if before._own(voice) != (own := after._own(voice)):
                result = result.with_own(voice, own) if own else result._without(voice)
        return result

    def _own(self, voice: str) -> SoundPrecision | None:
        return self.of(voice) if voice in (*self.exact, *self.fast) else None

    def _without(self, voice: str) -> SoundChoice:
        return SoundChoice(self.default, *(tuple(item for item in ids if item != voice) for ids in (self.exact, self.fast)))
