"""Sounds of takes inside a project file: they come back, and what a stranger writes there does nothing."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import InputError
from app.core.script.project import LineTake, Project
from app.core.script.project_data import convert_project_to_data
from app.interchange import koebako_files
from app.interchange.koebako_files import decode_sounds, encode_sounds, read_project, write_project


def named(*contents: bytes) -> dict[str, bytes]:
    return {hashlib.sha256(content).hexdigest(): content for content in contents}


@given(st.lists(st.binary(max_size=200)))
def test_sounds_come_back(contents: list[bytes]) -> None:
    sounds = named(*contents)
    assert decode_sounds(json.loads(json.dumps(encode_sounds(sounds)))) == sounds


def test_only_what_is_its_name_and_fits_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    good = named(b"fLaC")
    ((name, content),) = good.items()
    text = base64.b64encode(content).decode()
    bad: list[dict[str, object]] = [{"../a": text}, {name.upper(): text}, {"0" * 64: text}, {name: 1}, {name: [text]}, {name: text + "!"}]
    entry: Any
    for entry in [*bad, {name: "音"}, {name: text[:-3]}, {name: "\ud800"}]:
        assert decode_sounds(entry) == {}
        assert decode_sounds(entry | encode_sounds(named(b"other"))) == named(b"other")
    monkeypatch.setattr(koebako_files, "MAX_EMBEDDED_SOUND_BYTES", 10)
    assert decode_sounds(encode_sounds(named(b"123456", b"12345", b"1234"))) == named(b"123456", b"1234"), "ten bytes in all"


def test_a_file_holds_them_and_says_whether_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, sounds = tmp_path / "a.koebako", named(b"one", b"two")
    takes = tuple(LineTake("l", sound=name) for name in sounds)
    for embeds in (True, False):
        write_project(file, Project(takes=takes, embeds=embeds, sounds=sounds))
        project = read_project(file)
        assert (project.takes, project.embeds) == (takes, embeds)
        assert project.sounds == (sounds if embeds else {})
        assert not project.others
    data = convert_project_to_data(Project())
    file.write_text(json.dumps(data | {"sounds": []}), encoding="utf-8")
    assert not read_project(file).embeds, "a list is no sounds"
    monkeypatch.setattr(koebako_files, "LARGEST_PROJECT_BYTES", 400)
    file.write_text(json.dumps(data | {"sounds": encode_sounds(named(b"1" * 600))}), encoding="utf-8")
    assert read_project(file).sounds == named(b"1" * 600)
    file.write_text(json.dumps(data | {"sounds": {}, "later": "1" * 600}), encoding="utf-8")
    with pytest.raises(InputError, match="too large"):
        read_project(file)
