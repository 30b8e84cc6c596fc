"""What is said of a project that cannot be read, or not all of it."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from app.common.errors import InputError
from app.common.language import set_language
from app.core.script.project import LinePreset, LineTake, Project, VoiceReference
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.synthesis_types import MoraOverride, Overrides
from app.core.text.dictionary_entries import make_entry
from app.interchange.koebako_files import MAX_PROJECT_FILE_BYTES, ProjectFileContent, open_project, read_project, write_project


def test_why_it_cannot_be_read_is_said(tmp_path: Path) -> None:
    large, damaged = tmp_path / "large.koebako", tmp_path / "damaged.koebako"
    with large.open("wb") as file:
        file.truncate(MAX_PROJECT_FILE_BYTES + 1)  # a hole, which takes no room
    damaged.write_bytes(b"{")
    for path, message, hint in (
        (tmp_path / "none.koebako", "“none.koebako” cannot be opened.", "Check the path."),
        (tmp_path / "a\0b.koebako", "cannot be opened.", "the name is not valid"),
        (large, "“large.koebako” is too large.", "The limit is 128 MB."),
        (damaged, "“damaged.koebako” cannot be opened.", "damaged"),
    ):
        with pytest.raises(InputError) as refused:
            read_project(path)
        assert message in refused.value.message
        assert hint in refused.value.hint


WHOLE = Project(
    Script(
        (Line("一", LineSettings(speed=1.5, voice="v"), Overrides(moras=(MoraOverride(0, 1), MoraOverride(1, 0)))), Line("二"), Line("三")),
        cast=(Character("a"), Character("b")),
    ),
    voices=(VoiceReference("v"), VoiceReference("w")),
    dictionary=(make_entry("声", "こえ"), make_entry("箱", "はこ")),
    export={"format": "wav"},
    takes=(LineTake("x", id="t"), LineTake("y", id="u")),
    presets={"p": LinePreset(), "q": LinePreset()},
    tests=({"version": 1},),
)


def damaged(folder: Path, path: str, value: Any) -> ProjectFileContent:
    """The project, with something else at a place of its file, or as text in place of a value."""
    file = folder / "a.koebako"
    write_project(file, WHOLE)
    data = json.loads(file.read_bytes())
    *places, last = (int(part) if part.isdigit() else part for part in path.split("."))
    inner = data
    for place in places:
        inner = inner[place]
    inner[last] = "SLOT" if isinstance(value, str) and value.startswith("RAW") else value
    text = json.dumps(data)
    file.write_text(text.replace('"SLOT"', value[3:]) if isinstance(value, str) and value.startswith("RAW") else text, encoding="utf-8")
    return open_project(file)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("script.lines.1", 5, "damaged lines (line 2)"),
        ("script.lines.1", {"id": "a"}, "damaged lines (line 2)"),
        ("script.lines.1.text", ["二"], "damaged lines (line 2)"),
        ("script.lines.1.id", 7, "IDs that are not valid (line 2)"),
        ("script.lines.0.settings", [], "settings that are not valid (line 1)"),
        ("script.lines.0.settings.speed", "fast", "values that cannot be used (Speed) (line 1)"),
        ("script.lines.0.settings.speed", 99, "values that cannot be used (Speed) (line 1)"),
        ("script.lines.0.settings.speed", "RAW1e999", "values that cannot be used (Speed) (line 1)"),
        ("script.lines.0.settings.seed_locked", 1, "seed locks (line 1)"),
        ("script.lines.0.settings.pre_silence_s", None, "values that cannot be used (Silence before (s)) (line 1)"),
        ("script.lines.0.settings.pauses", {}, "values that cannot be used (Pauses at marks) (line 1)"),
        ("script.lines.0.settings.pauses", [[",", 0.1], [",", 0.2]], "values that cannot be used (Pauses at marks) (line 1)"),
        (
            "script.lines.0.overrides.moras",
            [{"mora": 0, "tone": 1}] * 16_001,
            "edits of reading, accent and lengths that are not valid (line 1)",
        ),
        ("script.lines.0.overrides", "x", "edits of reading, accent and lengths that are not valid (line 1)"),
        ("script.lines.0.overrides.moras.0", {"mora": -1}, "edits of reading, accent and lengths that are not valid (line 1)"),
        ("script.title", 5, "title (1)"),
        ("current", 5, "selected line (1)"),
        ("voices.0", {"id": []}, "voices (1)"),
        ("voices", 5, "voices (1)"),
        ("script.cast.1", None, "characters (1)"),
        ("script.cast.0.colour", "red", "colours of characters (1)"),
        ("dictionary.entries.0.reading", "abc", "words in the dictionary (1)"),
        ("export", [], "export settings (1)"),
        ("takes.0.sound", "../x", "takes (1)"),
        ("takes.1.id", "t", "takes (1)"),
        ("presets.p", {"speed": 99}, "presets (1)"),
        ("tests", [5], "blind tests (1)"),
        ("sounds", 5, "sounds in the file (1)"),
    ],
)
def test_what_cannot_be_read_costs_no_more_than_that(tmp_path: Path, path: str, value: Any, told: str) -> None:
    set_language("en")
    opened = damaged(tmp_path, path, value)
    assert opened.losses == (f"Could not be read: {told}.",)
    texts = [line.text for line in opened.project.script.lines]
    assert texts == (["一", "三"] if told.startswith("damaged lines") else ["一", "二", "三"])
    kept = opened.project.script.lines[0]
    assert kept.settings.voice == ("" if path.endswith(".settings") else "v")
    assert len(kept.overrides.moras) == (0 if path.endswith(("overrides", "moras")) else 1 if "overrides" in path else 2)
    for name in ("voices", "dictionary", "takes", "presets", "tests"):
        lost = 0 if not path.startswith(name) else len(getattr(WHOLE, name)) if "." not in path else 1
        assert len(getattr(opened.project, name)) == len(getattr(WHOLE, name)) - lost or path == "tests"


def test_equal_ids_and_japanese(tmp_path: Path) -> None:
    set_language("ja")
    opened = damaged(tmp_path, "script.lines.2.id", WHOLE.script.lines[0].id)
    assert len({line.id for line in opened.project.script.lines}) == 3
    assert damaged(tmp_path, "script.lines.1", 5).losses == ("壊れた行は読み込めませんでした（2 行目）。",)
    assert damaged(tmp_path, "takes.0", 5).losses == ("テイクは読み込めませんでした（1 件）。",)


@pytest.mark.parametrize(
    ("path", "value"), [("script", 5), ("script.lines", {}), ("script.version", 3), ("format", "x"), ("takes", [{}] * 10_001)]
)
def test_what_is_no_project_is_none(tmp_path: Path, path: str, value: Any) -> None:
    with pytest.raises(InputError):
        damaged(tmp_path, path, value)


def test_far_too_much_is_refused_at_once(tmp_path: Path) -> None:
    set_language("en")
    head = b'{"format":"koebako-project","version":1,"script":{"version":1,"lines":['
    for lines, told in (
        (b'{"text":"' + b"a" * (4 << 20) + b'"}', "too long"),
        (b'{"text":"a"},' * 149_999 + b'{"text":"a"}', "too many lines"),
    ):
        (tmp_path / "a.koebako").write_bytes(head + lines + b"]}}")
        began = time.process_time()
        with pytest.raises(InputError, match=told):
            open_project(tmp_path / "a.koebako")
        assert time.process_time() - began < 5
