"""Text from elsewhere becomes lines, whatever it was written with."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_lines import LONGEST_LINE, cut_line, decode, split_lines, without_markdown
from app.errors import InputError

TEXT = "今日は、晴れ。\r\n\r\n　明日は雨。　\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_the_encodings_of_japan_are_told_apart(encoding: str) -> None:
    assert split_lines(decode("a.txt", TEXT.encode(encoding))) == ["今日は、晴れ。", "明日は雨。"]


@pytest.mark.parametrize("data", [b"\xff\x00\xfe", b"MZ\x00\x00\x01", b"\x81"])
def test_what_is_no_text_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        decode("a.txt", data)
    assert "a.txt" in caught.value.message
    assert caught.value.hint


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
def test_any_utf8_text_is_read_as_it_is(text: str) -> None:
    assert decode("a.txt", b"\xef\xbb\xbf" + text.encode()) == text.removeprefix("\ufeff") or text.startswith("\ufeff")
    assert all(line.strip() and "\n" not in line for line in split_lines(text))


def test_the_marks_of_markdown_are_not_read_aloud() -> None:
    text = "# 題\n\n- 一つ\n1. 二つ\n> 三つ\n---\n本文です。-5 度。\n"
    assert split_lines(without_markdown(text)) == ["題", "一つ", "二つ", "三つ", "本文です。-5 度。"]


@given(st.text(st.sampled_from("あい。、 !e\u0301が\u3099\u200d漢"), min_size=1, max_size=3 * LONGEST_LINE), st.integers(1, 4))
def test_a_long_line_is_cut_and_nothing_is_lost(text: str, times: int) -> None:
    line = (text * times).strip()
    pieces = cut_line(line)
    assert all(len(piece) <= LONGEST_LINE for piece in pieces)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", line)
    if len(line) <= LONGEST_LINE:
        assert pieces == [line]


def test_a_long_line_is_cut_where_a_reader_would_pause() -> None:
    sentence = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。"
    pieces = cut_line(sentence * 200)
    assert all(piece.endswith("。") for piece in pieces)
    assert all(piece.endswith("、") for piece in cut_line(sentence.replace("。", "") * 200)[:-1])
    assert [len(piece) for piece in cut_line("あ" * 4_500)] == [2_000, 2_000, 500]
    assert not any(piece.startswith("\u3099") for piece in cut_line("がぎ".replace("が", "か\u3099") * 2_000))
