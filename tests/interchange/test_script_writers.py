"""What is written is read again, in every format, as far as the format can hold it."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.common.errors import InputError, OutputFileError
from app.common.language import set_language
from app.core.delivery import LATIN_READINGS
from app.core.script.characters import fold_character_name
from app.core.script.project import Project
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.synthesis_types import BOUNDS, PAUSE_MARKS, MoraOverride, Overrides
from app.interchange.koebako_files import write_project
from app.interchange.script_import import read_script_file
from app.interchange.script_writers import write_script

words = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=20)
names = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=10)
numbers = {name: st.floats(bounds.low, bounds.high).map(lambda value: round(value, 3)) for name, bounds in BOUNDS.items()}
pauses = st.dictionaries(st.sampled_from(PAUSE_MARKS), st.floats(0, 10).map(lambda value: round(value, 3))).map(
    lambda found: tuple(sorted(found.items()))
)
said = st.builds(
    LineSettings,
    voice=names,
    speaker=names,
    style=names,
    assist_text=words,
    pauses=pauses,
    seed=st.integers(0, 2**31 - 1),
    latin=st.sampled_from(LATIN_READINGS),
    **numbers,
)
scripts = st.lists(
    st.builds(
        Line,
        text=words,
        settings=said | st.just(LineSettings()),
        pause_after_s=st.none() | st.floats(0, 10).map(lambda value: round(value, 3)),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda line: line.id,
)
rare = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@rare
@given(lines=scripts)
def test_a_table_holds_all_but_edits(tmp_path: Path, suffix: str, lines: list[Line]) -> None:
    script = Script(tuple(lines))
    assert write_script(tmp_path / f"a{suffix}", script) == ()
    assert read_script_file(tmp_path / f"a{suffix}").project.script == script


@st.composite
def cast_scripts(draw: st.DrawFn) -> Script:
    """Scripts some of whose lines have a character."""
    cast = tuple(map(Character, draw(st.lists(names, min_size=1, max_size=3, unique_by=fold_character_name))))
    characters = st.sampled_from(("", *(one.id for one in cast)))
    return Script(tuple(replace(line, character=draw(characters)) for line in draw(scripts)), cast=cast)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@rare
@given(script=cast_scripts())
def test_a_table_holds_who_speaks_each_line(tmp_path: Path, suffix: str, script: Script) -> None:
    """The name alone stands for a character whose line names no voice; whose voice that is, is found out where the voices are known."""
    assert write_script(tmp_path / f"a{suffix}", script) == ()
    found = read_script_file(tmp_path / f"a{suffix}").project.script
    given_names, found_names = ({"": ""} | {one.id: one.name for one in one_script.cast} for one_script in (script, found))
    assert [(line.id, line.text, found_names[line.character]) for line in found.lines] == [
        (line.id, line.text, given_names[line.character]) for line in script.lines
    ]
    assert [line.settings for line in found.lines] == [
        line.settings if line.settings.voice else LineSettings(voice=given_names[line.character]) for line in script.lines
    ]
    assert [one.name for one in found.cast] == list(dict.fromkeys(given_names[line.character] for line in script.lines if line.character))


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_nothing_is_computed_by_a_spreadsheet_and_all_of_it_comes_back(tmp_path: Path, suffix: str) -> None:
    texts = ("=1+1", "'=1", "''+x", "-5度です", "@home", "+", "'", "'x", "=cmd|' /C calc'!A0", "あ=い")
    said = LineSettings(voice="=v", speaker="-s", style="'@t", assist_text="+a", pauses=(("-", 0.2),), pitch=-2.0)
    script = Script(tuple(Line(text, said, id=f"={number}") for number, text in enumerate(texts)))
    write_script(tmp_path / f"a{suffix}", script)
    with (tmp_path / f"a{suffix}").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file, delimiter="," if suffix == ".csv" else "\t") for cell in row]
    assert [cell for cell in cells if cell[:1] in ("=", "+", "-", "@")] == ["-2"] * len(texts)
    assert read_script_file(tmp_path / f"a{suffix}").project.script == script


@rare
@given(lines=scripts)
def test_a_project_holds_everything(tmp_path: Path, lines: list[Line]) -> None:
    project = Project(Script(tuple(lines), "題"))
    write_project(tmp_path / "a.koebako", project)
    assert read_script_file(tmp_path / "a.koebako").project == project


@rare
@given(texts=st.lists(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20), min_size=1, max_size=5))
def test_plain_text_holds_the_texts(tmp_path: Path, texts: list[str]) -> None:
    write_script(tmp_path / "a.txt", Script(tuple(map(Line, texts))))
    assert [line.text for line in read_script_file(tmp_path / "a.txt").project.script.lines] == texts


@rare
@given(rows=st.lists(st.tuples(names, names, words), min_size=1, max_size=5))
def test_the_text_of_voicevox_holds_who_speaks(tmp_path: Path, rows: list[tuple[str, str, str]]) -> None:
    lines = tuple(Line(text, LineSettings(speaker=who, style=style)) for who, style, text in rows)
    write_script(tmp_path / "a.txt", Script(lines), lambda said: (said.speaker, said.style))
    found = [(line.settings.voice, line.text) for line in read_script_file(tmp_path / "a.txt").project.script.lines]
    assert found == [(f"{who}（{style}）", text) for who, style, text in rows]


def test_what_a_format_cannot_hold_is_said(tmp_path: Path) -> None:
    set_language("en")
    edited = Line("はい", LineSettings(speed=1.5), Overrides(moras=(MoraOverride(0, 1),)))
    assert write_script(tmp_path / "a.csv", Script((edited,))) == (
        "Not saved in this format: edits of reading, accent and lengths (1 line).",
    )
    assert len(write_script(tmp_path / "a.txt", Script((edited,)))) == 2
    paused = replace(edited, pause_after_s=1.0)
    assert (
        write_script(tmp_path / "a.txt", Script((paused, edited)))[-1] == "Not saved in this format: pauses before the next line (1 line)."
    )
    set_language("ja")
    assert write_script(tmp_path / "a.csv", Script((edited,))) == ("読み・アクセント・長さの調整はこの形式には保存されません（1 行）。",)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        write_script(tmp_path / "a.docx", Script())
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputFileError):
        write_script(tmp_path / "file" / "a.csv", Script())


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt"])
def test_memos_are_notes_where_nothing_says_what_brackets_are(tmp_path: Path, suffix: str) -> None:
    lines = (Line("{薔薇|ばら}の花[明るく]", LineSettings(memos=True)), Line("[重要] 薔薇《ばら》"))
    write_script(tmp_path / f"a{suffix}", Script(lines))
    found = read_script_file(tmp_path / f"a{suffix}").project.script.lines
    assert [(line.text, line.settings.memos) for line in found] == [("{薔薇|ばら}の花［＃明るく］", False), ("[重要] 薔薇《ばら》", False)]


def test_a_project_keeps_notation_as_it_was_written(tmp_path: Path) -> None:
    line = Line("{薔薇|ばら}の花[明るく]", LineSettings(memos=True), Overrides(moras=(MoraOverride(0, 1),), text="薔薇[あ]", memos=True))
    write_project(tmp_path / "a.koebako", Project(Script((line,))))
    assert read_script_file(tmp_path / "a.koebako").project.script.lines == (line,)
