"""The script: edits leave everything else alone, and what is written comes back."""

import json
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.script.script import (
    Line,
    LineSettings,
    Script,
    change_pauses,
    change_settings,
    copy_lines,
    cut_long_line,
    insert_lines,
    move_lines,
    place_pauses,
    remove_lines,
    replace_text,
    shift_lines,
)
from app.core.script.script_data import convert_script_to_data, parse_script, parse_settings
from app.core.script.text_division import join_lines, split_line
from app.core.synthesis_types import (
    BOUNDS,
    PAUSE_MARKS,
    MoraOverride,
    Overrides,
    PauseOverride,
    PhraseOverride,
    ReadingOverride,
    SynthesisRequest,
)

IDS = "abcdef"
SCRIPT = Script(tuple(Line(f"{name}。", id=name) for name in IDS), "題")


def order(script: Script) -> str:
    return "".join(line.id for line in script.lines)


def test_defaults_are_those_of_a_request() -> None:
    for item in fields(SynthesisRequest):
        if item.name in BOUNDS or item.name in ("assist_text", "seed"):
            assert getattr(LineSettings(), item.name) == item.default, item.name


def test_new_lines_have_ids_of_their_own() -> None:
    assert len({Line().id for _ in range(1000)}) == 1000


def test_edits_remember_the_text_they_were_made_for() -> None:
    edits = Overrides(moras=(MoraOverride(1, 1),))
    script = replace_text(Script((Line("雨。", overrides=edits, id="a"), Line("雨。", id="b"))), "a", "大雨。")
    assert script.lines[0].overrides == replace(edits, text="雨。")
    assert replace_text(script, "a", "雨だ。").lines[0].overrides.text == "雨。"
    assert replace_text(script, "b", "雪。").lines[1].overrides == Overrides()


def test_lines_are_put_in_and_taken_out() -> None:
    assert order(insert_lines(SCRIPT, 2, [Line(id="x"), Line(id="y")])) == "abxycdef"
    assert order(insert_lines(SCRIPT, 99, [Line(id="x")])) == "abcdefx"
    assert order(remove_lines(SCRIPT, {"a", "f", "?"})) == "bcde"
    copied, copies = copy_lines(SCRIPT, {"b", "d"})
    assert [line.text for line in copied.lines] == ["a。", "b。", "c。", "d。", "b。", "d。", "e。", "f。"]
    assert len({line.id for line in copied.lines}) == 8
    assert [line.text for line in copies] == ["b。", "d。"]
    assert copy_lines(SCRIPT, set()) == (SCRIPT, ())


@pytest.mark.parametrize(
    ("ids", "index", "result"),
    [("bd", 0, "bdacef"), ("bd", 6, "acefbd"), ("bd", 3, "acbdef"), ("a", 1, "abcdef"), ("af", 3, "bcafde"), ("", 3, "abcdef")],
)
def test_lines_are_gathered_where_they_are_dropped(ids: str, index: int, result: str) -> None:
    assert order(move_lines(SCRIPT, set(ids), index)) == result


@pytest.mark.parametrize(
    ("ids", "step", "result"),
    [("c", -1, "acbdef"), ("c", 1, "abdcef"), ("cd", -1, "acdbef"), ("cd", 1, "abecdf"), ("ab", -1, "abcdef"), ("ac", -1, "acbdef")],
)
def test_lines_move_by_one_and_stop_at_the_edge(ids: str, step: int, result: str) -> None:
    assert order(shift_lines(SCRIPT, set(ids), step)) == result


@given(st.sets(st.sampled_from(IDS)), st.integers(0, 6), st.sampled_from([-1, 1]))
def test_moving_loses_nothing_and_keeps_the_order_of_what_moves(ids: set[str], index: int, step: int) -> None:
    for moved in (move_lines(SCRIPT, ids, index), shift_lines(SCRIPT, ids, step)):
        assert sorted(order(moved)) == list(IDS)
        assert [name for name in order(moved) if name in ids] == sorted(ids)
        assert [name for name in order(moved) if name not in ids] == sorted(set(IDS) - ids)


def test_a_change_touches_only_what_it_names() -> None:
    changed = change_settings(SCRIPT, {"b", "c"}, speed=1.5)
    assert [line.settings.speed for line in changed.lines] == [1, 1.5, 1.5, 1, 1, 1]
    assert all(new is old for new, old in zip(changed.lines, SCRIPT.lines, strict=True) if new.id not in "bc")
    assert change_settings(changed, {"b"}, speed=1.5) is changed, "nothing changed, nothing to undo"
    assert replace_text(SCRIPT, "b", "b。") is SCRIPT
    assert replace_text(SCRIPT, "b", "雨").lines[1] == replace(SCRIPT.lines[1], text="雨")
    assert SCRIPT.find_line("b") is SCRIPT.lines[1]
    assert SCRIPT.find_index("z") is SCRIPT.find_line("z") is None


def test_a_pause_is_all_that_is_between_two_lines() -> None:
    still = LineSettings(pre_silence_s=0.5, post_silence_s=0.25)
    lines = tuple(Line("雨。", still, id=name, pause_after_s=pause_s) for name, pause_s in zip("abcd", (None, 2.0, 0.0, 3.0), strict=True))
    placed = [(line.settings.pre_silence_s, line.settings.post_silence_s) for line in place_pauses(lines)]
    assert placed == [(0.5, 0.25), (0.5, 2.0), (0.0, 0.0), (0.0, 0.25)], "nothing follows the last line"
    assert place_pauses(lines[3:]) == lines[3:]
    assert all(placed is line for placed, line in zip(place_pauses(lines[:2]), lines[:2], strict=True))


def test_a_pause_stays_behind_what_it_was_behind() -> None:
    script = change_pauses(SCRIPT, {"b"}, 1.5)
    assert [line.pause_after_s for line in script.lines] == [None, 1.5, None, None, None, None]
    assert change_pauses(script, {"b"}, 1.5) is script
    assert [line.pause_after_s for line in copy_lines(script, {"b"})[1]] == [1.5]
    for edited in (replace_text(script, "b", "雪。"), change_settings(script, {"b"}, speed=1.5)):
        assert edited.lines[1].pause_after_s == 1.5
    split, pieces = split_line(script, "b", ["b", "。"])
    assert [piece.pause_after_s for piece in pieces] == [None, 1.5]
    assert join_lines(split, [piece.id for piece in pieces])[0].lines[1].pause_after_s == 1.5
    cut = cut_long_line(Line("雨が降る。" * 500, pause_after_s=1.5))
    assert [line.pause_after_s for line in cut] == [None] * (len(cut) - 1) + [1.5]


def number(name: str) -> st.SearchStrategy[float]:
    return st.floats(BOUNDS[name].low, BOUNDS[name].high)


TEXTS = st.text(st.characters(exclude_categories=()))  # lone surrogates too
SETTINGS = st.builds(
    LineSettings,
    **{name: number(name) for name in BOUNDS},
    voice=TEXTS,
    speaker=TEXTS,
    style=TEXTS,
    assist_text=TEXTS,
    seed=st.integers(0, 2**31 - 1),
    seed_locked=st.booleans(),
    pauses=st.dictionaries(st.sampled_from(PAUSE_MARKS), st.floats(0, 10)).map(lambda item: tuple(sorted(item.items()))),
)
OVERRIDES = st.builds(
    Overrides,
    text=TEXTS,
    emoji=st.booleans(),
    phrases=st.lists(st.builds(PhraseOverride, st.integers(0, 99), st.booleans())).map(tuple),
    readings=st.lists(
        st.builds(ReadingOverride, TEXTS.filter(bool), TEXTS, st.none() | st.integers(0, 9), st.none() | st.integers(0, 9))
    ).map(tuple),
    moras=st.lists(
        st.builds(
            MoraOverride, st.integers(0, 99), st.none() | st.integers(0, 1), st.none() | st.floats(0, 10), st.none() | st.floats(-12, 12)
        )
    ).map(tuple),
    pauses=st.lists(st.builds(PauseOverride, st.integers(0, 9), st.floats(0, 10))).map(tuple),
)


@given(st.lists(st.builds(Line, TEXTS, SETTINGS, OVERRIDES, pause_after_s=st.none() | st.floats(0, 10)), max_size=4), TEXTS)
def test_what_is_written_comes_back(lines: list[Line], title: str) -> None:
    script = Script(tuple(lines), title)
    assert parse_script(json.loads(json.dumps(convert_script_to_data(script)))) == script


def test_a_reading_of_no_letter_is_left_out() -> None:
    edits = {"readings": [{"surface": "", "reading": "ア"}, {"surface": "雨", "reading": "ア"}]}
    (line,) = parse_script({"version": 1, "lines": [{"text": "雨", "overrides": edits}]}).lines
    assert line.overrides.readings == (ReadingOverride("雨", "ア"),)


def test_only_what_differs_is_written() -> None:
    data = convert_script_to_data(Script((Line("雨", LineSettings(speed=1.5), id="a"),)))
    assert data["lines"] == [{"id": "a", "text": "雨", "settings": {"speed": 1.5}}]


@pytest.mark.parametrize(
    "line",
    [
        3,
        {},
        {"text": 1},
        {"text": "", "id": 5},
        {"text": "", "settings": []},
        {"text": "", "settings": {"speed": 9}},
        {"text": "", "settings": {"speed": "1"}},
        {"text": "", "settings": {"speed": True}},
        {"text": "", "settings": {"noise": float("nan")}},
        {"text": "", "settings": {"seed": -1}},
        {"text": "", "settings": {"seed": 1.5}},
        {"text": "", "settings": {"seed_locked": 1}},
        {"text": "", "settings": {"pauses": [["x", 1]]}},
        {"text": "", "settings": {"pauses": [[",", 11]]}},
        {"text": "", "settings": {"pauses": {",": 1}}},
        {"text": "", "pause_after_s": -1},
        {"text": "", "pause_after_s": 10.1},
        {"text": "", "pause_after_s": "1"},
        {"text": "", "overrides": {"moras": [{"tone": 1}]}},
        {"text": "", "overrides": {"moras": [{"mora": 1, "length_s": -1}]}},
        {"text": "", "overrides": {"moras": {}}},
        {"text": "", "overrides": {"phrases": [{"mora": 1, "begins": 1}]}},
        {"text": "", "overrides": {"text": 3}},
        {"text": "", "overrides": {"readings": [3]}},
        {"text": "", "overrides": {"readings": [{"surface": "雨", "reading": "ア", "occurrence": -1}]}},
        {"text": "", "overrides": {"moras": [{"mora": -1, "tone": 1}]}},
        {"text": "", "overrides": {"moras": [{"mora": 0, "tone": 2}]}},
        {"text": "", "overrides": {"moras": [{"mora": 0, "pitch": 13}]}},
        {"text": "", "overrides": {"pauses": [{"mark": -1, "length_s": 1}]}},
    ],
)
def test_what_is_wrong_is_refused(line: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_script({"version": 1, "lines": [line]})


@pytest.mark.parametrize(
    "data", [None, [], {}, {"version": 3, "lines": []}, {"version": 1, "lines": {}}, {"version": 1, "lines": [], "title": 3}]
)
def test_what_is_no_script_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_script(data)


def test_an_id_that_occurs_twice_is_refused_and_the_future_is_left_out() -> None:
    line = {"id": "a", "text": ""}
    with pytest.raises(ValueError, match="twice"):
        parse_script({"version": 1, "lines": [line, line]})
    assert parse_settings({"from_the_future": 1, "speed": 2}) == LineSettings(speed=2)


def test_lines_of_long_scripts_are_found_as_those_of_short_ones() -> None:
    lines = tuple(Line(str(number), id=str(number)) for number in range(2_000))
    one, other = Script(lines), Script((lines[5], *lines[:5], *lines[6:], replace(lines[0], text="again")))
    for _ in range(2):
        assert [one.find_index(str(number)) for number in range(0, 2_000, 7)] == list(range(0, 2_000, 7))
        assert (other.find_index("5"), other.find_index("0"), other.find_index("x")) == (0, 1, None)
        assert other.find_line("0") is lines[0]
    assert (one.find_line("x"), Script().find_line("x")) == (None, None)
