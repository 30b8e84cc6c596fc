"""Reads a file of the user whole, and limits the size of an imported script, counted before it is built: a small file can repeat its contents.

Real scripts: a game's 30,000 lines of 40 characters; a line has some 5 phrases and 30 morae, a page of a book in one line 1,000 characters.
"""

from collections import Counter
from pathlib import Path
from typing import Literal

from app.common.errors import InputError
from app.common.files.whole_files import FileTooLargeError, read_with_retry
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.script.characters import MOST_CHARACTERS
from app.core.script.project import MAX_SCRIPT_LINES
from app.core.text.text_lines import MAX_LINE_CHARACTERS

MAX_IMPORTED_LINE_CHARS = 1_400_000  # characters of a line, before it is split into lines that the window can show
MAX_IMPORTED_CHARS = 20_000_000  # of all lines: 100 novels
MAX_IMPORTED_PHRASES = 500_000  # of all lines
MAX_IMPORTED_MORAS = 2_000_000
MAX_PHRASE_MORAS = 1_000  # morae
MAX_MORA_CHARS = 8  # characters
MAX_PHRASES_PER_LINE = MAX_LINE_CHARACTERS  # each phrase has at least one character
MAX_MORAS_PER_LINE = 8 * MAX_LINE_CHARACTERS  # as many as the characters that are read longest have

LARGEST_PROJECT_BYTES, LARGEST_TEXT_BYTES = 64 << 20, 20 << 20

ItemKind = Literal["letters", "names", "characters", "phrases", "moras"]


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
        self._name, self._lines = name, 0
        self._counts: Counter[ItemKind] = Counter()

    def take_text(self, characters: int) -> None:
        """Count a line of so many characters; raise InputError if it is too many."""
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
        self.take_items("letters", characters)

    def take_lines(self, lines: int) -> None:
        """Count lines of the script; raise InputError if they are too many."""
        self._lines += lines
        check_line_count(self._name, self._lines)

    def take_items(self, kind: ItemKind, count: int = 1) -> None:
        """Count more items of a kind; raise InputError if they are too many."""
        self._counts[kind] += count
        match kind:
            case "letters":
                maximum, ja, en = MAX_IMPORTED_CHARS, "文字", "characters"
            case "names":
                maximum, ja, en = MOST_CHARACTERS, "話者・キャラの名前", "names of speakers"
            case "characters":
                maximum, ja, en = MOST_CHARACTERS, "登場人物", "speaking characters"
            case "phrases":
                maximum, ja, en = MAX_IMPORTED_PHRASES, "アクセント句", "accent phrases"
            case "moras":
                maximum, ja, en = MAX_IMPORTED_MORAS, "モーラ", "morae"
        if self._counts[kind] > maximum:
            raise InputError(
                localize(f"「{self._name}」は{ja}が多すぎます。", f"“{self._name}” has too many {en}."),
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
