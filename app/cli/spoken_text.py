"""What `koebako speak` is to say: from the command, a file or standard input."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.output import note, read_stdin
from app.errors import InputError
from app.language import say


def spoken_text(options: argparse.Namespace) -> str:
    """The text, the contents of `-f`, or else what comes on standard input. Raises InputError where there is none, or it is no UTF-8."""
    if options.text is not None and options.file is not None:
        raise InputError(
            say("文章とファイルの両方が指定されています。", "Both a text and a file are given."),
            say("どちらか一方にしてください。", "Give one of them."),
        )
    if options.text is not None:
        text = str(options.text)
        if _is_file(text):
            note(
                say(
                    f"「{text}」という名前のファイルがあります。中身を読み上げるには -f を付けてください。",
                    f'There is a file called "{text}"; to speak what it says, give it with -f.',
                )
            )
    elif options.file is not None:
        text = _read_file(Path(options.file))
    else:
        text = read_stdin().read()
        if "\ufffd" in text:
            raise _not_utf8(say("標準入力", "standard input"))
    if not text.strip():
        raise InputError(
            say("読み上げる文章が空です。", "The text is empty."),
            say('例: koebako speak "こんにちは、世界。"', 'For example: koebako speak "こんにちは、世界。"'),
        )
    return text


def _read_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise _not_utf8(str(path)) from exc
    except OSError as exc:
        raise InputError(
            say(f"文章のファイルを開けません: {path}", f"The text file cannot be opened: {path}"),
            say("ファイルの場所を確かめてください。", "Check the path."),
        ) from exc


def _not_utf8(source: str) -> InputError:
    return InputError(
        say(f"UTF-8 として読めません: {source}", f"This is not UTF-8: {source}"),
        say("UTF-8 で保存し直してください。", "Save it again as UTF-8."),
    )


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long, or with a null character
        return False
