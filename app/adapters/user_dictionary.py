"""Where the user's dictionary lies, and how it is changed: one program at a time, and never half."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.adapters.file_lock import FileLock
from app.core.dictionary import Entry
from app.core.dictionary_data import from_data, from_text, to_csv, to_data, to_exchange
from app.data_file import load_data, save_data, write_whole
from app.errors import AppError, InputError, OutputFileError
from app.language import say
from app.paths import data_dir

LARGEST_BYTES = 64 << 20
LONGEST_WAIT_S = 10.0
Change = Callable[[tuple[Entry, ...]], tuple[Entry, ...]]


def dictionary_path() -> Path:
    """The file; it is not there before the first word."""
    return data_dir() / "dictionary.json"


def load_dictionary() -> tuple[tuple[Entry, ...], AppError | None]:
    """The words; none, and what to tell, where the file cannot be read, of which a copy is kept then."""
    failed = say("ユーザー辞書を読めません。", "The user dictionary cannot be read.")
    found, error = load_data(dictionary_path(), _read, failed)
    return found or (), error


def change_dictionary(change: Change) -> tuple[tuple[Entry, ...], AppError | None]:
    """Lets `change` make other words of them, while no other program does; returns these, and what `load_dictionary` tells. OutputFileError."""
    failed = say("ユーザー辞書を保存できません", "The user dictionary cannot be saved")
    path = dictionary_path()
    lock = FileLock(path.with_suffix(".lock"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.wait(LONGEST_WAIT_S)
    except OSError as exc:
        raise OutputFileError(
            f"{failed}: {path}",
            say(f"フォルダーに書き込めるか確かめてください。（{exc.strerror}）", f"Check that the folder is writable. ({exc.strerror})"),
        ) from exc
    try:
        entries, error = load_dictionary()
        changed = change(entries)
        if changed != entries:
            save_data(path, to_data(changed), failed)
        return changed, error
    finally:
        lock.release()


def read_words(file: Path) -> tuple[list[Entry], list[InputError]]:
    """Words of a file from elsewhere, and what is wrong with the others. Raises InputError for a file that is no dictionary."""
    try:
        if file.stat().st_size > LARGEST_BYTES:
            raise ValueError(say("大きすぎます", "too large"))
        return from_text(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else str(exc)
        raise InputError(
            say(f"「{file.name}」を読めません。（{reason}）", f"“{file.name}” cannot be read. ({reason})"),
            say("UTF-8 の JSON か CSV を選んでください。", "Choose a JSON or CSV file in UTF-8."),
        ) from exc


def write_words(entries: tuple[Entry, ...], file: Path) -> None:
    """A file for elsewhere, by its suffix: `.csv` is a table, anything else the JSON of VOICEVOX. Raises OutputFileError."""
    write: Callable[[tuple[Entry, ...]], str] = to_csv if file.suffix.lower() == ".csv" else to_exchange
    try:
        write_whole(file, write(entries).encode("utf-8"))
    except OSError as exc:
        raise OutputFileError(
            say(f"「{file}」に書き込めません。", f"“{file}” could not be written."),
            say(f"フォルダーに書き込めるか確かめてください。（{exc.strerror}）", f"Check that the folder is writable. ({exc.strerror})"),
        ) from exc


def _read(data: object) -> tuple[Entry, ...]:
    try:
        return from_data(data)
    except InputError as error:
        raise ValueError(error.message) from error
