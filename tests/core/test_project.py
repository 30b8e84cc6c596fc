"""Projects as data."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.script.characters import change_character
from app.core.script.project import LinePreset, LineTake, Project, VoiceReference, change_take
from app.core.script.project_data import convert_project_to_data, parse_project
from app.core.script.script import Line, LineSettings, Script, change_settings, replace_text
from app.core.script.script_data import parse_line
from app.core.sound.line_edits import move_readings, set_mora_length
from app.core.synthesis_types import MoraOverride
from app.core.text.dictionary_entries import make_entry

names = st.text(st.characters(categories=("L", "N", "P")), max_size=20)
voices = st.builds(
    VoiceReference, id=names, name=names, uuid=names, address=st.sampled_from(("", "https://hub.aivis-project.com/aivm-models/1"))
)
others = st.dictionaries(st.sampled_from(("auditions", "later", "x")), st.integers() | st.text(max_size=5), max_size=3)
projects = st.builds(
    Project,
    script=st.builds(Script, lines=st.lists(names.map(Line), max_size=4).map(tuple), title=names),
    current=names,
    voices=st.lists(voices, max_size=3).map(tuple),
    dictionary=st.sampled_from(((), (make_entry("声箱", "コエバコ", 2),))),
    export=st.dictionaries(names, st.booleans(), max_size=2),
    takes=st.sampled_from(((), (LineTake("a", "はい。", sound="ab" * 32, starred=True, id="b"),))),
    presets=st.sampled_from(({}, {"低い声": LinePreset.from_settings(LineSettings(pitch=-2.0, voice="mei"), character=True)})),
    tests=st.sampled_from(((), ({"version": 1},))),
    others=others,
)


@given(projects)
def test_what_is_written_is_read(project: Project) -> None:
    assert parse_project(json.loads(json.dumps(convert_project_to_data(project)))) == project


@pytest.mark.parametrize(
    "damage",
    [
        {"format": "other"},
        {"version": 3},
        {"script": None},
        {"current": 3},
        {"voices": {}},
        {"voices": [1]},
        {"voices": [{"id": 1}]},
        {"voices": [{"id": "a", "address": "file:///etc/passwd"}]},
        {"version": 1, "characters": [{"name": None}]},
        {"dictionary": []},
        {"export": []},
        {"takes": {}},
        {"takes": [{"id": "a", "text": "a", "sound": "../../etc/passwd"}]},
        {"presets": []},
        {"presets": {"a": {"speed": 99}}},
        {"presets": {"a": {"voice": "x" * 999}}},
        {"tests": [1]},
    ],
)
def test_what_no_version_writes_is_refused(damage: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse_project(convert_project_to_data(Project()) | damage)


def test_fields_of_later_versions_are_kept_at_every_level_through_edits() -> None:
    later: dict[str, Any] = {"later": [{"a": 1}]}
    line = {
        "id": "a",
        "text": "雨",
        "character": "c",
        "settings": {"speed": 1.5} | later,
        "overrides": {
            "readings": [{"surface": "雨", "reading": "アメ"} | later],
            "moras": [{"mora": 0, "tone": 1} | later, {"mora": 1, "tone": 0, "unknown": 1}],
            "pauses": [{"mark": 0, "length_s": 0.5} | later],
            "phrases": [{"mora": 1, "begins": True} | later],
        }
        | later,
    }
    character = {"id": "c", "name": "勇者", "settings": {"voice": "mei"} | later} | later
    script = {"version": 2, "title": "", "lines": [line | later, {"id": "b", "text": "雪"}], "cast": [character]} | later
    said = {name: value for name, value in line.items() if name != "character"}
    takes = [said | {"id": "t", "line": "a", "rating": 2, "character": {"a": 1}} | later]
    voices = [{"id": "mei", "name": "Mei"} | later]
    data = {"format": "koebako-project", "version": 2, "script": script, "voices": voices, "takes": takes, "minor": 3} | later
    project = parse_project(data)
    assert convert_project_to_data(project) == data
    overrides = project.script.lines[0].overrides
    assert overrides.moras == (MoraOverride(0, 1), MoraOverride(1, 0)), "they make no other sound"
    (moved,) = move_readings((replace(overrides.readings[0], occurrence=0),), "雨", "小雨")
    assert [moved.unknown, *(one.unknown for one in set_mora_length(overrides, 0, 0.25).moras)] == [
        overrides.readings[0].unknown,
        *(one.unknown for one in overrides.moras),
    ]
    rated = replace(project, takes=change_take(project.takes, "t", rating=3))
    assert convert_project_to_data(rated)["takes"] == [takes[0] | {"rating": 3}]
    edited = change_settings(replace_text(project.script, "a", "雪"), ("a", "b"), speed=1.25)
    edited = change_character(edited, "c", name="英雄")
    line |= {"text": "雪", "settings": {"speed": 1.25} | later}
    line["overrides"] = line["overrides"] | {"text": "雨"}  # type: ignore[operator]
    lines = [line | later, {"id": "b", "text": "雪", "settings": {"speed": 1.25}}]
    wanted = data | {"script": script | {"lines": lines, "cast": [character | {"name": "英雄"}]}}
    assert convert_project_to_data(replace(project, script=edited)) == wanted


def test_names_that_version_1_kept_beside_the_script_become_its_cast() -> None:
    lines = [
        {"id": "a", "text": "雨", "settings": {"voice": "村人", "speed": 1.5}},
        {"id": "b", "text": "雪", "settings": {"voice": "mei"}},
        {"id": "c", "text": "風"},
    ]
    characters = [{"name": "村人"}, {"name": "勇者", "voice": "mei", "style": "Happy"}]
    data = {"format": "koebako-project", "version": 1, "script": {"version": 1, "title": "", "lines": lines}, "characters": characters}
    project = parse_project(data)
    villager, hero = project.script.cast
    assert [(one.name, one.settings.voice, one.settings.style) for one in (villager, hero)] == [
        ("村人", "村人", ""),
        ("勇者", "mei", "Happy"),
    ]
    assert [line.character for line in project.script.lines] == [villager.id, "", ""]
    assert [line.settings for line in project.script.lines] == [parse_line(line).settings for line in lines], "they sound the same"
    assert [one.name for one in project.assignments] == ["村人"]
    assert not project.others
    assert parse_project(json.loads(json.dumps(convert_project_to_data(project)))) == project
