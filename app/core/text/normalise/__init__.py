"""Raw text to the text that is spoken: numbers with their units, dates, addresses, Latin words and signs as Japanese."""

from app.core.text.emoji_symbols import replace_emoji
from app.core.text.normalise.characters import (
    BOUNDARY_CHAR,
    PLACEHOLDER,
    KeptWord,
    mark_boundaries,
    normalise_characters,
    split_kept_words,
    write_kept_words,
)
from app.core.text.normalise.english_words import convert_spelling
from app.core.text.normalise.historical_kana import convert_to_modern_kana, speak_repeats
from app.core.text.normalise.latin_words import Lookup, Spell, speak_latin
from app.core.text.normalise.measurement_units import speak_units
from app.core.text.normalise.numbers import (
    speak_enclosed,
    speak_half_days,
    speak_marks_of_tests,
    speak_negative_amounts,
    speak_numbers,
    speak_ordinals,
    speak_scores,
)
from app.core.text.normalise.punctuation import (
    convert_to_marks,
    drop_bullets,
    drop_faces,
    join_arrows,
    replace_runs,
    speak_links,
    speak_tags,
)
from app.core.text.normalise.ranges import speak_dates, speak_eras, speak_ranges, speak_times
from app.core.text.normalise.unspoken_markup import speak_addresses

__all__ = ["PLACEHOLDER", "KeptWord", "Lookup", "Spell", "mark_boundaries", "normalise_in_pieces", "normalise_surface", "normalise_text"]


def normalise_text(text: str, lookup: Lookup, spell: Spell = convert_spelling) -> str:
    """Return text ready for the front end: NFKC, Japanese, the marks ! ? , . ' - and nothing else that is not spoken.

    `lookup` gives the reading of a Latin word the dictionary holds, `spell` that of an English word nobody holds. The steps go from the shapes that are hardest to mistake
    (addresses, dates) to the most general (letters, signs), because each uses characters the next would take for its own.
    """
    return write_kept_words(_apply_rules(text, lookup, spell))


def normalise_in_pieces(text: str, lookup: Lookup, spell: Spell = convert_spelling) -> list[str | KeptWord]:
    """Return normalised text in pieces: plain text, or a word for a sign, whose reading must not depend on its neighbours."""
    return split_kept_words(_apply_rules(text, lookup, spell))


def normalise_surface(surface: str) -> str:
    """Return a word with a given reading, with only its characters normalised; nothing in it is read."""
    return write_kept_words(convert_to_marks(normalise_characters(surface))).replace(" ", "")


def _apply_rules(text: str, lookup: Lookup, spell: Spell) -> str:
    text = normalise_characters(speak_enclosed(speak_repeats(replace_emoji(drop_bullets(drop_faces(text)), BOUNDARY_CHAR), lookup)))
    text = speak_negative_amounts(convert_to_modern_kana(replace_runs(join_arrows(text)), lookup))
    text = speak_links(speak_ranges(speak_eras(speak_addresses(speak_tags(text)))))
    text = speak_times(speak_half_days(speak_dates(speak_marks_of_tests(text))))
    text = speak_numbers(speak_scores(speak_units(speak_ordinals(text))))
    return convert_to_marks(speak_latin(text, lookup, spell))
