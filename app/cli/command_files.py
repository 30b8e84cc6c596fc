"""Reads named or piped input within a limit: files, pipes such as `<(command)`, and standard input; prints a notice while nothing comes.

Files that a command writes in addition to its output are written whole, or not at all.
"""

import codecs
import contextlib
import io
import os
import stat
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO

from app.adapters.files.part_file import PartFile
from app.cli.console_output import open_stdin, print_note
from app.common.errors import InputError
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.core.text.text_lines import UTF8, DecodedText, detect_and_decode
from app.export.safe_file_names import SourceFiles, build_source_error

MAX_INPUT_BYTES = 64 << 20  # this is a hundred novels; a larger input is no text, or has no end
MAX_INPUT_LINE_CHARS = 1_000_000  # characters
SKIP_BLOCK_BYTES = 1 << 16
INPUT_NOTICE_DELAYS_S = (3.0, 30.0, 300.0, 3000.0)  # until each word of what is waited for


def read_named_input(path: Path) -> bytes:
    """Return the content of a file or a pipe; raise InputError if there is none, if it is a device, or if it is too large."""
    try:
        with _announce_waiting(str(path)):
            # Opening a device may have an effect on it, so it is refused before.
            _refuse_device(path.stat(), str(path))
            with path.open("rb") as file:
                return _read_bounded(file, str(path))
    except (OSError, ValueError) as exc:
        # ValueError comes from characters that no file name can have.
        reason = describe_reason(exc) if isinstance(exc, OSError) else localize("使用できないファイル名です", "not a valid file name")
        raise InputError(
            localize(f"「{path}」を読み込めません。（{reason}）", f"“{path}” cannot be read. ({reason})"),
            localize("ファイルの場所を確認してください。", "Check the path."),
        ) from exc


def read_piped_input() -> tuple[bytes, str]:
    """Return all of standard input, and its name; raise the errors of `read_named_input`."""
    stream, name = _open_stdin()
    with _announce_waiting(name, is_person=stream.isatty()):
        return _read_bounded(stream.buffer, name), name


def iterate_piped_lines() -> Iterator[tuple[str, bool]]:
    """Yield each line of standard input without its end, and whether it is complete: of a line beyond `MAX_INPUT_LINE_CHARS` only the start is."""
    stream, name = _open_stdin()
    # UTF-8 takes four bytes a character at most; other encodings have more characters in as many bytes.
    most_bytes = 4 * (MAX_INPUT_LINE_CHARS + 1)
    with _announce_waiting(name, is_person=stream.isatty()):
        line = stream.buffer.readline(most_bytes)
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        lines = decode_text(line + _read_bounded(stream.buffer, name), name).split("\n")
        yield from map(truncate_line, lines if lines[-1] else lines[:-1])
        return
    announced = UTF8
    while line:
        try:
            decoded = detect_and_decode(name, line)
        except InputError:  # UTF-8 that was damaged on the way
            decoded = DecodedText(line.decode("utf-8", "replace"), UTF8)
        if decoded.encoding not in (UTF8, announced):
            print_note(decoded.describe_encoding(name))
            announced = decoded.encoding
        yield from map(truncate_line, decoded.text.removesuffix("\n").removesuffix("\r").split("\r"))
        if len(line) == most_bytes:
            while line and not line.endswith(b"\n"):
                line = stream.buffer.readline(SKIP_BLOCK_BYTES)
        line = stream.buffer.readline(most_bytes)


def truncate_line(line: str) -> tuple[str, bool]:
    """Return the start of a line, and whether it is complete, as `iterate_piped_lines` yields them."""
    return line[:MAX_INPUT_LINE_CHARS], len(line) <= MAX_INPUT_LINE_CHARS


def decode_text(content: bytes, name: str) -> str:
    """Return the text of a file, with Python's line ends, and announce an encoding other than UTF-8; raise InputError if it is no text."""
    decoded = detect_and_decode(name, content)
    if decoded.encoding != UTF8:
        print_note(decoded.describe_encoding(name))
    return decoded.text.replace("\r\n", "\n").replace("\r", "\n")


def _read_bounded(file: BinaryIO, name: str) -> bytes:
    content = file.read(MAX_INPUT_BYTES + 1)
    if len(content) > MAX_INPUT_BYTES:
        most = MAX_INPUT_BYTES >> 20
        raise InputError(
            localize(f"大きすぎます: {name}", f"The input is too large: {name}"),
            localize(f"{most} MB まで読み込めます。分割してお試しください。", f"The limit is {most} MB. Split it up."),
        )
    return content


def _open_stdin() -> tuple[TextIO, str]:
    stream, name = open_stdin(), localize("標準入力", "standard input")
    # A program that embeds the command line may give a stream without a file.
    with contextlib.suppress(io.UnsupportedOperation):
        if not stream.isatty():
            _refuse_device(os.fstat(stream.fileno()), name)
    return stream, name


def _refuse_device(status: os.stat_result, name: str) -> None:
    """Refuse devices such as /dev/zero, which have no end. The null device is as good as an empty file; those of Windows end."""
    is_device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if is_device and sys.platform != "win32" and status.st_rdev != Path(os.devnull).stat().st_rdev:
        raise InputError(
            localize(f"デバイスからは読み込めません: {name}", f"Cannot read from a device: {name}"),
            localize("テキストファイルを指定するか、パイプで渡してください。", "Specify a text file, or pipe the text in."),
        )


@contextmanager
def _announce_waiting(name: str, *, is_person: bool = False) -> Iterator[None]:
    """Announce on stderr what a long wait is for, at growing intervals; a person at a terminal has already been asked."""
    ended = threading.Event()

    def announce_wait() -> None:
        for wait_s in INPUT_NOTICE_DELAYS_S:
            if ended.wait(wait_s):
                return
            print_note(localize(f"入力を待っています: {name}（Ctrl+C で中止）", f"Waiting for input from {name} (Ctrl+C stops)"))

    if not is_person:
        threading.Thread(target=announce_wait, name="waiting", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def check_output_path(target: Path, suffix: str) -> None:
    """Raise InputError for a name of another format, and OutputFileError if nothing can be written, before any work starts."""
    if target.suffix.lower() != suffix:
        raise InputError(
            localize(f"この形式では書き出せません: {target}", f"This format cannot be written: {target}"),
            localize(f"ファイル名の末尾を {suffix} にしてください。", f"Use a file name that ends with {suffix}."),
        )
    PartFile(target).discard()


def refuse_existing_file(target: Path, *, may_replace: bool, sources: Iterable[str | None] = ()) -> None:
    """Raise InputError for a file that exists, unless it may be replaced; for one of those that the command reads, always."""
    name = target.name
    try:
        read = SourceFiles(Path(source) for source in sources if source is not None)
        # A link that the user names is followed.
        is_source = target in read or Path(os.path.realpath(target)) in read
        exists = os.path.lexists(target)
    except (OSError, ValueError):  # a name that no file can have is reported when it is written
        return
    if is_source:
        raise build_source_error(name)
    if exists and not may_replace:
        raise InputError(
            localize(f"「{name}」はすでにあります。", f"“{name}” already exists."),
            localize("上書きするには --replace を付けてください。", "Add --replace to replace it."),
        )


def write_output_file(target: Path, content: bytes) -> None:
    """Write a file that gets its name only once it is complete; raise OutputFileError if that is impossible."""
    file = PartFile(target)
    try:
        file.write(content)
        file.raise_write_error()
    except BaseException:
        file.discard()
        raise
    file.commit()
