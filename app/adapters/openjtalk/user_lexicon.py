"""The words that the shipped dictionaries and the user's add to the front end: in a dictionary of MeCab's own form, or found before MeCab sees them."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from lzma import LZMAError
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from app.adapters.openjtalk.reading_choices import PROJECT_WORDS, should_use_built_in_words
from app.adapters.user_dictionary import DictionaryChange, change_dictionary, load_dictionary
from app.common.errors import AppError, InternalError
from app.common.files.paths import find_resources_dir
from app.common.language import localize
from app.common.user_notices import show_notice
from app.core.text.dictionary_entries import DictionaryEntry, merge_entries
from app.core.text.dictionary_formats import parse_dictionary_text
from app.core.text.english_phones import ENGLISH_WORDS_FILE, PronouncingDictionary
from app.core.text.readings.place_names import MUNICIPALITIES_FILE, QUARTERS_FILE, STATIONS_FILE, PlaceNames
from app.core.text.readings.shipped_words import ShippedWords, UserWordMatcher, is_analysed

BUILT_IN_WORDS_FILE = "readings/words.csv"
_NO_WORDS, _NO_PLACES = ShippedWords([]), PlaceNames("", str)


def find_built_in_words() -> ShippedWords:
    """Return the words that ship, or none if the user does not want them; raise InternalError if the file is missing or damaged."""
    return _load_words() if should_use_built_in_words() else _NO_WORDS


def find_place_names() -> PlaceNames:
    """Return the list of places, or an empty one if the user does not want what ships; raise InternalError if a file is missing or damaged."""
    return _load_places() if should_use_built_in_words() else _NO_PLACES


@cache
def _load_words() -> ShippedWords:
    return ShippedWords(parse_dictionary_text(_read_resource(BUILT_IN_WORDS_FILE))[0])


@cache
def _load_places() -> PlaceNames:
    return PlaceNames(_read_resource(MUNICIPALITIES_FILE), _read_quarters, _read_resource(STATIONS_FILE))


def _read_quarters(prefecture: str) -> str:
    """Return the quarters of the region that a prefecture is in."""
    return _read_region(next((region for region in _list_regions() if prefecture in region), ""))


@cache
def _list_regions() -> tuple[str, ...]:
    with _open_archive(QUARTERS_FILE) as regions:
        return tuple(regions.namelist())


@lru_cache(maxsize=1)  # that of the whole country would hold three megabytes
def _read_region(region: str) -> str:
    with _open_archive(QUARTERS_FILE) as regions:
        return regions.read(region).decode() if region else ""


@contextmanager
def _open_archive(name: str) -> Iterator[ZipFile]:
    try:
        with ZipFile(find_resources_dir() / name) as archive:
            yield archive
    except (OSError, UnicodeDecodeError, BadZipFile, LZMAError) as exc:
        raise _build_damaged_error() from exc


@cache
def load_english_dictionary() -> PronouncingDictionary:
    """Return the English pronouncing dictionary; it raises InternalError, now or later, if the file is missing or damaged."""
    with _open_archive(ENGLISH_WORDS_FILE) as blocks:
        return PronouncingDictionary(blocks.namelist(), _read_english_block)


@lru_cache(maxsize=16)  # of 62; all of them would hold three megabytes
def _read_english_block(first_word: str) -> str:
    with _open_archive(ENGLISH_WORDS_FILE) as blocks:
        return blocks.read(first_word).decode()


def _read_resource(name: str) -> str:
    try:
        return (find_resources_dir() / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise _build_damaged_error() from exc


def _build_damaged_error() -> InternalError:
    return InternalError(
        localize("付属の辞書を読み込めません。", "The built-in dictionary could not be read."),
        localize("Koebako を再インストールしてください。", "Reinstall Koebako."),
    )


@dataclass(frozen=True)
class UserLexicon:
    """The words that the user's dictionary adds: MeCab's dictionary, None where no word needs one, and words to be found in the text."""

    file: Path | None
    written: UserWordMatcher


@cache
def load_user_lexicon() -> UserLexicon:
    """Return the words in force until they are forgotten; none, with a notice to the user, if the file cannot be read. Raise InternalError."""
    words, unread = ((), None) if PROJECT_WORDS.are_alone else load_dictionary()
    show_notice(unread)
    return build_user_lexicon(merge_entries(words, PROJECT_WORDS.entries))


def build_userdic_arguments(file: Path) -> dict[str, Any]:
    """Return arguments for pyopenjtalk's `OpenJTalk` that load this dictionary and protect its readings from later corrections.

    `userdic` is a comma-separated list, and folder names may contain commas. MeCab 0.996 parses the list as a CSV row, so a quoted path stays
    whole; pyopenjtalk-plus 0.4.1 counts commas regardless of quotes and wants that many flags. Remove this once it takes a list of paths.
    """
    quoted = b'"' + os.fsencode(file).replace(b'"', b'""') + b'"'
    return {"userdic": quoted, "userdic_reading_protection": (True,) * (1 + quoted.count(b","))}


def change_user_entries(change: DictionaryChange) -> tuple[tuple[DictionaryEntry, ...], AppError | None]:
    """Change the entries as `change_dictionary`, and compile them, so that the next sentence does not wait for that; raise InternalError as well."""
    words, error = change_dictionary(change)
    build_user_lexicon(merge_entries(words, PROJECT_WORDS.entries))
    return words, error


def prepare_project_entries(entries: Sequence[DictionaryEntry]) -> None:
    """Compile a project's entries along with the user's own before the project uses them; raise InternalError."""
    words, _ = load_dictionary()
    build_user_lexicon(merge_entries(words, entries))


def build_user_lexicon(entries: Sequence[DictionaryEntry]) -> UserLexicon:
    """Return what these words are for the front end. Raises InternalError."""
    analysed = {entry.surface for entry in entries if is_analysed(entry)}
    file = None
    if analysed:
        # Most users have no words of their own.
        from app.adapters.openjtalk.compiled_dictionary import ensure_compiled_dictionary

        file = ensure_compiled_dictionary([entry for entry in entries if entry.surface in analysed])
    return UserLexicon(file, UserWordMatcher([entry for entry in entries if entry.surface not in analysed]))
