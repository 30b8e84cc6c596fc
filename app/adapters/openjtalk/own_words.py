"""The dictionary that ships with the program."""

from __future__ import annotations

from functools import cache

from app.core.dictionary_data import from_text
from app.core.readings.own_words import OwnWords
from app.paths import resources_dir

FILE = "readings/words.csv"


@cache
def own_words() -> OwnWords:
    """Its words. Raises InputError where the file is damaged, OSError where it is missing."""
    entries, _ = from_text((resources_dir() / FILE).read_text(encoding="utf-8"))
    return OwnWords(entries)
