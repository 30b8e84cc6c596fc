"""The precision of the voices' graphs: a default, and voices for which the user has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GraphPrecision = Literal["exact", "fast"]
GRAPH_PRECISIONS: tuple[GraphPrecision, ...] = ("exact", "fast")
MAX_VOICE_CHOICES = 500


@dataclass(frozen=True, slots=True)
class PrecisionPreference:
    """The user's choice of precision; a voice that has no int8 graphs is exact all the same."""

    default: GraphPrecision = "exact"  # of voices that are in neither list
    exact: tuple[str, ...] = ()  # exact, fast: ids of voices as their manifests have them, the one chosen last at the end
    fast: tuple[str, ...] = ()

    def find_precision(self, voice: str) -> GraphPrecision:
        """Return the precision of a voice."""
        if voice in self.fast:
            return "fast"
        return "exact" if voice in self.exact else self.default

    def replace_voice_precision(self, voice: str, precision: GraphPrecision) -> PrecisionPreference:
        """Return the preference with a choice for one voice, which then no longer follows the default."""
        rest = self._remove_voice(voice)
        if precision == "fast":
            return PrecisionPreference(self.default, rest.exact, (*rest.fast, voice)[-MAX_VOICE_CHOICES:])
        return PrecisionPreference(self.default, (*rest.exact, voice)[-MAX_VOICE_CHOICES:], rest.fast)

    def merge_changes(self, before: PrecisionPreference, after: PrecisionPreference) -> PrecisionPreference:
        """Return the preference with the changes between two others applied, voice by voice."""
        result = PrecisionPreference(after.default if before.default != after.default else self.default, self.exact, self.fast)
        for voice in dict.fromkeys((*before.exact, *before.fast, *after.exact, *after.fast)):
            if before._find_own_precision(voice) != (choice := after._find_own_precision(voice)):
                result = result.replace_voice_precision(voice, choice) if choice else result._remove_voice(voice)
        return result

    def _find_own_precision(self, voice: str) -> GraphPrecision | None:
        return self.find_precision(voice) if voice in (*self.exact, *self.fast) else None

    def _remove_voice(self, voice: str) -> PrecisionPreference:
        return PrecisionPreference(self.default, *(tuple(item for item in ids if item != voice) for ids in (self.exact, self.fast)))
