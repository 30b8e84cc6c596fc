"""The user's dictionary as the front end takes it: a dictionary of MeCab's own form, and the words that are found before MeCab sees them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from app.adapters.openjtalk.project_words import PROJECT_WORDS
from app.adapters.user_dictionary import Change, change_dictionary, load_dictionary
from app.core.dictionary import Entry, put
from app.core.written_words import WrittenWords, is_analysed
from app.errors import AppError
from app.notices import notify


@dataclass(frozen=True)
class TaughtWords:
    """What the user's dictionary adds.

    Attributes:
        file: MeCab's dictionary; None where no word needs one.
        written: words to be found in the text.
    """

    file: Path | None
    written: WrittenWords


@cache
def taught_words() -> TaughtWords:
    """The words that count until they are forgotten; none, with a notice to the user, where the file cannot be read. Raises InternalError."""
    words, unread = load_dictionary()
    notify(unread)
    return make_ready(put(words, PROJECT_WORDS.entries))


def as_userdic(file: Path) -> dict[str, Any]:
    """Arguments for pyopenjtalk's `OpenJTalk` that load this dictionary and protect its readings from later corrections.

    `userdic` is a comma-separated list, and folder names may contain commas. MeCab 0.996 parses the list as a CSV row, so a quoted path stays
    whole; pyopenjtalk-plus 0.4.1 counts commas regardless of quotes and wants that many flags. Remove this once it takes a list of paths.
    """
    quoted = b'"' + os.fsencode(file).replace(b'"', b'""') + b'"'
    return {"userdic": quoted, "userdic_reading_protection": (True,) * (1 + quoted.count(b","))}


def change_words(change: Change) -> tuple[tuple[Entry, ...], AppError | None]:
    """As `change_dictionary`, and makes the words ready, so that the next sentence does not wait for that. Raises InternalError as well."""
    words, error = change_dictionary(change)
    make_ready(put(words, PROJECT_WORDS.entries))
    return words, error


def prepare_project_words(entries: Sequence[Entry]) -> None:
    """Makes these ready beside the user's own, for a project that is about to use them. Raises InternalError."""
    words, _ = load_dictionary()
    make_ready(put(words, entries))


def make_ready(entries: Sequence[Entry]) -> TaughtWords:
    """What these words are for the front end. Raises InternalError."""
    analysed = {entry.surface for entry in entries if is_analysed(entry)}
    file = None
    if analysed:
        from app.adapters.openjtalk.compiled_dictionary import compiled  # most users have no words of their own

        file = compiled([entry for entry in entries if entry.surface in analysed])
    return TaughtWords(file, WrittenWords([entry for entry in entries if entry.surface not in analysed]))
