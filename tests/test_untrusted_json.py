"""The one reader of JSON: what may be written is read as it is, whatever else is refused, and nothing takes long."""

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.files.untrusted_json import (
    MAX_INT64,
    MAX_JSON_VALUES,
    MAX_NESTING,
    MAX_NUMBER_DIGITS,
    parse_json,
    parse_object,
    parse_object_lines,
    require_int,
    require_number,
    sanitise_long_text,
    sanitise_short_text,
)

TEXTS = st.text(st.characters(exclude_categories=()))  # lone surrogates too
LEAVES = st.none() | st.booleans() | st.integers(-MAX_INT64, MAX_INT64) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5), max_leaves=30)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@given(VALUES, st.booleans(), st.sampled_from([None, 0, 1]))
def test_what_json_writes_is_read_equal(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert parse_json(text) == value
    assert parse_json(text, is_lenient=True) == value
    if ascii_only:
        assert parse_json(b"\xef\xbb\xbf" + text.encode()) == value


@given(VALUES, st.randoms(use_true_random=False))
def test_a_damaged_text_gives_a_value_or_a_value_error(value: Any, rng: random.Random) -> None:
    text = json.dumps([value, {"a": 1}])
    for damaged in (text[: rng.randrange(len(text))], _changed(text, rng), _changed(_changed(text, rng), rng)):
        for forgiving in (False, True):
            try:
                parse_json(damaged, is_lenient=forgiving)
            except ValueError:
                continue


def _changed(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    return text[:at] + rng.choice('[]{}",:\\-+eE0123456789 \n\x00\ud800あ') * rng.choice((1, 1, 40)) + text[at + rng.choice((0, 1)) :]


@given(VALUES)
def test_depth_is_counted_outside_of_strings(value: Any) -> None:
    """However full of brackets, quotes and backslashes the strings are."""
    noise = '["\\[[{{' * 60
    for depth, fits in ((MAX_NESTING - 1, True), (MAX_NESTING, False)):
        text = "[" * depth + json.dumps([noise, noise + "\\", '"', "\\"]) + "]" * depth
        if fits:
            assert parse_json(text)
        else:
            with pytest.raises(ValueError, match="nested too deeply"):
                parse_json(text)


@pytest.mark.parametrize("forgiving", [False, True])
@pytest.mark.parametrize("text", [nested(MAX_NESTING), '{"a":' * MAX_NESTING + "1" + "}" * MAX_NESTING, json.dumps("[" * 100_000), "[]"])
def test_what_is_deep_enough(text: str, forgiving: bool) -> None:
    assert parse_json(text, is_lenient=forgiving) is not None


@pytest.mark.parametrize("forgiving", [False, True])
@pytest.mark.parametrize(
    "text", [nested(MAX_NESTING + 1), "[" * 100_000, '{"a":' * 300_000, nested(100_000), '[{"a":' * 60 + "1" + "}]" * 60]
)
def test_what_is_too_deep(text: str, forgiving: bool) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(text, is_lenient=forgiving)


def test_values_are_counted_before_they_are_made() -> None:
    assert len(parse_json(json.dumps([0] * MAX_JSON_VALUES))) == MAX_JSON_VALUES
    for text in (json.dumps([0] * (MAX_JSON_VALUES + 1)), "[" + "[],{}," * MAX_JSON_VALUES, "[" * 101 + '""' * 3 * MAX_JSON_VALUES):
        with pytest.raises(ValueError, match="too many values"):
            parse_json(text)
    assert parse_json(json.dumps([0] * (MAX_JSON_VALUES + 1)), most_values=MAX_JSON_VALUES + 1)
    assert parse_json(json.dumps("[{," * MAX_JSON_VALUES)), "letters of a text are no values"


@pytest.mark.parametrize("digits", ["9" * MAX_NUMBER_DIGITS, "-" + "9" * MAX_NUMBER_DIGITS, str(2**64 - 1), "0", "-0"])
def test_whole_numbers(digits: str) -> None:
    assert parse_json(digits) == parse_json(digits, is_lenient=True) == int(digits)


ODD_NUMBERS = ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" * 309, "9" * (MAX_NUMBER_DIGITS + 1), "-" + "9" * 5000, "9" * 100_000]


@pytest.mark.parametrize("digits", ODD_NUMBERS)
def test_other_numbers_are_refused_or_no_numbers(digits: str) -> None:
    with pytest.raises(ValueError, match=r"no JSON|digits|range"):
        parse_json(f"[{digits}]")
    (value,) = parse_json(f"[{digits}]", is_lenient=True)
    assert isinstance(value, float)
    assert math.isnan(value)
    for read in (require_number, lambda number: require_int(number, -MAX_INT64, MAX_INT64)):
        with pytest.raises(ValueError, match="number"):
            read(value)


def test_a_name_stands_for_one_value() -> None:
    with pytest.raises(ValueError, match="twice"):
        parse_object('{"a": 1, "b": {}, "a": 2}')
    assert parse_json('{"a": 1, "a": 2}', is_lenient=True) == {"a": 2}


@pytest.mark.parametrize(
    "text", ["", " ", "[", "nul", "'a'", '"a', "[1,]", "{1: 2}", "\ufeff[]", "[] []", b"\xff\xfe[\x00]\x00", b'"\x80"']
)
def test_what_is_no_json(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"Expecting|Unterminated|Extra|Illegal|BOM|codec|Invalid"):
        parse_json(text)


@pytest.mark.parametrize("text", ["[]", "1", '"a"', "null", "true"])
def test_what_is_no_object(text: str) -> None:
    with pytest.raises(ValueError, match="no object"):
        parse_object(text)


@pytest.mark.parametrize(
    "text",
    [
        '["' + "\\" * 4_000_000,
        '["' * 200 + '"' * 4_000_000,
        "[" * 200 + '"\\"' * 1_000_000,
        "[" + "-" * 4_000_000,
        "[0." + "1" * 4_000_000 + "]",
        "[1e" + "9" * 4_000_000 + "]",
        "[" + "9" * 4_000_000 + "]",
        '{"' + "a" * 4_000_000 + '": 1}',
        "[" * 499_999,
        '{"a":' * 400_000,
        " " * 4_000_000,
        "\n" * 4_000_000 + "x",
    ],
    ids=lambda text: text[:4] + text[-3:],
)
def test_nothing_takes_long(text: str) -> None:
    """No clock is watched: whatever is quadratic in one of these takes hours."""
    for forgiving in (False, True):
        try:
            parse_json(text, is_lenient=forgiving)
        except ValueError:
            continue


@pytest.mark.parametrize("value", [1.5, True, "1", None, [], math.nan, 10**400, -1, 11])
def test_what_is_no_whole_number_of_a_range(value: Any) -> None:
    with pytest.raises(ValueError, match="no whole number"):
        require_int(value, 0, 10)


@pytest.mark.parametrize("value", ["1", None, True, [], math.nan, math.inf, 10**400, 1j])
def test_what_is_no_finite_number(value: Any) -> None:
    with pytest.raises(ValueError, match="no number"):
        require_number(value)
    assert isinstance(require_number(3), float)


def test_names_and_texts_lose_what_disturbs() -> None:
    assert sanitise_short_text(" a\n\x1b[31m\u202eb\tc ") == "a [31mb c"
    assert sanitise_long_text("a\r\nb\u200b\ud800") == "a\nb"
    assert sanitise_short_text("あ" * 5000) == "あ" * 200
    for read in (sanitise_short_text, sanitise_long_text):
        with pytest.raises(ValueError, match="no text"):
            read(3)


def test_objects_among_lines() -> None:
    text = 'warning: {\n{"a": 1}\r\n[1]\n{"b": "\u2028"}\n{"c": 1e999}\n' + "[" * 100_000 + "\n{"
    assert list(parse_object_lines(text)) == [{"a": 1}, {"b": "\u2028"}]
