"""Reads the text of `koebako speak` from the command, a file or standard input."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.bounded_input import decode_text, read_named_input, read_piped_input
from app.cli.console_output import print_note
from app.common.errors import InputError
from app.common.language import localize


def read_spoken_text(options: argparse.Namespace) -> str:
    """The text, the contents of `-f`, or else what comes on standard input. Raises InputError where there is none, or no text."""
    if options.text is not None and options.file is not None:
        raise InputError(
            localize("テキストとファイルの両方が指定されています。", "Both a text and a file were given."),
            localize("どちらか一方だけを指定してください。", "Give only one of them."),
        )
    if options.text is not None:
        text = str(options.text)
        if _is_file(text):
            print_note(
                localize(
                    f"「{text}」という名前のファイルがあります。ファイルの内容を読み上げるには -f を付けてください。",
                    f"There is a file named “{text}”. To speak its content, use -f.",
                )
            )
    elif options.file is not None:
        text = decode_text(read_named_input(Path(options.file)), options.file)
    else:
        text = decode_text(*read_piped_input())
    if not text.strip():
        raise InputError(
            localize("読み上げるテキストが空です。", "The text is empty."),
            localize('例: koebako speak "こんにちは、世界。"', 'For example: koebako speak "こんにちは、世界。"'),
        )
    return text


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        # A text is no path if it is too long or has a null character.
        return False
