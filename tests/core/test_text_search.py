"""Words are found as people mean them, and what is put in their place is all that changes."""

from collections.abc import Collection
from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.script.script import Line, Script
from app.core.script.text_search import SearchMatch, SearchQuery, find_matches, replace_matches

TEXT = st.text(st.sampled_from("あアｱがｶﾞガAaａＡ㌔キロ。、猫"), max_size=30)


def script(*texts: str) -> Script:
    return Script(tuple(Line(text, id=str(index)) for index, text in enumerate(texts)))


def find(within: Script, query: SearchQuery, ids: Collection[str] | None = None) -> list[SearchMatch]:
    return list(chain.from_iterable(find_matches(within, query, ids)))


def words(within: Script, query: SearchQuery, ids: tuple[str, ...] | None = None) -> list[str]:
    texts = {line.id: line.text for line in within.lines}
    return [texts[match.line_id][match.start : match.end] for match in find(within, query, ids)]


def test_kana_width_and_case_make_no_difference_unless_they_should() -> None:
    lines = script("ねことネコとﾈｺ", "ABCとabc", "ｶﾞｷﾞとがぎ", "3㌔")
    assert words(lines, SearchQuery("ネコ")) == ["ねこ", "ネコ", "ﾈｺ"]
    assert words(lines, SearchQuery("ネコ", is_loose=False)) == ["ネコ"]
    assert words(lines, SearchQuery("ａｂｃ")) == ["ABC", "abc"]
    assert words(lines, SearchQuery("ガギ")) == ["ｶﾞｷﾞ", "がぎ"]
    assert words(lines, SearchQuery("キロ")) == ["㌔"]
    assert words(lines, SearchQuery("")) == []
    assert words(lines, SearchQuery("abc"), ("0",)) == []


@pytest.mark.parametrize("loose", [True, False])
@given(text=TEXT, wanted=TEXT)
@example(text="ﾞﾞ", wanted="ﾞ")
def test_nothing_but_what_was_found_changes(text: str, wanted: str, loose: bool) -> None:
    lines = script(text, "猫。")
    found = find(lines, SearchQuery(wanted, is_loose=loose))
    ends = [0, *(match.end for match in found if match.line_id == "0")]
    starts = [*(match.start for match in found if match.line_id == "0"), len(text)]
    kept = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    assert replace_matches(lines, found, "＊").lines[0].text == "＊".join(kept)
    if wanted:
        assert len(find(script(wanted), SearchQuery(wanted, is_loose=loose))) == 1


@given(st.lists(TEXT, max_size=4))
def test_a_script_in_which_nothing_is_found_is_the_same(texts: list[str]) -> None:
    lines = script(*texts)
    assert replace_matches(lines, find(lines, SearchQuery("犬")), "猫") == lines
