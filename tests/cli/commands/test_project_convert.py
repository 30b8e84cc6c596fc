"""`koebako project convert`: scripts of other programs become projects, tables and texts."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from app.audition.take_store import TakeStore, find_sound_folder
from app.cli.main import main
from app.common.language import set_language
from app.core.script.project import LineTake, Project
from app.interchange.koebako_files import read_project, write_project
from tests.interchange.peers import aisp, phrase, query, vvproj


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, list[str]]:
    set_language("en")
    code = main(["project", "convert", *map(str, arguments)])
    told = capsys.readouterr()
    return code, told.out, told.err.splitlines()


def test_a_project_of_voicevox(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = query(phrase(["ソ", "ラ", "ワ"], 3), phrase(["ア", "オ", "イ"], 2), speedScale=1.5, pitchScale=0.1)
    (tmp_path / "a.vvproj").write_bytes(vvproj("0.25.0", [("空は青い", 3, asked), ("はい。", 3, None)]))
    code, out, told = run(capsys, tmp_path / "a.vvproj", "-o", tmp_path / "a.koebako")
    assert (code, out) == (0, "")
    assert told[:-1] == ["Not imported: length of single morae (the voice decides) (1 line)."]
    project = read_project(tmp_path / "a.koebako")
    first = project.script.lines[0]
    assert (first.settings.voice, first.settings.speed) == ("voicevox:3", 1.5)
    assert [(edit.mora, edit.tone) for edit in first.overrides.moras][:3] == [(0, 0), (1, 1), (2, 1)]
    assert project.voices[0].name == "ずんだもん（ノーマル）"


def test_sounds_that_a_project_includes_stay_in_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sound = hashlib.sha256(b"fLaC").hexdigest()
    write_project(tmp_path / "a.koebako", Project(takes=(LineTake("l", sound=sound),), embeds=True, sounds={sound: b"fLaC"}))
    assert run(capsys, tmp_path / "a.koebako", "-o", tmp_path / "b.koebako")[0] == 0
    project = read_project(tmp_path / "b.koebako")
    assert (project.embeds, project.sounds) == (True, {sound: b"fLaC"})


def test_sounds_beside_a_project_come_with_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sound = TakeStore(find_sound_folder(tmp_path / "a.koebako")).keep_sound(np.full(300, 0.1, np.float32), 44_100).name
    write_project(tmp_path / "a.koebako", Project(takes=(LineTake("l", sound=sound),)))
    assert run(capsys, tmp_path / "a.koebako", "-o", tmp_path / "b.koebako")[0] == 0
    assert TakeStore(find_sound_folder(tmp_path / "b.koebako")).read_content(sound)


def test_a_table_with_columns_of_other_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Who,Words\nmei,はい。\nnobody,いいえ。\n", encoding="utf-8")
    code, out, _ = run(capsys, tmp_path / "a.csv", "-o", tmp_path / "b.csv", "--columns", "text=Words,speaker=Who", "--json")
    assert code == 0
    assert json.loads(out) == {"converted": str(tmp_path / "b.csv"), "lines": 2, "not_taken_over": []}
    rows = [line.split(",")[1:] for line in (tmp_path / "b.csv").read_text(encoding="utf-8-sig").splitlines()]
    head = ["text", "voice", "speaker", "style", "character"]
    assert rows == [head, ["はい。", "mei", "Mei", "", ""], ["いいえ。", "nobody", "", "", "nobody"]]


def test_a_reading_of_latin_letters_for_all_of_a_script(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,character\nHello.,アキ\nはい。,\n", encoding="utf-8")
    assert run(capsys, tmp_path / "a.csv", "-o", tmp_path / "b.koebako", "--latin", "english")[0] == 0
    script = read_project(tmp_path / "b.koebako").script
    assert {line.settings.latin for line in script.lines} == {"english"}
    assert [character.settings.latin for character in script.cast] == ["english"]
    assert run(capsys, tmp_path / "b.koebako", "-o", tmp_path / "c.koebako")[0] == 0
    assert {line.settings.latin for line in read_project(tmp_path / "c.koebako").script.lines} == {"english"}, "it stays"


def test_a_voice_for_those_that_are_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.vvproj").write_bytes(vvproj("0.25.0", [("はい。", 3, None), ("いいえ。", 3, None), ("雨。", 1, None)]))
    code, _, told = run(capsys, tmp_path / "a.vvproj", "-o", tmp_path / "a.koebako", "--voice", "mei")
    assert (code, told[0]) == (0, "“Mei (starter)” speaks 3 lines whose voice is missing (ずんだもん（ノーマル）, ずんだもん（あまあま）).")
    project = read_project(tmp_path / "a.koebako")
    assert {line.settings.voice for line in project.script.lines} == {""}, "of the voice that ships projects say nothing"
    assert not project.voices
    (tmp_path / "b.csv").write_text(
        "text,voice,speaker,style\n一,mei,,\n二,gone,誰,Happy\n三,gone,Mei,怒り\n四,,,\n五,,誰,\n", encoding="utf-8"
    )
    code, _, told = run(capsys, tmp_path / "b.csv", "-o", tmp_path / "c.csv", "--voice", "mei")
    assert (code, told[0]) == (0, "“Mei (starter)” speaks 2 lines whose voice is missing (gone).")
    rows = [line.split(",")[2:] for line in (tmp_path / "c.csv").read_text(encoding="utf-8-sig").splitlines()[1:]]
    assert [row[0] for row in rows] == ["mei", "mei", "mei", "mei", "誰"], "a speaker whom nobody here is called stays nobody"
    assert [row[1:3] for row in rows[1:3]] == [["", "Happy"], ["Mei", ""]]
    assert run(capsys, tmp_path / "b.csv", "-o", tmp_path / "d.csv", "--voice", "nobody")[0] == 3


def test_text_with_and_without_who_speaks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.aisp").write_bytes(aisp("1.0.0", [("はい。", 888753760, None)]))
    assert run(capsys, tmp_path / "a.aisp", "-o", tmp_path / "a.txt")[0] == 0
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "はい。\n"
    assert run(capsys, tmp_path / "a.aisp", "-o", tmp_path / "b.txt", "--characters")[0] == 0
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "AivisSpeech style 888753760,はい。\n"
    assert run(capsys, tmp_path / "a.aisp", "-o", tmp_path / "c.txt", "--dialogue")[0] == 0
    assert (tmp_path / "c.txt").read_text(encoding="utf-8") == "AivisSpeech style 888753760「はい。」\n"


def test_a_script_of_one_game_engine_for_another(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.yarn").write_text("title: a\n---\n花子: 今日は{晴れ|はれ}。 #line:l1\n雨。 #line:l2\n===\n", encoding="utf-8")
    code, _, told = run(capsys, tmp_path / "a.yarn", "-o", tmp_path / "b.rpy")
    assert (code, told[0]) == (0, "Expressions such as {$name} were kept as they are written (lines: 1).")
    assert told[1] == "Not saved in this format: IDs (2 lines)."
    text = (tmp_path / "b.rpy").read_text(encoding="utf-8")
    assert text.splitlines()[0] == 'define c1 = Character("花子")'
    assert 'c1 "今日は{rb}晴れ{/rb}{rt}はれ{/rt}。"' in text


@pytest.mark.parametrize(
    ("source", "target", "more", "code"),
    [
        ("none.csv", "a.csv", (), 2),
        ("a.txt", "a.docx", (), 2),
        ("a.txt", "a.txt/b.csv", (), 7),
        ("a.csv", "b.csv", ("--columns", "text"), 2),
        ("a.csv", "b.csv", ("--columns", "text=None"), 2),
    ],
)
def test_what_cannot_be_converted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, source: str, target: str, more: tuple[str, ...], code: int
) -> None:
    (tmp_path / "a.txt").write_text("はい。\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("text\nはい。\n", encoding="utf-8")
    assert run(capsys, tmp_path / source, "-o", tmp_path / target, *more)[0] == code
