"""Patterns that are left out where a text has none of their signs find what they would find without that."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import normalise
from app.core.normalise.rare import RarePattern

RARE = {
    f"{module.name}.{name}": value
    for module in pkgutil.iter_modules(normalise.__path__)
    for name, value in vars(importlib.import_module(f"{normalise.__name__}.{module.name}")).items()
    if isinstance(value, RarePattern)
}
SIGNS = "〜/#@→⇒×○△▲□●◎+-—♪IVXwWm()（）①②⑳1２٣9０stdhpPſKCtrlhiftalt=.:,、。あアー一日月年時円さん店_^´<>&;brgH° とや\u3000\n"
EXAMPLES = {
    "marks._RANGE": "1〜2",
    "marks._ALTERNATIVES": "犬/猫",
    "marks._TAG": "#犬",
    "marks._MENTION": "@ab",
    "marks._CROSS": "犬×猫犬",
    "marks._HIDDEN": "○○さん",
    "marks._SHAPE_ALONE": "◎。",
    "marks._SHAPES_RUN": "○○",
    "marks._KEYS": "Ctrl+A",
    "dates._WEEKDAY": "1(月)",
    "dates._WEEKDAY_RANGE": "（月）〜（金）",
    "dates._WEEKDAY_LIST": "(月)(火)",
    "decoration._LAUGHTER": "犬w",
    "decoration._ANCHOR": ">>1",
    "latin_phrases._NUMBERED_TWICE": "AB1と2",
    "latin_phrases._NUMBERED": "ab٣",
    "ordinals._NUMERAL": "第II",
    "ordinals._NUMERAL_OF_NAME": "犬X",
    "ordinals._ORDINAL": "1ſt",
    "scores._MINUS": "犬-1",
    "scores._AMOUNT_BELOW_NOUGHT": "▲5円",
    "arrows._DRAWN": "犬->猫",
    "arrows._BETWEEN": "犬→猫",
    "arrows._AT_AN_END": "→次",
    "boundaries._SPACE": "犬 猫",
    "boundaries._LETTERED": "い ぬ が",
    "dates._ERA_YEAR": "H30年",
    "faces._BRACKETED": "(^_^)",
    "faces._OPEN": "(^_^;",
    "faces._OTHERS": "T_T",
    "ordinals._LISTED": "I・II",
    "ranges._DATES": "4/1-4/5",
    "ranges._DAY_BEHIND_DATE": "4/1(土)-2(日)",
    "ranges._TIMES": "1:00-2:00",
    "ranges._YEARS": "2001-2002",
    "ranges._GROUPED": "1,000-2,000",
    "ranges._PAGES": "p.1-2",
    "ranges._BARE_FIRST": "1-2個",
    "ranges._UNIT_FIRST": "1個-2個",
    "ranges._WEEKDAYS": "月-金",
    "ranges._OPEN": "1円〜",
    "ranges._OPEN_WEEKDAY": "月曜〜",
    "units._COUNTED_PER": "1円/g",
    "units._COMPOUND": "mg/dL",
    "units._DEGREES": "1°F",
    "unspoken._CHAT": "<@12345678>",
    "unspoken._HTML": "<br>",
    "unspoken._ENTITY": "&lt;",
    "unspoken._LINK": "http://a.b/c",
}


@pytest.mark.parametrize("name", RARE)
@settings(max_examples=60)
@given(text=st.text(SIGNS, max_size=12))
def test_nothing_is_overlooked(name: str, text: str) -> None:
    assert RARE[name].sub("<>", text) == RARE[name].compiled.sub("<>", text)


@pytest.mark.parametrize(("name", "text"), EXAMPLES.items())
def test_it_is_found(name: str, text: str) -> None:
    assert "<>" in RARE[name].sub("<>", text)


def test_each_has_an_example() -> None:
    assert EXAMPLES.keys() == RARE.keys()
