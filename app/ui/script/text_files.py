"""Text files that become lines."""

from __future__ import annotations

from pathlib import Path

from app.core.text_lines import lines_of_file
from app.errors import InputError
from app.language import localized
from app.small_file import TooLargeError, read_small
from app.system_errors import reason_of

LONGEST_FILE = 20_000_000  # bytes; a longer one is no script


def read_pairs(file: Path) -> list[tuple[str, str]]:
    """(speaker's name or "", text) of each line of a text file; InputError where there is none."""
    pairs = lines_of_file(file.name, _read(file))
    if not pairs:
        raise InputError(
            localized(f"「{file.name}」にはテキストがありません。", f"“{file.name}” contains no text."),
            localized(
                "読み上げるテキストを入力して保存してから、もう一度お試しください。",
                "Add the text to read aloud, save the file and try again.",
            ),
        )
    return pairs


def _read(file: Path) -> bytes:
    try:
        return read_small(file, LONGEST_FILE)
    except TooLargeError as exc:
        raise InputError(
            localized(f"「{file.name}」は大きすぎます。", f"“{file.name}” is too large."),
            localized("20 MB まで読み込めます。", "The limit is 20 MB."),
        ) from exc
    except OSError as exc:
        raise InputError(
            localized(f"「{file.name}」を開けません。", f"“{file.name}” cannot be opened."),
            localized(f"ファイルの場所を確認してください。（{reason_of(exc)}）", f"Check the path. ({reason_of(exc)})"),
        ) from exc
