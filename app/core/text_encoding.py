"""Text from elsewhere as characters: Unicode, and the older encodings of Japan, recognised by what is in the file."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from app.errors import InputError
from app.language import localized

UTF8, UTF16, EUC_JP = "UTF-8", "UTF-16", "EUC-JP"
_Codec = tuple[str, str]  # Python's name, and the one for people
_MARKS: tuple[tuple[bytes, _Codec], ...] = (
    (codecs.BOM_UTF8, ("utf-8", UTF8)),
    (codecs.BOM_UTF16_LE, ("utf-16", UTF16)),
    (codecs.BOM_UTF16_BE, ("utf-16", UTF16)),
)
_JIS = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")  # how ISO-2022-JP changes between its sets of characters
_KANA = re.compile("[ぁ-ゖァ-ヺ]")
_STRAY = re.compile("[\x80\uf8f0-\uf8f3]")
_USUAL = re.compile("[\t\n\r -~§°±×÷\u2010-\u203b\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
LEAST_USUAL = 0.9  # of the characters of a text; bytes of anything else make characters from everywhere
MOST_BROKEN = 0.1  # of what is no ASCII: up to here it is UTF-8 with a fault, read as CP932 all of it would be wrong


class Decoded(NamedTuple):
    """The text of a file, without its mark; `encoding` is the name of what it was written in."""

    text: str
    encoding: str

    def note(self, name: str) -> str:
        """What to say of an encoding that was recognised rather than agreed on; empty for UTF-8."""
        if self.encoding == UTF8:
            return ""
        return localized(f"「{name}」を {self.encoding} として読み込みました。", f"“{name}” was read as {self.encoding}.")


def decode(name: str, data: bytes) -> str:
    """The text of a file. Raises InputError, which names the file and the cause."""
    return decoded(name, data).text


def decoded(name: str, data: bytes) -> Decoded:
    """UTF-8 or UTF-16 by its mark, ISO-2022-JP by its escapes, UTF-8, UTF-16 without a mark, EUC-JP, CP932. Raises InputError as `decode`."""
    failures: list[tuple[UnicodeDecodeError, str]] = []
    without_kana: Decoded | None = None
    for codec, shown in _candidates(data):
        try:
            found = Decoded(_characters(data, codec).removeprefix("\ufeff"), shown)
        except UnicodeDecodeError as exc:
            failures.append((exc, shown))
            continue
        if "\0" in found.text:
            raise _binary(name)
        if shown != EUC_JP or _KANA.search(found.text):
            return found
        without_kana = found
    if without_kana is not None:
        return without_kana
    raise _unreadable(name, _cause(data, failures)) if failures else _binary(name)


def _candidates(data: bytes) -> Iterator[_Codec]:
    """The most certain first; none for what is no text."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            yield codec
            return
    if b"\0" in data:  # UTF-16 has one in each Latin letter and line end
        unmarked = "utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be"
        if _is_usual(data.decode(unmarked, "replace")):
            yield unmarked, UTF16
        return
    if _JIS.search(data):
        yield "iso2022_jp_2004", "ISO-2022-JP"
    yield "utf-8", UTF8
    if not _is_damaged_utf8(data):
        # Kana of CP932 are no EUC-JP, and kana of EUC-JP are half-width kana and rare kanji in CP932.
        yield "euc_jis_2004", EUC_JP
        yield "cp932", "Shift_JIS"


def _characters(data: bytes, codec: str) -> str:
    """As `bytes.decode`, but that Python gives some bytes that are none of CP932 a character of private use."""
    text = data.decode(codec)
    if codec == "cp932" and (stray := _STRAY.search(text)):
        place = len(text[: stray.start()].encode(codec))
        raise UnicodeDecodeError(codec, data, place, place + 1, "no character")
    return text


def _is_damaged_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    others = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") <= MOST_BROKEN * others


def _is_usual(text: str) -> bool:
    return len(_USUAL.findall(text)) >= LEAST_USUAL * len(text)


def _cause(data: bytes, failures: list[tuple[UnicodeDecodeError, str]]) -> str:
    """Where the encoding that came farthest ends."""
    error, encoding = max(failures, key=lambda item: item[0].start)
    line = data.count(b"\n", 0, error.start) + 1
    byte = f"0x{data[error.start]:02X}"
    return localized(
        f"{line:,} 行目に {encoding} ではないバイト（{byte}）があります。", f"Line {line:,} has a byte ({byte}) that is not {encoding}."
    )


def _unreadable(name: str, cause: str) -> InputError:
    return InputError(
        localized(f"「{name}」はテキストとして読み込めません。{cause}", f"“{name}” cannot be read as text. {cause}"),
        localized("UTF-8 または Shift_JIS で保存したファイルを使ってください。", "Use a file saved as UTF-8 or Shift_JIS."),
    )


def _binary(name: str) -> InputError:
    return _unreadable(name, localized("バイナリーファイルです。", "It is a binary file."))
