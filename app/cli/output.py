"""What the command line prints: results on stdout, everything else on stderr, JSON as one object a line.

Everything is escaped here, so callers need not know which names come from strangers.
"""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any, TextIO

from app.errors import AppError, InputError
from app.json_text import DISTURBING
from app.language import localized
from app.terminal import one_line, several_lines, write, write_error_line


def use_utf8() -> None:
    """Texts are UTF-8 whatever the console's code page says; lone surrogates must not kill a line."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def json_line(value: dict[str, Any], stream: TextIO | None = None) -> None:
    """Prints one JSON object on a line of its own; numbers that JSON cannot hold become null. Raises as `result`."""
    line = json.dumps(finite_values(value), ensure_ascii=False)
    write(DISTURBING.sub(_escaped, line) + "\n", stream)


def _escaped(found: re.Match[str]) -> str:
    """The character as a JSON escape: the same value, but harmless on a terminal. A lone surrogate has no valid form at all."""
    return "?" if "\ud800" <= found[0] <= "\udfff" else f"\\u{ord(found[0]):04x}"


def result(line: str, stream: TextIO | None = None) -> None:
    """Prints a line of the result for people. Raises OutputFileError, BrokenPipeError."""
    write(one_line(line) + "\n", stream)


def result_lines(text: str) -> None:
    """The same for a text of several lines."""
    write(several_lines(text) + "\n")


def read_stdin() -> TextIO:
    """Standard input; InputError where there is none. A person at a terminal sees that we wait for text."""
    if sys.stdin is None:
        raise InputError(
            localized("標準入力がありません。", "There is no standard input."),
            localized("テキストを引数または -f で指定してください。", "Give the text as an argument or with -f."),
        )
    if sys.stdin.isatty():
        end = "Ctrl+Z, Enter" if sys.platform == "win32" else "Ctrl+D"
        note(localized(f"テキストを入力してください。{end} で終了します。", f"Type the text; {end} ends it."))
    return sys.stdin


def finite_values(value: Any) -> Any:
    """A value as JSON can hold it: numbers that are none are None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite_values(item) for key, item in value.items()}
    return [finite_values(item) for item in value] if isinstance(value, list | tuple) else value


def note(line: str) -> None:
    """A line for people, on stderr."""
    write_error_line(one_line(line))


def note_lines(text: str) -> None:
    """A text of several lines for people, on stderr."""
    write_error_line(several_lines(text))


def answer_to(question: str) -> str:
    """Asks on stderr and reads the answer from stdin, without its line break; empty at the end of input."""
    write_error_line(one_line(question), end=" ")
    return sys.stdin.readline().strip()


def print_error(error: AppError, *, as_json: bool, stream: TextIO | None = None, source: str | None = None) -> None:
    """An error as a sentence and a hint, or as one JSON line; with what it is about, where a command continues with the next."""
    if as_json:
        about: dict[str, Any] = {} if source is None else {"source": source}
        if error.ways:
            about["ways"] = list(error.ways)
        json_line({"error": {"family": error.family, "message": error.message, "hint": error.hint}} | about, stream)
    else:
        note(f"koebako: {error.message}" if source is None else f"koebako: {source}: {error.message}")
        if error.hint:
            note(f"         {error.hint}")
