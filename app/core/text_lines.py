"""Text from elsewhere as lines: what was pasted, and the content of text files in the encodings of Japan."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from pathlib import PurePath

from app.errors import InputError
from app.language import localized
from app.system_errors import reason_of

SUFFIXES = (".txt", ".csv", ".md")
LONGEST_LINE = 2_000  # characters; laying out a longer one would freeze the window
LONGEST_NAME = 24  # characters of a speaker's name; a longer first column is text
_ENDS = ("。．！？!?…」』", "、，,；; 　")  # preferred places to cut a long line
_MARKDOWN = re.compile(r"^(?:#{1,6}\s+|[-*+]\s+|>\s*|\d+[.)]\s+)+|^(?:-{3,}|\*{3,}|={3,}|```.*)$")


def split_lines(text: str) -> list[str]:
    """Lines that are not empty, without the space and the control characters around them."""
    return [stripped for line in text.splitlines() if (stripped := line.strip("\ufeff").strip())]


def cut_line(line: str) -> list[str]:
    """Splits a line into pieces of at most `LONGEST_LINE` characters: after a sentence if possible, else after a comma or space, else anywhere."""
    pieces = []
    while len(line) > LONGEST_LINE:
        end = _end_within(line)
        pieces.append(line[:end].rstrip())
        line = line[end:].lstrip()
    return [piece for piece in (*pieces, line) if piece] or [line]


def _end_within(line: str) -> int:
    for marks in _ENDS:
        end = max(line.rfind(mark, LONGEST_LINE // 2, LONGEST_LINE) for mark in marks) + 1
        if end:
            return end
    whole = range(LONGEST_LINE, LONGEST_LINE // 2, -1)  # not before a combining mark
    return next((end for end in whole if not unicodedata.combining(line[end]) and line[end] not in "\u200d\ufe0e\ufe0f"), LONGEST_LINE)


def lines_of_file(name: str, data: bytes) -> list[tuple[str, str]]:
    """Lines of a .txt, .csv or .md file as (speaker's name or "", text). Raises InputError when it is no text."""
    text = decode(name, data)
    suffix = PurePath(name).suffix.lower()
    if suffix == ".csv":
        return _csv_lines(text)
    if suffix == ".md":
        text = "\n".join(_MARKDOWN.sub("", line.strip()) for line in text.splitlines())
    return [("", line) for line in split_lines(text)]


def decode(name: str, data: bytes) -> str:
    """UTF-8 or UTF-16 by its mark, UTF-8, then CP932. Raises InputError naming the file when it is none of them."""
    encodings = ("utf-16", "utf-8-sig") if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else ("utf-8-sig", "cp932")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise InputError(
        localized(f"「{name}」はテキストとして読み込めません。", f"“{name}” cannot be read as text."),
        localized("UTF-8 または Shift_JIS で保存したファイルを使ってください。", "Use a file saved as UTF-8 or Shift_JIS."),
    )


def _csv_lines(text: str) -> list[tuple[str, str]]:
    """Pairs where every row has two columns and the first is short enough for a name, else the first column that holds text."""
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text, newline="")) if any(cell.strip() for cell in row)]
    except csv.Error as exc:
        raise InputError(
            localized(f"表として読み込めません。（{reason_of(exc)}）", f"The table cannot be read. ({reason_of(exc)})"),
            localized("CSV 形式（コンマ区切り）で保存し直してください。", "Save it as comma-separated values (CSV)."),
        ) from exc
    if rows and all(len(row) == 2 and len(row[0]) <= LONGEST_NAME for row in rows):
        return [(name, words) for name, words in rows if words]
    return [("", next(cell for cell in row if cell)) for row in rows]
