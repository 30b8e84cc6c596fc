"""What was typed, before it is parsed: its letters, and where its results go."""

from __future__ import annotations

import itertools
import os
import re
import sys
from typing import Any

from app.errors import InputError
from app.language import localized

_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def as_utf8(argument: str) -> str:
    """The argument decoded as UTF-8 whatever the locale; bytes that are not UTF-8 stay lone surrogates, which `check_letters` refuses."""
    try:
        return os.fsencode(argument).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return argument


def check_letters(arguments: list[str]) -> None:
    """Raises InputError for undecodable arguments: with replacement characters the wrong text would be spoken, or the wrong file written."""
    for argument in arguments:
        if _NO_TEXT.search(argument):
            raise InputError(
                localized(f"引数に使用できない文字が含まれています: {argument}", f"This argument contains invalid characters: {argument}"),
                localized("UTF-8 で表せる文字だけを使うか、ファイル名を変更してください。", "Use UTF-8, or rename the file."),
            )


def wants_json(arguments: list[str]) -> bool:
    """Whether errors are to be JSON, even errors of the command line itself."""
    return "--json" in arguments or (bool(arguments) and arguments[0] == "g2p")


def stdout_is_sound(arguments: list[str]) -> bool:
    """Whether stdout carries a WAV, so that JSON has to go to stderr."""
    return any(option in ("-o", "--output") and value == "-" for option, value in itertools.pairwise(arguments)) or (
        "-o-" in arguments or "--output=-" in arguments
    )


def json_stream(arguments: list[str]) -> Any:
    """Where JSON lines go."""
    return sys.stderr if stdout_is_sound(arguments) else sys.stdout
