"""Raw text to the text that is spoken: numbers with their units, dates, addresses, Latin words and signs as Japanese."""

from __future__ import annotations

from app.core.emoji import drop_emoji
from app.core.normalise.addresses import speak_addresses
from app.core.normalise.characters import PLACEHOLDER, to_plain_characters
from app.core.normalise.dates import speak_dates, speak_times
from app.core.normalise.decoration import drop_faces, plain_runs
from app.core.normalise.latin import Lookup, speak_latin
from app.core.normalise.marks import speak_links, to_marks
from app.core.normalise.numbers import speak_numbers
from app.core.normalise.units import speak_units

__all__ = ["PLACEHOLDER", "Lookup", "normalise", "normalise_surface"]


def normalise(text: str, lookup: Lookup) -> str:
    """Text ready for the front end: NFKC, Japanese, the marks ! ? , . ' - and nothing else that is not spoken.

    `lookup` gives the reading of a Latin word the dictionary holds. The steps go from the shapes that are hardest to mistake
    (addresses, dates) to the most general (letters, signs), because each uses characters the next would take for its own.
    """
    text = speak_links(plain_runs(to_plain_characters(drop_emoji(drop_faces(text)))))
    text = speak_times(speak_dates(speak_addresses(text)))
    return to_marks(speak_latin(speak_numbers(speak_units(text)), lookup))


def normalise_surface(surface: str) -> str:
    """A word whose reading is given: only its characters are put right, nothing in it is read."""
    return to_marks(to_plain_characters(surface)).replace(" ", "")
