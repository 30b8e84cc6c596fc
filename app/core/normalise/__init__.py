"""Raw text to the text that is spoken: numbers with their units, dates, addresses, Latin words and signs as Japanese."""

from __future__ import annotations

from app.core.emoji import replace_emoji
from app.core.normalise.addresses import speak_addresses
from app.core.normalise.arrows import join_arrows
from app.core.normalise.boundaries import BOUNDARY, mark_boundaries
from app.core.normalise.characters import PLACEHOLDER, to_plain_characters
from app.core.normalise.dates import speak_dates, speak_eras, speak_times
from app.core.normalise.decoration import drop_bullets, plain_runs
from app.core.normalise.enclosed import speak_enclosed
from app.core.normalise.faces import drop_faces
from app.core.normalise.historical import modern_kana
from app.core.normalise.kept_words import KeptWord, split_kept, write_out
from app.core.normalise.latin import Lookup, Spell, speak_latin
from app.core.normalise.marks import speak_links, speak_tags, to_marks
from app.core.normalise.numbers import speak_numbers
from app.core.normalise.ordinals import speak_half_days, speak_ordinals
from app.core.normalise.ranges import speak_ranges
from app.core.normalise.repeats import speak_repeats
from app.core.normalise.scores import speak_negative_amounts, speak_scores
from app.core.normalise.spelling import spelled_kana
from app.core.normalise.units import speak_units

__all__ = ["PLACEHOLDER", "KeptWord", "Lookup", "Spell", "mark_boundaries", "normalise", "normalise_in_pieces", "normalise_surface"]


def normalise(text: str, lookup: Lookup, spell: Spell = spelled_kana) -> str:
    """Text ready for the front end: NFKC, Japanese, the marks ! ? , . ' - and nothing else that is not spoken.

    `lookup` gives the reading of a Latin word the dictionary holds, `spell` that of an English word nobody holds. The steps go from the shapes that are hardest to mistake
    (addresses, dates) to the most general (letters, signs), because each uses characters the next would take for its own.
    """
    return write_out(_normalise(text, lookup, spell))


def normalise_in_pieces(text: str, lookup: Lookup, spell: Spell = spelled_kana) -> list[str | KeptWord]:
    """The same in pieces: plain text, or a word for a sign, whose reading must not depend on what stands beside it."""
    return split_kept(_normalise(text, lookup, spell))


def normalise_surface(surface: str) -> str:
    """A word whose reading is given: only its characters are put right, nothing in it is read."""
    return write_out(to_marks(to_plain_characters(surface))).replace(" ", "")


def _normalise(text: str, lookup: Lookup, spell: Spell) -> str:
    text = to_plain_characters(speak_enclosed(speak_repeats(replace_emoji(drop_bullets(drop_faces(text)), BOUNDARY), lookup)))
    text = speak_negative_amounts(modern_kana(plain_runs(join_arrows(text)), lookup))
    text = speak_links(speak_ranges(speak_eras(speak_addresses(speak_tags(text)))))
    text = speak_times(speak_half_days(speak_dates(text)))
    text = speak_numbers(speak_scores(speak_units(speak_ordinals(text))))
    return to_marks(speak_latin(text, lookup, spell))
