"""What `koebako speak` is to say: from the command, a file or standard input."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.named_input import read_named, read_piped, text_of
from app.cli.output import note
from app.errors import InputError
from app.language import localized


def spoken_text(options: argparse.Namespace) -> str:
    """The text, the contents of `-f`, or else what comes on standard input. Raises InputError where there is none, or no text."""
    if options.text is not None and options.file is not None:
        raise InputError(
            localized("テキストとファイルの両方が指定されています。", "Both a text and a file were given."),
            localized("どちらか一方だけを指定してください。", "Give only one of them."),
        )
    if options.text is not None:
        text = str(options.text)
        if _is_file(text):
            note(
                localized(
                    f"「{text}」という名前のファイルがあります。ファイルの内容を読み上げるには -f を付けてください。",
                    f"There is a file named “{text}”. To speak its content, use -f.",
                )
            )
    elif options.file is not None:
        text = text_of(read_named(Path(options.file)), options.file)
    else:
        text = text_of(*read_piped())
    if not text.strip():
        raise InputError(
            localized("読み上げるテキストが空です。", "The text is empty."),
            localized('例: koebako speak "こんにちは、世界。"', 'For example: koebako speak "こんにちは、世界。"'),
        )
    return text


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long, or with a null character
        return False
