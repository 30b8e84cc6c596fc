"""The file of the user's dictionary and its changes: one program at a time, and never half."""

from collections.abc import Callable
from pathlib import Path

from app.adapters.files.file_lock import lock_path_for_change
from app.adapters.files.part_file import build_write_error
from app.common.errors import AppError, InputError
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import CorruptFileError, load_data, read_bounded, save_data, write_file_atomically
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.text.dictionary_entries import DictionaryEntry
from app.core.text.dictionary_formats import (
    MAX_DICTIONARY_ENTRIES,
    convert_entries_to_data,
    create_too_many_error,
    format_entries_csv,
    format_exchange_json,
    parse_dictionary_text,
    parse_entries,
)
from app.core.text.text_lines import decode_text

MAX_DICTIONARY_BYTES = 64 << 20  # of a file from elsewhere
DictionaryChange = Callable[[tuple[DictionaryEntry, ...]], tuple[DictionaryEntry, ...]]


def find_dictionary_path() -> Path:
    """Return the path of the file, which does not exist before the first word."""
    return find_data_dir() / "dictionary.json"


def load_dictionary() -> tuple[tuple[DictionaryEntry, ...], CorruptFileError | None]:
    """Return the words; none, and the error to show, if the file cannot be read; a copy of it is kept then."""
    failed = localize("ユーザー辞書を読み込めません。", "The user dictionary cannot be read.")
    entries, error = load_data(find_dictionary_path(), parse_entries, failed)
    return entries or (), error


def read_user_entries() -> tuple[DictionaryEntry, ...]:
    """Return the words; raise InputError if the file cannot be read."""
    entries, error = load_dictionary()
    if error is not None:
        raise error
    return entries


def change_dictionary(change: DictionaryChange) -> tuple[tuple[DictionaryEntry, ...], AppError | None]:
    """Let `change` replace the words, while no other program does; return the new ones, and the error of `load_dictionary`.

    Raises InputError where there would be too many, or the file can neither be read nor kept, OutputFileError where it cannot be written.
    """
    path = find_dictionary_path()
    with lock_path_for_change(path):
        entries, error = load_dictionary()
        if error is not None and error.backup is None:
            # To write would be to lose the words.
            raise error
        changed = change(entries)
        if len(changed) > max(MAX_DICTIONARY_ENTRIES, len(entries)):
            raise create_too_many_error()
        if changed != entries:
            failed = localize("ユーザー辞書を保存できません", "The user dictionary could not be saved")
            save_data(path, convert_entries_to_data(changed), failed)
        return changed, error


def import_entries(file: Path) -> tuple[list[DictionaryEntry], list[InputError]]:
    """Return the words of a file from elsewhere, and an error for each unusable one; raise InputError if the file is no dictionary."""
    try:
        content = read_bounded(file, MAX_DICTIONARY_BYTES)
    except OSError as exc:
        reason = describe_reason(exc)
        raise InputError(
            localize(f"「{file.name}」を読み込めません。（{reason}）", f"“{file.name}” cannot be read. ({reason})"),
            localize("JSON または CSV ファイルを選んでください。", "Choose a JSON or CSV file."),
        ) from exc
    return parse_dictionary_text(decode_text(file.name, content))


def _refuse_own_file(file: Path) -> None:
    try:
        is_own = file.samefile(find_dictionary_path())
    except (OSError, ValueError):  # one of them is not there; what is no name is reported when it is written
        return
    if is_own:
        english = f"“{file.name}” is the user dictionary, and cannot be replaced."
        raise InputError(
            localize(f"「{file.name}」はユーザー辞書なので、上書きできません。", english),
            localize("別の名前を指定してください。", "Choose another name."),
        )


def export_entries(entries: tuple[DictionaryEntry, ...], file: Path) -> None:
    """Write a CSV table by the suffix `.csv`, else the JSON of VOICEVOX; raise InputError for the dictionary itself, OutputFileError."""
    _refuse_own_file(file)
    write: Callable[[tuple[DictionaryEntry, ...]], str] = format_entries_csv if file.suffix.lower() == ".csv" else format_exchange_json
    try:
        write_file_atomically(file, write(entries).encode("utf-8"))
    except OSError as exc:
        raise build_write_error(file, exc) from exc
