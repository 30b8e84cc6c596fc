"""What a project file says is cleaned, and what we write ourselves is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import InputError
from app.common.files.untrusted_json import DISTURBING_CHARS
from app.core.script import project
from app.core.script.project import Project, sanitise_project
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.synthesis_types import MoraOverride, Overrides
from app.core.text.text_lines import MAX_LINE_CHARACTERS

wild = st.text(st.characters(exclude_categories=()), max_size=30)
lines = st.builds(Line, text=wild, settings=st.builds(LineSettings, voice=wild, speaker=wild, style=wild, assist_text=wild), id=wild)


@given(st.lists(lines, max_size=4, unique_by=lambda line: line.id))
def test_anything_becomes_lines_that_can_be_shown_and_cleaning_twice_changes_nothing(given_lines: list[Line]) -> None:
    tidied = sanitise_project(Project(script=Script(tuple(given_lines), "題\0")))
    assert tidied.script.title == "題"
    assert len(tidied.script.lines) == len(given_lines)
    for line in tidied.script.lines:
        shown = (line.text, line.settings.voice, line.settings.speaker, line.settings.style, line.settings.assist_text, line.id)
        assert not any(DISTURBING_CHARS.search(text) for text in shown)
        assert "\n" not in line.id
    assert sanitise_project(tidied) == tidied


@given(st.lists(st.builds(Character, name=wild, aliases=st.tuples(wild), note=wild, id=wild), max_size=3, unique_by=lambda one: one.id))
def test_characters_can_be_shown_and_keep_their_lines(cast: list[Character]) -> None:
    tidied = sanitise_project(Project(script=Script(tuple(Line("雨", character=one.id) for one in cast), cast=tuple(cast)))).script
    assert [line.character for line in tidied.lines] == [one.id for one in tidied.cast]
    for one in tidied.cast:
        assert not any(DISTURBING_CHARS.search(text) for text in (*one.names, one.note, one.id))


def test_our_own_lines_stay_as_they_are() -> None:
    edited = Overrides(moras=(MoraOverride(0, length_s=0.2),))
    script = Script((Line("  雨。\n雪。\t", LineSettings(style="Happy"), edited, "a"), Line("👨‍👩‍👧", id="b")))
    assert sanitise_project(Project(script=script)).script == script


def test_edits_still_count_over_the_text_they_were_made_for() -> None:
    edited = Overrides(moras=(MoraOverride(0, length_s=0.2),))
    (line,) = sanitise_project(Project(script=Script((Line("雨\u202e。", overrides=edited, id="a"),)))).script.lines
    assert (line.text, line.overrides.text, line.overrides.moras) == ("雨。", "雨\u202e。", edited.moras)


def test_long_lines_are_cut_and_their_number_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    tidied = sanitise_project(Project(script=Script((Line("雨。" * MAX_LINE_CHARACTERS),))))
    assert [len(line.text) for line in tidied.script.lines] == [MAX_LINE_CHARACTERS, MAX_LINE_CHARACTERS]
    monkeypatch.setattr(project, "MAX_SCRIPT_LINES", 2)
    with pytest.raises(InputError):
        sanitise_project(Project(script=Script((Line("雨。" * MAX_LINE_CHARACTERS), Line("雪。")))))
