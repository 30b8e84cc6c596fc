"""Where the user's dictionary lies, and how it is changed: one program at a time, and never half."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.adapters.files.lock import sole_use
from app.adapters.files.part_file import write_error
from app.core.dictionary import Entry
from app.core.dictionary_data import MOST_ENTRIES, from_data, from_text, to_csv, to_data, to_exchange, too_many
from app.core.text_encoding import decode
from app.data_file import load_data, save_data, write_whole
from app.errors import AppError, InputError
from app.language import localized
from app.paths import data_dir
from app.small_file import read_small
from app.system_errors import reason_of
from app.unreadable import UnreadableError

LARGEST_BYTES = 64 << 20  # of a file from elsewhere
Change = Callable[[tuple[Entry, ...]], tuple[Entry, ...]]


def dictionary_path() -> Path:
    """The file; it is not there before the first word."""
    return data_dir() / "dictionary.json"


def load_dictionary() -> tuple[tuple[Entry, ...], UnreadableError | None]:
    """The words; none, and the error to show, where the file cannot be read, of which a copy is kept then."""
    failed = localized("ユーザー辞書を読み込めません。", "The user dictionary cannot be read.")
    found, error = load_data(dictionary_path(), from_data, failed)
    return found or (), error


def known_words() -> tuple[Entry, ...]:
    """The words. Raises InputError where the file cannot be read."""
    entries, error = load_dictionary()
    if error is not None:
        raise error
    return entries


def change_dictionary(change: Change) -> tuple[tuple[Entry, ...], AppError | None]:
    """Lets `change` make other words of them, while no other program does; returns these, and the error of `load_dictionary`.

    Raises InputError where there would be too many, or the file can neither be read nor kept, OutputFileError where it cannot be written.
    """
    path = dictionary_path()
    with sole_use(path):
        entries, error = load_dictionary()
        if error is not None and error.kept is None:
            raise error  # to write would be to lose the words
        changed = change(entries)
        if len(changed) > max(MOST_ENTRIES, len(entries)):
            raise too_many()
        if changed != entries:
            save_data(path, to_data(changed), localized("ユーザー辞書を保存できません", "The user dictionary could not be saved"))
        return changed, error


def read_words(file: Path) -> tuple[list[Entry], list[InputError]]:
    """Words of a file from elsewhere, and what is wrong with the others. Raises InputError for a file that is no dictionary."""
    try:
        content = read_small(file, LARGEST_BYTES)
    except OSError as exc:
        raise _unreadable(file.name, reason_of(exc)) from exc
    return from_text(decode(file.name, content))


def _unreadable(name: str, reason: str) -> InputError:
    return InputError(
        localized(f"「{name}」を読み込めません。（{reason}）", f"“{name}” cannot be read. ({reason})"),
        localized("JSON または CSV ファイルを選んでください。", "Choose a JSON or CSV file."),
    )


def write_words(entries: tuple[Entry, ...], file: Path) -> None:
    """A file for elsewhere, by its suffix: `.csv` is a table, anything else the JSON of VOICEVOX. Raises OutputFileError."""
    write: Callable[[tuple[Entry, ...]], str] = to_csv if file.suffix.lower() == ".csv" else to_exchange
    try:
        write_whole(file, write(entries).encode("utf-8"))
    except OSError as exc:
        raise write_error(file, exc) from exc
