"""The dictionary that ships with the program."""

from functools import cache

from app.adapters.openjtalk.reading_choices import should_use_built_in_words
from app.common.errors import InternalError
from app.common.files.paths import find_resources_dir
from app.common.language import localize
from app.core.text.dictionary_formats import parse_dictionary_text
from app.core.text.readings.shipped_words import ShippedWords

BUILT_IN_WORDS_FILE = "readings/words.csv"
_NO_WORDS = ShippedWords([])


def find_built_in_words() -> ShippedWords:
    """Return the words that ship, or none if the user does not want them; raise InternalError if the file is missing or damaged."""
    return _load_words() if should_use_built_in_words() else _NO_WORDS


@cache
def _load_words() -> ShippedWords:
    file = find_resources_dir() / BUILT_IN_WORDS_FILE
    try:
        entries, _ = parse_dictionary_text(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as exc:
        raise InternalError(
            localize("付属の辞書を読み込めません。", "The built-in dictionary could not be read."),
            localize("Koebako を再インストールしてください。", "Reinstall Koebako."),
        ) from exc
    return ShippedWords(entries)
