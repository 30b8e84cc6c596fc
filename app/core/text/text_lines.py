"""Text from elsewhere, pasted or of a file: its encoding, recognised by its bytes, and its lines."""

import codecs
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from app.common.errors import InputError
from app.common.language import localize
from app.core.text.notation.explicit_notation import parse_noted_text

TEXT_SUFFIXES = (".txt", ".csv", ".md")
MAX_LINE_CHARACTERS = 2_000  # laying out a line with more characters would freeze the window
MAX_NAME_CHARACTERS = 24  # characters of a speaker's name; a longer first column is text
_PREFERRED_CUTS = ("。．！？!?…」』", "、，,；; 　")  # a long line is cut after a sentence if it can be, else at a comma or space
_MARKDOWN_MARKS = re.compile(r"^(?:#{1,6}\s+|[-*+]\s+|>\s*|\d+[.)]\s+)+|^(?:-{3,}|\*{3,}|={3,}|```.*)$")

UTF8, UTF16, EUC_JP = "UTF-8", "UTF-16", "EUC-JP"
_Codec = tuple[str, str]  # Python's name, and the one for people
_BYTE_ORDER_MARKS: tuple[tuple[bytes, _Codec], ...] = (
    (codecs.BOM_UTF8, ("utf-8", UTF8)),
    (codecs.BOM_UTF16_LE, ("utf-16", UTF16)),
    (codecs.BOM_UTF16_BE, ("utf-16", UTF16)),
)
_JIS_ESCAPE = re.compile(rb"\x1b(?:\$[@B]|\([IJ])")  # ISO-2022-JP switches between its character sets with these escapes
_ANY_KANA = re.compile("[ぁ-ゖァ-ヺ]")
_STRAY_CHARS = re.compile("[\x80\uf8f0-\uf8f3]")
_USUAL_CHARS = re.compile("[\t\n\r -~§°±×÷\u2010-\u203b\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]")
MIN_USUAL_SHARE = 0.9  # share of a text's characters; the bytes of other data decode to characters from everywhere
MAX_BROKEN_SHARE = 0.1  # share of the non-ASCII characters: up to here the file is UTF-8 with a fault; as CP932 all of it would be wrong


def split_lines(text: str) -> list[str]:
    """Return the lines that are not empty, without the space and the byte order marks around them."""
    return [stripped for line in text.splitlines() if (stripped := line.strip("\ufeff").strip())]


def cut_line(line: str, *, memos: bool = False) -> list[str]:
    """Split a line into pieces of at most `MAX_LINE_CHARACTERS` characters: after a sentence, else after a comma or space, else anywhere.

    Notation that is short enough stays whole; `memos` as `app.core.text.notation.explicit_notation.parse_noted_text` has them.
    """
    if len(line) <= MAX_LINE_CHARACTERS:
        return [line]
    pieces = []
    while len(line) > MAX_LINE_CHARACTERS:
        end = _find_cut(line)
        end = parse_noted_text(line[: 2 * MAX_LINE_CHARACTERS], memos=memos).find_notation(end)[0] or end
        pieces.append(line[:end].rstrip())
        line = line[end:].lstrip()
    return [piece for piece in (*pieces, line) if piece] or [line]


def _find_cut(line: str) -> int:
    for marks in _PREFERRED_CUTS:
        end = max(line.rfind(mark, MAX_LINE_CHARACTERS // 2, MAX_LINE_CHARACTERS) for mark in marks) + 1
        if end:
            return end
    # A cut before a combining mark would tear it from its letter.
    ends = range(MAX_LINE_CHARACTERS, MAX_LINE_CHARACTERS // 2, -1)
    return next(
        (end for end in ends if not unicodedata.combining(line[end]) and line[end] not in "\u200d\ufe0e\ufe0f"), MAX_LINE_CHARACTERS
    )


def strip_markdown(text: str) -> str:
    """Return the text without the marks of headings, lists and quotes."""
    return "\n".join(_MARKDOWN_MARKS.sub("", line.strip()) for line in text.splitlines())


class DecodedText(NamedTuple):
    """The text of a file, without its byte order mark; `encoding` is the name of the file's encoding."""

    text: str
    encoding: str

    def describe_encoding(self, name: str) -> str:
        """Return a message for an encoding that was recognised rather than agreed on; empty for UTF-8."""
        if self.encoding == UTF8:
            return ""
        return localize(f"「{name}」を {self.encoding} として読み込みました。", f"“{name}” was read as {self.encoding}.")


def decode_text(name: str, data: bytes) -> str:
    """Return the text of a file. Raises InputError, which names the file and the cause."""
    return detect_and_decode(name, data).text


def detect_and_decode(name: str, data: bytes) -> DecodedText:
    """Return the text of a file and its encoding. Raises InputError as `decode_text`.

    The order is: UTF-8 or UTF-16 by their marks, ISO-2022-JP by its escapes, UTF-8, UTF-16 without a mark, EUC-JP, CP932.
    """
    failures: list[tuple[UnicodeDecodeError, str]] = []
    without_kana: DecodedText | None = None
    for codec, encoding in _list_candidates(data):
        try:
            decoded = DecodedText(_decode_strictly(data, codec).removeprefix("\ufeff"), encoding)
        except UnicodeDecodeError as exc:
            failures.append((exc, encoding))
            continue
        if "\0" in decoded.text:
            raise _create_binary_error(name)
        if encoding != EUC_JP or _ANY_KANA.search(decoded.text):
            return decoded
        without_kana = decoded
    if without_kana is not None:
        return without_kana
    raise _create_unreadable_error(name, _describe_cause(data, failures)) if failures else _create_binary_error(name)


def _list_candidates(data: bytes) -> Iterator[_Codec]:
    """Yield the most certain codec first; none for data that is no text."""
    for mark, codec in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            yield codec
            return
    # UTF-16 has a zero byte in each Latin letter and line end, other encodings of text have none.
    if b"\0" in data:
        unmarked = "utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be"
        text = data.decode(unmarked, "replace")
        if len(_USUAL_CHARS.findall(text)) >= MIN_USUAL_SHARE * len(text):
            yield unmarked, UTF16
        return
    if _JIS_ESCAPE.search(data):
        yield "iso2022_jp_2004", "ISO-2022-JP"
    yield "utf-8", UTF8
    text = data.decode("utf-8", "replace")
    non_ascii = len(text) - len(text.encode("ascii", "ignore"))
    if text.count("\ufffd") > MAX_BROKEN_SHARE * non_ascii:  # it is no damaged UTF-8
        # Kana of CP932 are no EUC-JP, and kana of EUC-JP are half-width kana and rare kanji in CP932.
        yield "euc_jis_2004", EUC_JP
        yield "cp932", "Shift_JIS"


def _decode_strictly(data: bytes, codec: str) -> str:
    """Decode as `bytes.decode`, but raise UnicodeDecodeError for bytes that are not CP932."""
    text = data.decode(codec)
    # Python decodes some bytes that are none of CP932 to characters of private use instead of an error.
    if codec == "cp932" and (stray := _STRAY_CHARS.search(text)):
        byte_index = len(text[: stray.start()].encode(codec))
        raise UnicodeDecodeError(codec, data, byte_index, byte_index + 1, "no character")
    return text


def _describe_cause(data: bytes, failures: list[tuple[UnicodeDecodeError, str]]) -> str:
    """Return the place of the first wrong byte for the encoding that came farthest."""
    error, encoding = max(failures, key=lambda item: item[0].start)
    line = data.count(b"\n", 0, error.start) + 1
    byte = f"0x{data[error.start]:02X}"
    return localize(
        f"{line:,} 行目に {encoding} ではないバイト（{byte}）があります。", f"Line {line:,} has a byte ({byte}) that is not {encoding}."
    )


def _create_unreadable_error(name: str, cause: str) -> InputError:
    return InputError(
        localize(f"「{name}」はテキストとして読み込めません。{cause}", f"“{name}” cannot be read as text. {cause}"),
        localize("UTF-8 または Shift_JIS で保存したファイルを使ってください。", "Use a file saved as UTF-8 or Shift_JIS."),
    )


def _create_binary_error(name: str) -> InputError:
    return _create_unreadable_error(name, localize("バイナリーファイルです。", "It is a binary file."))
