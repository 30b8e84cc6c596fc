"""`koebako project`: projects are made of texts, and say what is in them."""

import hashlib
import json
from pathlib import Path

import pytest

from app.cli.main import main
from app.core.script.project import LineTake, Project, VoiceReference
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.text.dictionary_entries import make_entry
from app.interchange.koebako_files import read_project, write_project

SOUND = hashlib.sha256(b"fLaC").hexdigest()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["project", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_a_project_is_made_of_a_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text, file = tmp_path / "台本.txt", tmp_path / "朗読.koebako"
    text.write_bytes("雨。\r\n\r\n雪。".encode("cp932"))
    code, out, _ = run(capsys, "new", str(file), "-f", str(text), "--json")
    assert (code, json.loads(out)) == (0, {"made": str(file), "lines": 2})
    project = read_project(file)
    assert [line.text for line in project.script.lines] == ["雨。", "雪。"]
    assert project.script.title == "朗読"
    code, _, err = run(capsys, "new", str(file))
    assert code == 2
    assert "already exists" in err
    assert run(capsys, "new", str(file), "--replace", "--title", "題")[0] == 0
    assert read_project(file) == Project(script=Script((), "題"))
    assert run(capsys, "new", str(file), "--replace", "-f", str(text), "--latin", "english")[0] == 0
    assert {line.settings.latin for line in read_project(file).script.lines} == {"english"}
    assert run(capsys, "new", str(tmp_path / "a.txt"))[0] == 2
    (tmp_path / "file").write_text("")
    assert run(capsys, "new", str(tmp_path / "file" / "a.koebako"))[0] == 7


def test_cast_lists_who_speaks_how_much(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script, project = tmp_path / "game.csv", tmp_path / "game.koebako"
    script.write_text("text,character,voice,style\nはい。,勇者,mei,Happy\nいいえ。,勇者,mei,Happy\n雨。,王,,\n", encoding="utf-8")
    assert main(["project", "convert", str(script), "-o", str(project)]) == 0
    capsys.readouterr()
    found = []
    for file in (script, project):
        assert main(["project", "cast", str(file), "--json"]) == 0
        found.append([json.loads(line) for line in capsys.readouterr().out.splitlines()])
    assert found[0] == found[1]
    hero, king = found[0]
    assert hero.pop("seconds") > king.pop("seconds") > 0
    assert hero == {"character": "勇者", "color": 0, "voice": "mei", "speaker": "", "style": "Happy", "lines": 2}
    assert king == {"character": "王", "color": 1, "voice": "", "speaker": "", "style": "", "lines": 1}, "nobody has cast him yet"
    assert main(["project", "cast", str(project)]) == 0
    assert "勇者\tmei / Happy\tlines: 2" in capsys.readouterr().out


def test_info_says_what_is_in_it_and_which_voices_are_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.koebako"
    address = "https://example.com/a"
    project = Project(
        script=Script(
            (Line("雨。", LineSettings(voice="gone"), id="a"), Line("雪だ。", id="b"), Line("", LineSettings(voice="mei"))),
            "題",
            (Character("役"),),
        ),
        voices=(VoiceReference("gone", "花子", "", address),),
        dictionary=(make_entry("声箱", "コエバコ"),),
        takes=(LineTake("a", sound=SOUND), LineTake("b")),
        embeds=True,
        sounds={SOUND: b"fLaC"},
    )
    write_project(file, project)
    code, out, _ = run(capsys, "info", str(file), "--json")
    found = json.loads(out)
    assert code == 0
    assert found["voices"][0] == {"id": "gone", "name": "花子", "lines": 1, "missing": True, "address": address}
    assert [(voice["id"], voice["missing"]) for voice in found["voices"][1:]] == [("", False), ("mei", False)]
    assert found["voices"][1]["name"] == found["voices"][2]["name"] != ""
    assert {
        name: found[name] for name in ("title", "lines", "letters", "missing", "characters", "words", "takes", "sounds", "seconds")
    } == {
        "title": "題",
        "lines": 3,
        "letters": 5,
        "missing": ["gone"],
        "characters": ["役"],
        "words": 1,
        "takes": 2,
        "sounds": 1,
        "seconds": None,
    }
    code, out, _ = run(capsys, "info", str(file))
    assert (code, out.splitlines()[-3]) == (0, "voice\t花子 (missing)\t1")


@pytest.mark.parametrize("content", [None, b"{", b"[]"])
def test_what_is_no_project_is_an_error_of_the_input(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "a.koebako"
    if content is not None:
        file.write_bytes(content)
    code, out, _ = run(capsys, "info", str(file), "--json")
    assert code == 2
    assert json.loads(out)["error"]["message"] == "“a.koebako” cannot be opened."
