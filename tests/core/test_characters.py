"""Characters, and the lines that follow them."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.script import characters
from app.core.script.characters import (
    CHARACTER_COLOURS,
    MOST_ALIASES,
    CastBuilder,
    add_character,
    apply_cast,
    assign_character,
    change_character,
    list_deviations,
    merge_cast,
    merge_characters,
    recast_character,
    remove_characters,
    replace_voices,
    reset_deviations,
)
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.script.script_data import convert_script_to_data, parse_script

HERO = Character("勇者", LineSettings(voice="mei", style="Happy", speed=1.25), id="hero")
KING = Character("王", LineSettings(voice="kokoro", speaker="Male 1"), aliases=("国王",), colour=1, id="king")


def script_of(*lines: Line, cast: tuple[Character, ...] = (HERO, KING)) -> Script:
    return Script(lines, cast=cast)


def spoken(character: Character, line_id: str, **own: object) -> Line:
    """A line of a character with deviations."""
    return Line("はい。", replace(character.settings, **own), id=line_id, character=character.id)  # type: ignore[arg-type]


def test_lines_follow_their_character_but_for_their_deviations() -> None:
    script = script_of(spoken(HERO, "a"), spoken(HERO, "b", speed=0.8, seed=7), spoken(KING, "c"), Line(id="d"))
    after = recast_character(script, "hero", {"voice": "other", "style": "", "speed": 1.5})
    settings = {line.id: line.settings for line in after.lines}
    assert [(settings[name].voice, settings[name].style, settings[name].speed) for name in "ab"] == [("other", "", 1.5), ("other", "", 0.8)]
    assert settings["b"].seed == 7
    assert after.lines[2:] == script.lines[2:]
    assert list_deviations(after.lines[1], after.cast[0]) == ("speed",)
    assert list_deviations(reset_deviations(after, ["b"]).lines[1], after.cast[0]) == ()
    assert recast_character(script, "hero", {"voice": "mei"}) is script, "an equal voice is nothing to undo"
    assert change_character(script, "nobody", name="x") is script


def test_a_line_takes_the_voice_of_its_character_and_keeps_its_own_manner() -> None:
    script = script_of(Line(settings=LineSettings(voice="x", style="Sad", volume=0.5), id="a"), spoken(HERO, "b", speed=0.8))
    first, second = assign_character(script, ["a", "b"], "king").lines
    assert (first.settings.voice, first.settings.speaker, first.settings.style) == ("kokoro", "Male 1", "")
    assert first.settings.volume == 0.5
    assert (second.settings.voice, second.settings.speed) == ("kokoro", 0.8)
    freed = assign_character(script, ["b"], "").lines[1]
    assert (freed.character, freed.settings) == ("", script.lines[1].settings)
    assert assign_character(script, ["a"], "nobody") is script


def test_characters_are_removed_and_merged() -> None:
    script = script_of(spoken(HERO, "a"), spoken(KING, "b", pitch=2.0))
    merged = merge_characters(script, ["hero", "king"], "hero")
    assert merged.cast == (replace(HERO, aliases=("王", "国王")),)
    assert [line.character for line in merged.lines] == ["hero", "hero"]
    assert (merged.lines[1].settings.voice, merged.lines[1].settings.pitch) == ("mei", 2.0)
    gone = remove_characters(script, ["king"])
    assert gone.cast == (HERO,)
    assert gone.lines[1] == replace(script.lines[1], character="")


def test_another_script_s_cast_comes_in_by_its_names() -> None:
    other = Character("ｋｉｎｇ", LineSettings(voice="there"), id="there")
    here = replace(KING, aliases=("King",))
    stranger = Character("村人", LineSettings(voice="v"), id="stranger")
    script = script_of(cast=(HERO, here))
    after, (first, second) = merge_cast(script, [spoken(other, "a", speed=0.8), spoken(stranger, "b")], (other, stranger))
    assert (first.character, first.settings.voice, first.settings.speed) == ("king", "kokoro", 0.8)
    assert after.cast == (HERO, here, replace(stranger, colour=2))
    assert second.character == "stranger"


def test_characters_that_share_a_value_are_cast_apart() -> None:
    shared = LineSettings()
    cast = (Character("勇者", shared, id="hero"), Character("王", shared, id="king"))
    lines = (Line("はい。", shared, character="hero"), Line("はい。", shared, character="king"))
    others = (Character("勇者", LineSettings(voice="mei")), Character("王", LineSettings(voice="kokoro")))
    applied = apply_cast(script_of(*lines, cast=cast), others)
    _, adopted = merge_cast(Script(cast=others), lines, cast)
    assert [line.settings.voice for line in (*applied.lines, *adopted)] == ["mei", "kokoro"] * 2


def test_a_renamed_character_comes_back_beside_the_one_it_was() -> None:
    renamed = replace(HERO, name="英雄")
    after, (line,) = merge_cast(script_of(cast=(renamed,)), [spoken(HERO, "a")], (HERO,))
    assert [one.name for one in after.cast] == ["英雄", "勇者"]
    assert line.character == after.cast[1].id != HERO.id
    assert parse_script(convert_script_to_data(after)) == after


def test_no_more_come_in_than_a_project_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(characters, "MOST_CHARACTERS", 3)
    others = (KING, Character("村人", id="v"), Character("老人", id="o"))
    after, lines = merge_cast(script_of(), [spoken(one, one.id) for one in others], others)
    assert ([one.name for one in after.cast], [bool(line.character) for line in lines]) == (["勇者", "王", "村人"], [True, True, False])


def test_however_many_are_merged_the_script_is_read_again() -> None:
    cast = tuple(Character(f"役{number}", id=f"{number}") for number in range(MOST_ALIASES + 2))
    merged = merge_characters(script_of(Line("雨", id="a", character="1"), cast=cast), [one.id for one in cast], "0")
    assert parse_script(convert_script_to_data(merged)) == merged


def test_a_voice_is_replaced_in_lines_and_cast() -> None:
    first = spoken(HERO, "a")
    script = script_of(first, replace(first, id="b"), spoken(KING, "c"))
    after = replace_voices(script, {"mei": ""})
    assert [one.settings.voice for one in after.cast] == ["", "kokoro"]
    assert [line.settings.voice for line in after.lines] == ["", "", "kokoro"]
    assert after.lines[0].settings is after.lines[1].settings, "lines that share a value are compared by identity"
    assert replace_voices(script, {"gone": "x"}) is script


def test_colours_are_used_evenly() -> None:
    cast = CastBuilder()
    for number in range(2 * CHARACTER_COLOURS):
        cast.add_character(f"役{number}", LineSettings())
    assert [one.colour for one in cast.cast] == [*range(CHARACTER_COLOURS)] * 2
    assert cast.add_character("役０", LineSettings()).id == cast.cast[0].id


SETTINGS = st.builds(
    LineSettings,
    voice=st.sampled_from(("", "mei", "x")),
    speed=st.sampled_from((1.0, 1.5)),
    pitch=st.sampled_from((0.0, 2.0)),
    seed=st.integers(0, 3),
)
CASTS = st.lists(
    st.builds(Character, st.text(max_size=3), SETTINGS.map(lambda made: replace(made, seed=0)), note=st.text(max_size=3)), max_size=3
)


@given(CASTS, st.lists(st.tuples(SETTINGS, st.integers(0, 3)), max_size=5), st.sampled_from(("mei", "y")), st.booleans())
def test_what_is_written_of_a_cast_is_read_and_any_edit_keeps_deviations(
    cast: list[Character], lines: list[tuple[LineSettings, int]], voice: str, is_merged: bool
) -> None:
    ids = [*(one.id for one in cast), *[""] * 4]
    script = Script(tuple(Line("雨", settings, character=ids[who]) for settings, who in lines), cast=tuple(cast))
    assert parse_script(json.loads(json.dumps(convert_script_to_data(script)))) == script
    if not cast:
        return
    edited = merge_characters(script, ids[:-4], ids[0]) if is_merged else recast_character(script, ids[0], {"voice": voice})
    for before, after in zip(script.lines, edited.lines, strict=True):
        was, now = script.find_character(before.character), edited.find_character(after.character)
        if was is not None and now is not None:
            kept = set(list_deviations(before, was)) - {"voice", "speaker", "style"}
            assert all(getattr(after.settings, name) == getattr(before.settings, name) for name in kept)
            assert after.settings.seed == before.settings.seed


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("colour", "red"),
        ("aliases", [1]),
        ("aliases", ["a"] * 2_000),
        ("note", 5),
        ("portrait", 5),
        ("portrait", "A" * 100_001),
        ("portrait", "顔"),
    ],
)
def test_a_value_that_cannot_be_read_costs_no_character(field: str, value: object) -> None:
    data = convert_script_to_data(script_of(spoken(HERO, "a", speed=0.8), cast=(replace(HERO, note="主役"),)))
    data["cast"][0][field] = value
    lost: list[str] = []
    read = parse_script(data, lambda part, _line: lost.append(part))
    assert ([one.name for one in read.cast], read.lines[0].character, lost) == (["勇者"], "hero", [field])
    assert read.lines[0].settings.voice == "mei"


@pytest.mark.parametrize(
    "cast",
    [
        {},
        [3],
        [{}],
        [{"name": 1}],
        [{"name": "a", "aliases": [1]}],
        [{"name": "a", "colour": -1}],
        [{"name": "a", "settings": {"speed": 9}}],
    ],
)
def test_what_is_no_cast_is_refused(cast: object) -> None:
    data = convert_script_to_data(add_character(Script((Line("雨", character="a"),)), replace(HERO, id="a")))
    with pytest.raises(ValueError, match=r".+"):
        parse_script(data | {"cast": cast})
    lost: list[tuple[str, int]] = []
    assert [line.text for line in parse_script(data | {"cast": cast}, lambda part, line: lost.append((part, line))).lines] == ["雨"]
    assert lost
