"""Prints results of the command line to stdout, everything else to stderr, and JSON as one object a line.

Everything is escaped here, so callers need not know which names come from strangers. Here are also the typed arguments before they are
parsed: their letters, and the streams of the results that they choose.
"""

import itertools
import json
import math
import os
import re
import sys
from typing import Any, TextIO

from app.common.errors import AppError, InputError
from app.common.files.untrusted_json import DISTURBING_CHARS
from app.common.language import localize
from app.common.processes.terminal import escape_lines, escape_to_one_line, write_error_line, write_text

_INVALID_CHARACTERS = re.compile("[\x00\ud800-\udfff]")


def use_utf8() -> None:
    """Use UTF-8 whatever the console's code page is; lone surrogates must not kill a line."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def print_json(value: dict[str, Any], stream: TextIO | None = None) -> None:
    """Print one JSON object on a line of its own; numbers that JSON cannot hold become null. Raise the errors of `print_result`."""
    line = json.dumps(replace_non_finite(value), ensure_ascii=False)
    write_text(DISTURBING_CHARS.sub(_escape_character, line) + "\n", stream)


def _escape_character(match: re.Match[str]) -> str:
    """Return the character as a JSON escape: the same value, but harmless on a terminal. A lone surrogate has no valid form at all."""
    return "?" if "\ud800" <= match[0] <= "\udfff" else f"\\u{ord(match[0]):04x}"


def print_result(line: str, stream: TextIO | None = None) -> None:
    """Print a line of the result for people; raise OutputFileError or BrokenPipeError."""
    write_text(escape_to_one_line(line) + "\n", stream)


def print_result_lines(text: str) -> None:
    """Print a result of several lines for people; raise OutputFileError or BrokenPipeError."""
    write_text(escape_lines(text) + "\n")


def open_stdin() -> TextIO:
    """Return standard input; raise InputError if there is none. A person at a terminal sees that we wait for text."""
    if sys.stdin is None:
        raise InputError(
            localize("標準入力がありません。", "There is no standard input."),
            localize("テキストを引数または -f で指定してください。", "Give the text as an argument or with -f."),
        )
    if sys.stdin.isatty():
        end = "Ctrl+Z, Enter" if sys.platform == "win32" else "Ctrl+D"
        print_note(localize(f"テキストを入力してください。{end} で終了します。", f"Type the text; {end} ends it."))
    return sys.stdin


def replace_non_finite(value: Any) -> Any:
    """Return a value as JSON can hold it: numbers that are not finite become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: replace_non_finite(item) for key, item in value.items()}
    return [replace_non_finite(item) for item in value] if isinstance(value, list | tuple) else value


def print_note(line: str) -> None:
    """Print a line for people on stderr."""
    write_error_line(escape_to_one_line(line))


def print_localized_note(ja: str, en: str) -> None:
    """Print a line for people on stderr, in the language in use."""
    print_note(localize(ja, en))


def print_record(record: dict[str, Any], line: str, *, as_json: bool) -> None:
    """Print a result: for programs as JSON, for people as a line. Raise the errors of `print_result`."""
    print_json(record) if as_json else print_result(line)


def print_done(record: dict[str, Any], ja: str, en: str, *, as_json: bool) -> None:
    """Print what was done: for programs as JSON, for people as a line on stderr. Raise the errors of `print_result`."""
    print_json(record) if as_json else print_localized_note(ja, en)


def print_note_lines(text: str) -> None:
    """Print a text of several lines for people on stderr."""
    write_error_line(escape_lines(text))


def ask_question(question: str) -> str:
    """Ask on stderr and return the answer from stdin, without its line break; empty at the end of input."""
    write_error_line(escape_to_one_line(question), end=" ")
    return sys.stdin.readline().strip()


def print_error(error: AppError, *, as_json: bool, stream: TextIO | None = None, source: str | None = None) -> None:
    """Print an error as a sentence and a hint, or as one JSON line; `source` names its subject if a command continues with others."""
    if as_json:
        about: dict[str, Any] = {} if source is None else {"source": source}
        if error.ways:
            about["ways"] = list(error.ways)
        print_json({"error": error.convert_to_data()} | about, stream)
    else:
        print_note(f"koebako: {error.message}" if source is None else f"koebako: {source}: {error.message}")
        if error.hint:
            print_note(f"         {error.hint}")


def decode_utf8(argument: str) -> str:
    """Return the argument decoded as UTF-8 whatever the locale; bytes that are not UTF-8 stay lone surrogates, which `check_characters` refuses."""
    try:
        return os.fsencode(argument).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return argument


def check_characters(arguments: list[str]) -> None:
    """Raise InputError for undecodable arguments: with replacement characters the wrong text would be spoken, or the wrong file written."""
    for argument in arguments:
        if _INVALID_CHARACTERS.search(argument):
            raise InputError(
                localize(f"引数に使用できない文字が含まれています: {argument}", f"This argument contains invalid characters: {argument}"),
                localize("UTF-8 で表せる文字だけを使うか、ファイル名を変更してください。", "Use UTF-8, or rename the file."),
            )


def is_json_requested(arguments: list[str]) -> bool:
    """Return whether errors are to be JSON, even errors of the command line itself."""
    return "--json" in arguments or (bool(arguments) and arguments[0] == "g2p")


def choose_json_stream(arguments: list[str]) -> Any:
    """Return the stream for JSON lines: stderr where stdout carries a WAV."""
    carries_wav = any(option in ("-o", "--output") and value == "-" for option, value in itertools.pairwise(arguments))
    return sys.stderr if carries_wav or "-o-" in arguments or "--output=-" in arguments else sys.stdout
