"""Patterns that are left out where a text has none of their signs find what they would find without that."""

import importlib
import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text import normalise
from app.core.text.normalise.characters import LazyPattern

RARE = {
    f"{module.name}.{name}": value
    for module in pkgutil.iter_modules(normalise.__path__)
    for name, value in vars(importlib.import_module(f"{normalise.__name__}.{module.name}")).items()
    if isinstance(value, LazyPattern)
}
SIGNS = "〜/#@→⇒×○△▲□●◎+-—♪IVXwWm()（）①②⑳1２٣9０stdhpPſKCtrlhiftalt=.:,、。あアー一日月年時円さん店_^´<>&;brgH° とや\u3000\n"
EXAMPLES = {
    "punctuation._WAVE_OF_RANGE": "1〜2",
    "punctuation._ALTERNATIVES": "犬/猫",
    "punctuation._HASHTAG": "#犬",
    "punctuation._MENTION": "@ab",
    "punctuation._CROSS_BETWEEN_NAMES": "犬×猫犬",
    "punctuation._CENSORED_NAME": "○○さん",
    "punctuation._SHAPE_ALONE": "◎。",
    "punctuation._SHAPES_RUN": "○○",
    "punctuation._KEY_COMBINATION": "Ctrl+A",
    "ranges._WEEKDAY_IN_BRACKETS": "1(月)",
    "ranges._WEEKDAY_RANGE": "（月）〜（金）",
    "ranges._WEEKDAY_LIST": "(月)(火)",
    "punctuation._LAUGHTER": "犬w",
    "punctuation._POST_ANCHOR": ">>1",
    "latin_words._TWICE_NUMBERED_NAME": "AB1と2",
    "latin_words._NUMBERED_NAME": "ab٣",
    "numbers._NUMERAL": "第II",
    "numbers._NUMERAL_OF_NAME": "犬X",
    "numbers._ORDINAL": "1ſt",
    "numbers._MINUS_SIGN": "犬-1",
    "numbers._NEGATIVE_AMOUNT": "▲5円",
    "punctuation._DRAWN_ARROW": "犬->猫",
    "punctuation._ARROW_BETWEEN_WORDS": "犬→猫",
    "punctuation._ARROW_AT_LINE_END": "→次",
    "characters._SPACE_BETWEEN_JAPANESE": "犬 猫",
    "characters._LETTER_SPACED": "い ぬ が",
    "characters._WORD_BEHIND_DOTS": "…1",
    "characters._TOWN_BEHIND_PREFECTURE": "犬県立犬町",
    "ranges._ERA_YEAR": "H30年",
    "punctuation._BRACKETED_FACE": "(^_^)",
    "punctuation._UNCLOSED_FACE": "(^_^;",
    "punctuation._OTHER_FACES": "T_T",
    "numbers._NUMERAL_LIST": "I・II",
    "ranges._DATE_RANGE": "4/1-4/5",
    "ranges._DAY_BEHIND_DATE": "4/1(土)-2(日)",
    "ranges._TIME_RANGE": "1:00-2:00",
    "ranges._YEAR_RANGE": "2001-2002",
    "ranges._GROUPED_RANGE": "1,000-2,000",
    "ranges._PAGE_RANGE": "p.1-2",
    "ranges._UNIT_LAST_RANGE": "1-2個",
    "ranges._UNIT_TWICE_RANGE": "1個-2個",
    "ranges._RANGE_OF_WEEKDAYS": "月-金",
    "ranges._OPEN_RANGE": "1円〜",
    "ranges._OPEN_WEEKDAY_RANGE": "月曜〜",
    "measurement_units._COUNTED_PER": "1円/g",
    "measurement_units._COMPOUND_UNIT": "mg/dL",
    "measurement_units._DEGREES": "1°F",
    "unspoken_markup._CHAT_TAG": "<@12345678>",
    "unspoken_markup._HTML_TAG": "<br>",
    "unspoken_markup._HTML_ENTITY": "&lt;",
    "numbers._SHOGI_MOVE": "7六歩",
    "numbers._MARKS": "8/10点",
    "numbers._APPLAUSE": "8888",
    "numbers._BATTING_AVERAGE": "率.285",
    "numbers._BODY_TEMPERATURE": "36度5分",
    "numbers._RACE_TIME": "9秒58",
    "numbers._INCIDENT": "二・二六事件",
    "numbers._VERSE": "五・七・五",
    "numbers._DECADE": "80's",
    "unspoken_markup._THOUGHT": "<think>犬</think>",
    "unspoken_markup._ANY_TAG": "<size=1>",
    "unspoken_markup._BOARD_TAG": "[b]",
    "unspoken_markup._PICTURE": "![犬](a.b)",
    "unspoken_markup._LINKED_WORDS": "[犬](a.b)",
    "unspoken_markup._LINK": "http://a.b/c",
}


@pytest.mark.parametrize("name", RARE)
@given(text=st.text(SIGNS, max_size=12))
def test_nothing_is_overlooked(name: str, text: str) -> None:
    assert RARE[name].sub("<>", text) == RARE[name].regex.sub("<>", text)


@pytest.mark.parametrize(("name", "text"), EXAMPLES.items())
def test_it_is_found(name: str, text: str) -> None:
    assert "<>" in RARE[name].sub("<>", text)


def test_each_has_an_example() -> None:
    assert EXAMPLES.keys() == RARE.keys()
