"""Reads a file of the user whole, and limits the size of an imported script, counted before it is built: a small file can repeat its contents.

Real scripts: a game's 30,000 lines of 40 characters; a line has some 5 phrases and 30 morae, a page of a book in one line 1,000 characters.
"""

from __future__ import annotations

from pathlib import Path

from app.common.errors import InputError
from app.common.files.atomic_write import read_with_retry
from app.common.files.bounded_read import FileTooLargeError
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.script.characters import MOST_CHARACTERS
from app.core.script.project import MAX_SCRIPT_LINES
from app.core.text.text_lines import MAX_LINE_CHARACTERS

# Characters of a line, before it is split into lines that the window can show.
MAX_IMPORTED_LINE_CHARS = 1_400_000
# Of all lines: 100 novels.
MAX_IMPORTED_CHARS = 20_000_000
MAX_IMPORTED_PHRASES = 500_000  # of all lines
MAX_IMPORTED_MORAS = 2_000_000
MAX_PHRASE_MORAS = 1_000  # morae
MAX_MORA_CHARS = 8  # characters
# Each phrase has at least one character.
MAX_PHRASES_PER_LINE = MAX_LINE_CHARACTERS
# As many as the characters that are read longest have.
MAX_MORAS_PER_LINE = 8 * MAX_LINE_CHARACTERS

LARGEST_PROJECT_BYTES, LARGEST_TEXT_BYTES = 64 << 20, 20 << 20


def check_line_count(name: str, lines: int) -> None:
    """Raise InputError for a file of more lines than a script may have."""
    if lines > MAX_SCRIPT_LINES:
        raise InputError(
            localize(f"「{name}」は行数が多すぎます（{lines:,} 行）。", f"“{name}” has too many lines ({lines:,})."),
            localize(
                f"{MAX_SCRIPT_LINES:,} 行まで読み込めます。ファイルを分けてください。",
                f"The limit is {MAX_SCRIPT_LINES:,}. Split the file.",
            ),
        )


class ImportAllowance:
    """The remaining allowance of a file; raises InputError where a file exceeds it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines = self._characters = self._phrases = self._moras = self._names = self._cast = 0

    def take_text(self, characters: int) -> None:
        """Count a line of so many characters; raise InputError if it is too many."""
        self._characters += characters
        if characters > MAX_IMPORTED_LINE_CHARS:
            raise InputError(
                localize(
                    f"「{self._name}」には長すぎる行があります（{characters:,} 文字）。",
                    f"“{self._name}” has a line that is too long ({characters:,} characters).",
                ),
                localize(
                    f"1 行は {MAX_IMPORTED_LINE_CHARS:,} 文字までです。改行で分けてください。",
                    f"The limit is {MAX_IMPORTED_LINE_CHARS:,}. Break the line.",
                ),
            )
        if self._characters > MAX_IMPORTED_CHARS:
            raise self._build_limit_error(localize("文字", "characters"), MAX_IMPORTED_CHARS)

    def take_lines(self, lines: int) -> None:
        """Count lines of the script; raise InputError if they are too many."""
        self._lines += lines
        check_line_count(self._name, self._lines)

    def take_name(self) -> None:
        """Count the name of a speaker, as a project can hold only so many; raise InputError if it is too many."""
        self._names += 1
        if self._names > MOST_CHARACTERS:
            raise self._build_limit_error(localize("話者・キャラの名前", "names of speakers"), MOST_CHARACTERS)

    def take_character(self) -> None:
        """Count a character, as a project can hold only so many; raise InputError if it is too many."""
        self._cast += 1
        if self._cast > MOST_CHARACTERS:
            raise self._build_limit_error(localize("登場人物", "speaking characters"), MOST_CHARACTERS)

    def take_phrases(self, phrases: int, moras: int) -> None:
        """Count accent phrases with so many morae in all; raise InputError if they are too many."""
        self._phrases += phrases
        self._moras += moras
        if self._phrases > MAX_IMPORTED_PHRASES:
            raise self._build_limit_error(localize("アクセント句", "accent phrases"), MAX_IMPORTED_PHRASES)
        if self._moras > MAX_IMPORTED_MORAS:
            raise self._build_limit_error(localize("モーラ", "morae"), MAX_IMPORTED_MORAS)

    def _build_limit_error(self, unit: str, maximum: int) -> InputError:
        return InputError(
            localize(f"「{self._name}」は{unit}が多すぎます。", f"“{self._name}” has too many {unit}."),
            localize(f"{maximum:,} まで読み込めます。ファイルを分けてください。", f"The limit is {maximum:,}. Split the file."),
        )


def read_file_bytes(path: Path, max_bytes: int = LARGEST_TEXT_BYTES) -> bytes:
    """Return all bytes of a file of any content; raise InputError if it cannot be read."""
    try:
        return read_with_retry(path, max_bytes)
    except FileTooLargeError as exc:
        raise build_too_large_error(path, max_bytes) from exc
    except OSError as exc:
        raise InputError(
            localize(f"「{path.name}」を開けません。", f"“{path.name}” cannot be opened."),
            localize(f"ファイルの場所を確認してください。（{describe_reason(exc)}）", f"Check the path. ({describe_reason(exc)})"),
        ) from exc


def build_too_large_error(path: Path, max_bytes: int) -> InputError:
    """Return the error for a file of more bytes than are read."""
    return InputError(
        localize(f"「{path.name}」は大きすぎます。", f"“{path.name}” is too large."),
        localize(f"{max_bytes >> 20} MB まで読み込めます。", f"The limit is {max_bytes >> 20} MB."),
    )
