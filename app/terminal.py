r"""The only place that prints. Control characters in names of voices and files, or in answers of servers, never reach the terminal.

An escape sequence could recolour, overwrite or forge what the user reads, or even type an answer. It is escaped as `\x1b` or `\u202e`, and a
line break within a line as `\n`, the way Python and git do it.
"""

from __future__ import annotations

import contextlib
import re
import sys
from typing import TextIO

from app.errors import AppError, OutputFileError
from app.json_text import DISTURBING
from app.language import localized
from app.system_errors import reason_of


def one_line(text: str) -> str:
    """The text on a single line, with control characters, line breaks included, escaped."""
    return several_lines(text.replace("\n", r"\n"))


def several_lines(text: str) -> str:
    """The same for a text that keeps its line breaks."""
    return DISTURBING.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    letter = ord(found[0])
    return f"\\x{letter:02x}" if letter < 0x100 else f"\\u{letter:04x}"


def write(text: str, stream: TextIO | None = None) -> None:
    """Writes text that is already escaped, to stdout by default. Raises OutputFileError, or BrokenPipeError when the reader has gone."""
    try:
        print(text, end="", file=stream or sys.stdout, flush=True)
    except BrokenPipeError:
        raise
    except OSError as exc:
        reason = reason_of(exc)
        raise OutputFileError(
            localized(f"結果を書き出せません：{reason}。", f"The result could not be written: {reason}."),
            localized("標準出力のリダイレクト先を確認してください。", "Check where standard output is redirected."),
        ) from exc


def write_error_line(text: str, end: str = "\n") -> None:
    """Writes a message to stderr. A stderr that is closed or full must not stop the work."""
    with contextlib.suppress(OSError, ValueError):
        print(several_lines(text), end=end, file=sys.stderr, flush=True)


def report_failure(error: AppError) -> None:
    """Prints an error where there is no command line to print it: in a child process, or before the window opens."""
    write_error_line(f"koebako: {one_line(error.message)}")
    if error.hint:
        write_error_line(f"  → {one_line(error.hint)}")
