"""Words are found as people mean them, and what is put in their place is all that changes."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.script import Line, Script
from app.core.text_search import Match, Query, find_by_line, substitute

TEXT = st.text(st.sampled_from("あアｱがｶﾞガAaａＡ㌔キロ。、猫"), max_size=30)


def script(*texts: str) -> Script:
    return Script(tuple(Line(text, id=str(index)) for index, text in enumerate(texts)))


def find(within: Script, query: Query, ids: Collection[str] | None = None) -> list[Match]:
    return list(chain.from_iterable(find_by_line(within, query, ids)))


def words(within: Script, query: Query, ids: tuple[str, ...] | None = None) -> list[str]:
    texts = {line.id: line.text for line in within.lines}
    return [texts[match.line_id][match.start : match.end] for match in find(within, query, ids)]


def test_kana_width_and_case_make_no_difference_unless_they_should() -> None:
    lines = script("ねことネコとﾈｺ", "ABCとabc", "ｶﾞｷﾞとがぎ", "3㌔")
    assert words(lines, Query("ネコ")) == ["ねこ", "ネコ", "ﾈｺ"]
    assert words(lines, Query("ネコ", loose=False)) == ["ネコ"]
    assert words(lines, Query("ａｂｃ")) == ["ABC", "abc"]
    assert words(lines, Query("ガギ")) == ["ｶﾞｷﾞ", "がぎ"]
    assert words(lines, Query("キロ")) == ["㌔"]
    assert words(lines, Query("")) == []
    assert words(lines, Query("abc"), ("0",)) == []


@pytest.mark.parametrize("loose", [True, False])
@given(text=TEXT, wanted=TEXT)
def test_nothing_but_what_was_found_changes(text: str, wanted: str, loose: bool) -> None:
    lines = script(text, "猫。")
    found = find(lines, Query(wanted, loose=loose))
    ends = [0, *(match.end for match in found if match.line_id == "0")]
    starts = [*(match.start for match in found if match.line_id == "0"), len(text)]
    kept = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    assert substitute(lines, found, "＊").lines[0].text == "＊".join(kept)
    if wanted:
        assert len(find(script(wanted), Query(wanted, loose=loose))) == 1


@given(st.lists(TEXT, max_size=4))
def test_a_script_in_which_nothing_is_found_is_the_same(texts: list[str]) -> None:
    lines = script(*texts)
    assert substitute(lines, find(lines, Query("犬")), "猫") == lines
