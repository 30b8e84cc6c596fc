"""What users name or pipe in: files, pipes such as `<(command)`, and standard input. Read within a limit, with a word while nothing comes."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from app.cli.output import note, read_stdin
from app.core.text_encoding import UTF8, Decoded, decoded
from app.errors import InputError
from app.language import localized
from app.system_errors import reason_of

LARGEST_BYTES = 64 << 20  # a hundred novels; what can be larger is no text, or has no end
LONGEST_LINE = 1_000_000  # characters
SKIPPED_AT_ONCE = 1 << 16
WAITS_S = (3.0, 30.0, 300.0, 3000.0)  # until each word of what is waited for


def read_named(path: Path) -> bytes:
    """The content of a file or a pipe. Raises InputError where there is none, where it is a device, and where it is too large."""
    try:
        with _waiting_for(str(path)):
            _refuse_device(path.stat(), str(path))  # before it is opened, which may do something to a device
            with path.open("rb") as file:
                return _read(file, str(path))
    except (OSError, ValueError) as exc:  # ValueError: letters that no name can have
        reason = reason_of(exc) if isinstance(exc, OSError) else localized("使用できないファイル名です", "not a valid file name")
        raise InputError(
            localized(f"「{path}」を読み込めません。（{reason}）", f"“{path}” cannot be read. ({reason})"),
            localized("ファイルの場所を確認してください。", "Check the path."),
        ) from exc


def read_piped() -> tuple[bytes, str]:
    """All of standard input, and what it is called. Raises InputError as `read_named` does."""
    stream, name = _stdin()
    with _waiting_for(name, is_person=stream.isatty()):
        return _read(stream.buffer, name), name


def piped_lines() -> Iterator[tuple[str, bool]]:
    """Each line of standard input without its end, and whether that is all of it: of one beyond `LONGEST_LINE` it is the start."""
    stream, name = _stdin()
    most_bytes = 4 * (LONGEST_LINE + 1)  # of UTF-8; other encodings have more characters in as many
    with _waiting_for(name, is_person=stream.isatty()):
        line = stream.buffer.readline(most_bytes)
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        lines = text_of(line + _read(stream.buffer, name), name).split("\n")
        yield from map(_cut, lines if lines[-1] else lines[:-1])
        return
    announced = UTF8
    while line:
        found = _line_of(line, name)
        if found.encoding not in (UTF8, announced):
            note(found.note(name))
            announced = found.encoding
        yield from map(_cut, found.text.removesuffix("\n").removesuffix("\r").split("\r"))
        if len(line) == most_bytes:
            while line and not line.endswith(b"\n"):
                line = stream.buffer.readline(SKIPPED_AT_ONCE)
        line = stream.buffer.readline(most_bytes)


def _line_of(line: bytes, name: str) -> Decoded:
    """What is no text in any encoding is one that was damaged on the way."""
    try:
        return decoded(name, line)
    except InputError:
        return Decoded(line.decode("utf-8", "replace"), UTF8)


def _cut(line: str) -> tuple[str, bool]:
    return line[:LONGEST_LINE], len(line) <= LONGEST_LINE


def text_of(content: bytes, name: str) -> str:
    """The text of a file, with the line ends of Python; an encoding other than UTF-8 is announced. Raises InputError where it is no text."""
    found = decoded(name, content)
    if found.encoding != UTF8:
        note(found.note(name))
    return found.text.replace("\r\n", "\n").replace("\r", "\n")


def _read(file: BinaryIO, name: str) -> bytes:
    content = file.read(LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:
        most = LARGEST_BYTES >> 20
        raise InputError(
            localized(f"大きすぎます: {name}", f"The input is too large: {name}"),
            localized(f"{most} MB まで読み込めます。分割してお試しください。", f"The limit is {most} MB. Split it up."),
        )
    return content


def _stdin() -> tuple[TextIO, str]:
    stream, name = read_stdin(), localized("標準入力", "standard input")
    with contextlib.suppress(io.UnsupportedOperation):  # a stream without a file, from a program that embeds the command line
        if not stream.isatty():
            _refuse_device(os.fstat(stream.fileno()), name)
    return stream, name


def _refuse_device(status: os.stat_result, name: str) -> None:
    """Devices such as /dev/zero have no end. The null device is as good as an empty file; those of Windows end."""
    is_device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if is_device and sys.platform != "win32" and status.st_rdev != Path(os.devnull).stat().st_rdev:
        raise InputError(
            localized(f"デバイスからは読み込めません: {name}", f"Cannot read from a device: {name}"),
            localized("テキストファイルを指定するか、パイプで渡してください。", "Specify a text file, or pipe the text in."),
        )


@contextmanager
def _waiting_for(name: str, *, is_person: bool = False) -> Iterator[None]:
    """Says on stderr what is waited for, where that takes long, rarer and rarer; a person at a terminal has seen it before."""
    over = threading.Event()

    def announce() -> None:
        for wait_s in WAITS_S:
            if over.wait(wait_s):
                return
            note(localized(f"入力を待っています: {name}（Ctrl+C で中止）", f"Waiting for input from {name} (Ctrl+C stops)"))

    if not is_person:
        threading.Thread(target=announce, name="waiting", daemon=True).start()
    try:
        yield
    finally:
        over.set()
