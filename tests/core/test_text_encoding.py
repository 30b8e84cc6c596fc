"""Files of text are read whatever they were written in, and where that is impossible the cause is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import InputError
from app.common.language import set_language
from app.core.text.text_lines import decode_text, detect_and_decode, split_lines

TEXT = "今日は、①晴れ。\r\n\r\n　明日は雨。　\n"
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp932": "Shift_JIS",
    "euc_jis_2004": "EUC-JP",
    "iso2022_jp_2004": "ISO-2022-JP",
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_encodings_of_japan_are_told_apart(encoding: str) -> None:
    found = detect_and_decode("a.txt", TEXT.encode(encoding))
    assert (found.text, found.encoding) == (TEXT, ENCODINGS[encoding])
    assert split_lines(found.text) == ["今日は、①晴れ。", "明日は雨。"]


@pytest.mark.parametrize("text", ["ｶﾀｶﾅ､ﾀﾞｹ。", "東京都", "あ", "カタカナ", "東京ﾄ", "Ａ", "ﾃｽﾄ,ﾃｽﾄ\n" * 9])
def test_short_texts_are_shift_jis(text: str) -> None:
    assert decode_text("a.txt", text.encode("cp932")) == text


@pytest.mark.parametrize("text", ["東京都", "カタカナ", "ひらがな\n東京"])
def test_short_texts_of_euc_jp(text: str) -> None:
    assert decode_text("a.txt", text.encode("euc_jp")) == text


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"\xff\x00\xfe", "binary file"),
        (b"\0\xff\0\xfe" * 9, "binary file"),
        (b"MZ\x00\x00\x01", "binary file"),
        (bytes(range(1, 256)) + bytes(1), "binary file"),
        (b"\x81", "Line 1 has a byte (0x81)"),
        ("一行目。\n二行目です。".encode() + b"\xe3\x81\n", "Line 2 has a byte (0xE3) that is not UTF-8"),
        (("長い文です。" * 99 + "\n").encode() + b"\xff" + ("まだ続きます。" * 99).encode(), "Line 2 has a byte (0xFF) that is not UTF-8"),
        ("あ\n".encode("cp932") + b"\xff", "Line 2 has a byte (0xFF) that is not Shift_JIS"),
        (b"\xef\xbb\xbf\xff", "Line 1 has a byte (0xFF) that is not UTF-8"),
        (b"\xff\xfeB0\x00\xd8", "that is not UTF-16"),
    ],
)
def test_what_is_no_text_is_refused_with_its_cause(data: bytes, cause: str) -> None:
    set_language("en")
    with pytest.raises(InputError) as caught:
        decode_text("a.txt", data)
    assert "a.txt" in caught.value.message
    assert cause in caught.value.message
    assert caught.value.hint


def test_an_encoding_that_was_recognised_is_announced() -> None:
    set_language("ja")
    assert detect_and_decode("a.txt", TEXT.encode("cp932")).describe_encoding("a.txt") == "「a.txt」を Shift_JIS として読み込みました。"
    assert detect_and_decode("a.txt", TEXT.encode()).describe_encoding("a.txt") == ""


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_any_utf8_text_is_read_as_it_is(text: str) -> None:
    assert decode_text("a.txt", b"\xef\xbb\xbf" + text.encode()) == text.removeprefix("\ufeff") or text.startswith("\ufeff")
    assert all(line.strip() and "\n" not in line for line in split_lines(text))
