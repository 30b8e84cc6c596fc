r"""The only place that prints. Control characters in names of voices and files, or in answers of servers, never reach the terminal.

An escape sequence could recolour, overwrite or forge what the user reads, or even type an answer. It is escaped as `\x1b` or `\u202e`, and a
line break within a line as `\n`, the way Python and git do it.
"""

import contextlib
import re
import sys
from typing import TextIO

from app.common.errors import AppError, OutputFileError
from app.common.files.untrusted_json import DISTURBING_CHARS
from app.common.language import localize
from app.common.system_errors import describe_reason


def escape_to_one_line(text: str) -> str:
    """Return the text on a single line, with control characters, line breaks included, escaped."""
    return escape_lines(text.replace("\n", r"\n"))


def escape_lines(text: str) -> str:
    """Return the text with control characters escaped, but with its line breaks."""
    return DISTURBING_CHARS.sub(_escape_match, text)


def _escape_match(match: re.Match[str]) -> str:
    letter = ord(match[0])
    return f"\\x{letter:02x}" if letter < 0x100 else f"\\u{letter:04x}"


def write_text(text: str, stream: TextIO | None = None) -> None:
    """Write text that is already escaped, to stdout by default; raise OutputFileError, or BrokenPipeError if the reader has gone."""
    try:
        print(text, end="", file=stream or sys.stdout, flush=True)
    except BrokenPipeError:
        raise
    except OSError as exc:
        reason = describe_reason(exc)
        raise OutputFileError(
            localize(f"結果を書き出せません：{reason}。", f"The result could not be written: {reason}."),
            localize("標準出力のリダイレクト先を確認してください。", "Check where standard output is redirected."),
        ) from exc


def write_error_line(text: str, end: str = "\n") -> None:
    """Write a message to stderr. A stderr that is closed or full must not stop the work."""
    with contextlib.suppress(OSError, ValueError):
        print(escape_lines(text), end=end, file=sys.stderr, flush=True)


def report_error(error: AppError) -> None:
    """Print an error where no command line prints it: in a child process, or before the window opens."""
    write_error_line(f"koebako: {escape_to_one_line(error.message)}")
    if error.hint:
        write_error_line(f"  → {escape_to_one_line(error.hint)}")
