"""A text becomes lines in the way that was chosen, and splitting and joining lose neither words nor edits."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.core.script.script import Line, LineSettings, Script
from app.core.script.text_division import divide_sentences, divide_text, join_lines, join_texts, split_line
from app.core.synthesis_types import MoraOverride, Overrides

TEXT = "雨が降る。傘を持つ。\n「行くよ。」と言った。\n\n二つ目の段落。\n続き！終わり？"


def test_by_line_sentence_and_paragraph() -> None:
    assert divide_text(TEXT, "line") == ["雨が降る。傘を持つ。", "「行くよ。」と言った。", "二つ目の段落。", "続き！終わり？"]
    assert divide_text(TEXT, "sentence") == ["雨が降る。", "傘を持つ。", "「行くよ。」と言った。", "二つ目の段落。", "続き！", "終わり？"]
    assert divide_text(TEXT, "paragraph") == ["雨が降る。傘を持つ。「行くよ。」と言った。", "二つ目の段落。続き！終わり？"]
    assert divide_text(" \n\ufeff\n", "paragraph") == divide_text("", "sentence") == []
    assert join_texts(["OK", "Google", "です", "A", "1"]) == "OK GoogleですA 1"


@given(st.text(st.sampled_from("あ。！「」\n a\u3000"), max_size=60))
def test_no_letter_is_lost(text: str) -> None:
    letters = "".join(text.split())
    for way in ("line", "sentence", "paragraph"):
        lines = divide_text(text, way)
        assert "".join("".join(lines).split()) == letters
        assert all(lines)
    assert "".join("".join(divide_sentences(text)).split()) == letters


def test_a_line_is_split_and_joined_with_its_settings_and_edits() -> None:
    edits = Overrides(moras=(MoraOverride(0, tone=1),))
    line = Line("雨が降る。傘を持つ。", LineSettings(speed=1.2), edits, "a")
    script = Script((line, Line("次。", id="b")))
    split, pieces = split_line(script, "a", ["雨が降る。", "傘を持つ。"])
    assert [item.text for item in split.lines] == ["雨が降る。", "傘を持つ。", "次。"]
    assert split.lines[0].id == "a"
    assert len({item.id for item in split.lines}) == 3
    assert all(item.settings.speed == 1.2 and item.overrides == replace(edits, text=line.text) for item in pieces)
    joined, one = join_lines(split, [item.id for item in split.lines])
    assert one is not None
    assert (len(joined.lines), one.id, one.text) == (1, "a", "雨が降る。傘を持つ。次。")
    assert join_lines(script, ["a"]) == (script, None)
    assert split_line(script, "a", ["雨が降る。傘を持つ。"])[0] is script
    assert split_line(script, "gone", ["x", "y"]) == (script, [])
