"""The dictionary that ships with the program."""

from __future__ import annotations

from functools import cache

from app.adapters.openjtalk.choices import has_built_in_words
from app.core.dictionary_data import from_text
from app.core.readings.own_words import OwnWords
from app.errors import InternalError
from app.language import localized
from app.paths import resources_dir

FILE = "readings/words.csv"
_NONE = OwnWords([])


def own_words() -> OwnWords:
    """Its words, none where the user does not want them. Raises InternalError where the file is missing or damaged."""
    return _words() if has_built_in_words() else _NONE


@cache
def _words() -> OwnWords:
    file = resources_dir() / FILE
    try:
        entries, _ = from_text(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as exc:
        raise InternalError(
            localized("付属の辞書を読み込めません。", "The built-in dictionary could not be read."),
            localized("Koebako を再インストールしてください。", "Reinstall Koebako."),
        ) from exc
    return OwnWords(entries)
