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
SIGNS = "〜/#@→×○△□●◎+-♪IVXwWm()（）①②⑳1２٣9０stdhſKCtrlhiftalt=.:,、。あアー一日月さん店_^ とや\n"
EXAMPLES = {
    "marks._RANGE": "1〜2",
    "marks._ALTERNATIVES": "犬/猫",
    "marks._TAG": "#犬",
    "marks._MENTION": "@ab",
    "marks._ARROW": "東→西",
    "marks._CROSS": "犬×猫犬",
    "marks._HIDDEN": "○○さん",
    "marks._SHAPE_ALONE": "◎。",
    "marks._SHAPES_RUN": "○○",
    "marks._KEYS": "Ctrl+A",
    "dates._WEEKDAY": "1(月)",
    "dates._WEEKDAY_RANGE": "（月）〜（金）",
    "dates._WEEKDAY_LIST": "(月)(火)",
    "decoration._KAOMOJI": "(^_^)",
    "decoration._LAUGHTER": "犬w",
    "latin_phrases._NUMBERED_TWICE": "AB1と2",
    "latin_phrases._NUMBERED": "ab٣",
    "ordinals._NUMERAL": "第II",
    "ordinals._NUMERAL_OF_NAME": "犬X",
    "ordinals._ORDINAL": "1ſt",
    "scores._MINUS": "犬-1",
    "characters._CIRCLED": "⑳犬",
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
