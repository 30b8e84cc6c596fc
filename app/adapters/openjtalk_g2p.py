"""Text to phones with Open JTalk's front end (pyopenjtalk-plus), by the conventions SBV2 voices were trained with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.adapters import openjtalk_words
from app.adapters.openjtalk_dictionary import taught_words
from app.core.normalise import PLACEHOLDER, normalise, normalise_surface
from app.core.overrides import Piece, analyse_with_readings, beside, find_overrides
from app.core.readings import mend_readings
from app.core.types import Phones, ReadingOverride
from app.core.words import Word, words_to_phones

_PRIVATE = re.compile("[\ue000-\uf8ff]")


class OpenJTalkG2P:
    """Implements `app.core.ports.G2P`. pyopenjtalk is imported at the first call, or by `warm_up`."""

    def warm_up(self) -> None:
        """Loads the dictionaries, so that the first sentence does not wait for them (about half a second)."""
        openjtalk_words.analyse("声の風")  # 風 has two readings, which brings in the second dictionary as well

    def words(self, text: str) -> list[str]:
        """Cuts raw text at word boundaries; the pieces joined are `text`."""
        return openjtalk_words.cut(text)

    def convert(self, text: str, readings: Sequence[ReadingOverride] = ()) -> Phones:
        """Phones of one sentence; unreadable text gives `_ _` and an empty reading.

        Occurrences of `readings` are counted within `text`. An InputError says what is wrong with a reading.
        """
        text = _PRIVATE.sub("", text)
        places = beside(find_overrides(text, readings), taught_words().written.find(text))
        if not places:
            return words_to_phones(_analyse(normalise(text, openjtalk_words.lookup)))
        # A private character holds each place while the rest is normalised.
        marked, end = "", 0
        for start, stop, _ in places:
            marked += text[end:start] + PLACEHOLDER
            end = stop
        normalised = normalise(marked + text[end:], openjtalk_words.lookup)
        first, *others = normalised.split(PLACEHOLDER)
        pieces = [Piece(first)]
        for (_, _, override), following in zip(places, others, strict=True):
            pieces += [Piece(normalise_surface(override.surface), override), Piece(following)]
        return words_to_phones(analyse_with_readings([piece for piece in pieces if piece.text], _analyse))


def _analyse(text: str) -> list[Word]:
    return mend_readings(openjtalk_words.analyse(text))
