"""Looks at the typed arguments before they are parsed: their letters, and the streams of the results."""

from __future__ import annotations

import itertools
import os
import re
import sys
from typing import Any

from app.common.errors import InputError
from app.common.language import localize

_INVALID_CHARACTERS = re.compile("[\x00\ud800-\udfff]")


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


def is_stdout_audio(arguments: list[str]) -> bool:
    """Return whether stdout carries a WAV, so that JSON has to go to stderr."""
    return any(option in ("-o", "--output") and value == "-" for option, value in itertools.pairwise(arguments)) or (
        "-o-" in arguments or "--output=-" in arguments
    )


def choose_json_stream(arguments: list[str]) -> Any:
    """Return the stream for JSON lines."""
    return sys.stderr if is_stdout_audio(arguments) else sys.stdout
