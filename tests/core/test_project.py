"""Projects as data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.dictionary_entries import make_entry
from app.core.presets import LinePreset
from app.core.project import Character, Project, VoiceReference
from app.core.project_data import convert_project_to_data, parse_project
from app.core.script import Line, LineSettings, Script
from app.core.takes import LineTake

names = st.text(st.characters(categories=("L", "N", "P")), max_size=20)
voices = st.builds(
    VoiceReference, id=names, name=names, uuid=names, address=st.sampled_from(("", "https://hub.aivis-project.com/aivm-models/1"))
)
characters = st.builds(Character, name=names, voice=names, speaker=names, style=names)
others = st.dictionaries(st.sampled_from(("auditions", "later", "x")), st.integers() | st.text(max_size=5), max_size=3)
projects = st.builds(
    Project,
    script=st.builds(Script, lines=st.lists(names.map(Line), max_size=4).map(tuple), title=names),
    current=names,
    voices=st.lists(voices, max_size=3).map(tuple),
    characters=st.lists(characters, max_size=3).map(tuple),
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
        {"version": 2},
        {"script": None},
        {"current": 3},
        {"voices": {}},
        {"voices": [1]},
        {"voices": [{"id": 1}]},
        {"voices": [{"id": "a", "address": "file:///etc/passwd"}]},
        {"characters": [{"name": None}]},
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


def test_fields_of_later_versions_are_kept() -> None:
    data = convert_project_to_data(Project()) | {"later": [{"a": 1}]}
    project = parse_project(data)
    assert convert_project_to_data(replace(project, current="b")) == data | {"current": "b"}
