"""Text from elsewhere becomes lines, whatever it was written with."""

import re

from hypothesis import given
from hypothesis import strategies as st

from app.core.text.text_lines import MAX_LINE_CHARACTERS, cut_line, split_lines, strip_markdown


def test_the_marks_of_markdown_are_not_read_aloud() -> None:
    text = "# 題\n\n- 一つ\n1. 二つ\n> 三つ\n---\n本文です。-5 度。\n"
    assert split_lines(strip_markdown(text)) == ["題", "一つ", "二つ", "三つ", "本文です。-5 度。"]


@given(st.text(st.sampled_from("あい。、 !e\u0301が\u3099\u200d漢"), min_size=1, max_size=3 * MAX_LINE_CHARACTERS), st.integers(1, 4))
def test_a_long_line_is_cut_and_nothing_is_lost(text: str, times: int) -> None:
    line = (text * times).strip()
    pieces = cut_line(line)
    assert all(len(piece) <= MAX_LINE_CHARACTERS for piece in pieces)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", line)
    if len(line) <= MAX_LINE_CHARACTERS:
        assert pieces == [line]


def test_a_long_line_is_cut_where_a_reader_would_pause() -> None:
    sentence = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。"
    pieces = cut_line(sentence * 200)
    assert all(piece.endswith("。") for piece in pieces)
    assert all(piece.endswith("、") for piece in cut_line(sentence.replace("。", "") * 200)[:-1])
    assert [len(piece) for piece in cut_line("あ" * 4_500)] == [2_000, 2_000, 500]
    assert not any(piece.startswith("\u3099") for piece in cut_line("がぎ".replace("が", "か\u3099") * 2_000))
