"""An agent works on a project as a person does: lines, characters, readings, accents, pauses, melody; saved and exported in its folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import soundfile

from app.adapters.openjtalk.reading_choices import PROJECT_WORDS
from app.compose.speaker_opening import open_speaker
from app.core.script.project import Project
from app.core.script.script import Line, LineSettings, Script
from app.core.synthesis_types import BOUNDS, AudioChunk
from app.core.text.dictionary_entries import DictionaryEntry
from app.engine.engine import EngineThread
from app.engine.open_voices import OpenVoices
from app.interchange.koebako_files import read_project, write_project
from app.service.agents import project_export
from app.service.agents.agent_tools import SpeechTools
from tests.speech_tools import create_speech_tools

FIRST = "あらゆる現実を、すべて自分のほうへねじ曲げたのだ。"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The agent's folder, which is there already."""
    folder = tmp_path / "agent"
    folder.mkdir()
    return folder


@pytest.fixture
def tools(folder: Path) -> Iterator[SpeechTools]:
    """All tools, of which those of projects are tried here."""
    with EngineThread(OpenVoices(lambda opening: open_speaker(opening.voice, "cpu"))) as engine:
        yield create_speech_tools(engine, folder)
    PROJECT_WORDS.entries = ()


def call(tools: SpeechTools, tool: str, /, **values: Any) -> dict[str, Any]:
    result = tools.call_tool(tool, values, "tester")
    assert not result["isError"], result
    return dict(result["structuredContent"])


def refuse(tools: SpeechTools, tool: str, /, **values: Any) -> str:
    result = tools.call_tool(tool, values, "tester")
    assert result["isError"], result
    return str(result["content"][0]["text"])


def begin(tools: SpeechTools, *texts: str) -> None:
    call(tools, "open_project", title="物語")
    call(tools, "add_lines", lines=[{"text": text} for text in texts])


def test_a_project_is_written_saved_and_opened_again(tools: SpeechTools, folder: Path) -> None:
    begin(tools, "はい。")
    call(tools, "set_character", name="アキ", speed=1.2)
    assert call(tools, "add_lines", lines=[{"text": "今日は。", "character": "ｱｷ"}], before=1) == {"first": 1, "count": 1, "total": 2}
    assert refuse(tools, "save_project").startswith("The project has no name yet.")
    assert call(tools, "save_project", file="story") == {"file": "story.koebako", "lines": 2}
    saved = read_project(folder / "story.koebako")
    assert [line.text for line in saved.script.lines] == ["今日は。", "はい。"]
    assert [line.settings.speed for line in saved.script.lines] == [1.2, 1.0]
    assert saved.script.title == "物語"
    call(tools, "open_project")
    assert call(tools, "list_lines")["total"] == 0
    assert call(tools, "open_project", file="story.koebako") == {"title": "物語", "lines": 2, "characters": ["アキ"]}
    (first, second) = call(tools, "list_lines")["lines"]
    assert (first["character"], first["speed"], "character" in second) == ("アキ", 1.2, False)
    assert call(tools, "edit_line", line=1, latin="english")["latin"] == "english"
    assert "latin" not in call(tools, "edit_line", line=1, latin="katakana")


def test_what_is_not_saved_is_not_dropped_unasked(tools: SpeechTools) -> None:
    begin(tools, "はい。")
    assert "not saved" in refuse(tools, "open_project")
    assert call(tools, "list_lines")["total"] == 1
    call(tools, "open_project", discard_changes=True)
    assert call(tools, "list_lines")["total"] == 0
    call(tools, "list_characters")
    call(tools, "open_project")


def test_a_line_is_shaped_as_by_hand(tools: SpeechTools, folder: Path) -> None:
    begin(tools, FIRST, "橋の端。")
    read = call(tools, "read_line", line=1)
    assert [word["word"] for word in read["words"]][:3] == ["あらゆる", "現実", "を"]
    edited = call(
        tools,
        "edit_line",
        line=1,
        style=None,
        readings=[{"word": "現実", "kana": "うつつ"}],
        accents=[{"mora": 0, "accent": 1}],
        pauses=[{"pause": 0, "seconds": 0.5}],
        melody=[{"mora": 2, "semitones": 1.5}],
    )
    assert "ウツツ" in edited["kana"]
    assert edited["phrases"][0]["accent"] == 1
    assert edited["pauses"][0]["seconds"] == 0.5
    assert edited["melody"] == [{"mora": 2, "semitones": 1.5}]
    assert edited["is_edited"]
    call(tools, "save_project", file="shaped")
    line = read_project(folder / "shaped.koebako").script.lines[0]
    assert [item.reading for item in line.overrides.readings] == ["うつつ"]
    assert line.overrides.text == FIRST
    # Typing leaves the edits of words that stay.
    moved = call(tools, "edit_line", line=1, text="では、" + FIRST)
    assert "ウツツ" in moved["kana"]
    plain = call(
        tools,
        "edit_line",
        line=1,
        text=FIRST,
        readings=[{"word": "現実", "kana": ""}],
        accents=[{"mora": 0}],
        pauses=[{"pause": 0}],
        melody=[{"mora": 2, "semitones": 0}],
    )
    assert plain["kana"] == read["kana"]
    assert plain["phrases"] == read["phrases"]
    assert "is_edited" not in plain


def test_the_pause_behind_a_line(tools: SpeechTools, folder: Path) -> None:
    call(tools, "open_project")
    call(tools, "add_lines", lines=[{"text": "はい。", "pause_after_s": 0}, {"text": "いいえ。"}])
    assert call(tools, "edit_line", line=2, pause_after_s=1.5)["pause_after_s"] == 1.5
    assert [line.get("pause_after_s") for line in call(tools, "list_lines")["lines"]] == [0, 1.5]
    assert "pause_after_s" not in call(tools, "edit_line", line=1, pause_after_s=-1)
    assert "pause_after_s" in refuse(tools, "edit_line", line=1, pause_after_s=11)
    call(tools, "save_project", file="paused")
    assert [line.pause_after_s for line in read_project(folder / "paused.koebako").script.lines] == [None, 1.5]


def test_phrases_are_divided_and_joined(tools: SpeechTools) -> None:
    begin(tools, "東京都知事。")
    before = call(tools, "read_line", line=1)["phrases"]
    parted = call(tools, "edit_line", line=1, accents=[{"mora": 2, "begins_phrase": True}])["phrases"]
    assert 2 in [phrase["mora"] for phrase in parted]
    assert call(tools, "edit_line", line=1, accents=[{"mora": 2, "begins_phrase": True}])["phrases"] == parted
    joined = call(tools, "edit_line", line=1, accents=[{"mora": 2, "begins_phrase": False}])["phrases"]
    assert [phrase["mora"] for phrase in joined] == [phrase["mora"] for phrase in before if phrase["mora"] != 2]
    assert "always begins" in refuse(tools, "edit_line", line=1, accents=[{"mora": 0, "begins_phrase": False}])


@pytest.mark.parametrize(
    "values",
    [
        {"line": 3},
        {"line": 0},
        {"line": 1.5},
        {"line": True},
        {"line": 1, "speed": BOUNDS["speed"].high + 1},
        {"line": 1, "voice": "nobody"},
        {"line": 1, "character": "nobody"},
        {"line": 1, "text": ""},
        {"line": 1, "text": "あ" * 2001},
        {"line": 1, "readings": [{"word": "無い", "kana": "ナイ"}]},
        {"line": 1, "readings": [{"word": "橋", "kana": "bridge"}]},
        {"line": 1, "accents": [{"mora": 99, "accent": 0}]},
        {"line": 1, "accents": [{"mora": 0, "accent": 99}]},
        {"line": 1, "accents": [{"mora": 0, "begins_phrase": "yes"}]},
        {"line": 1, "pauses": [{"pause": 9, "seconds": 1}]},
        {"line": 1, "pauses": [{"pause": 0, "seconds": 99}]},
        {"line": 1, "melody": [{"mora": 0, "semitones": 13}]},
        {"line": 1, "melody": [{"mora": 99, "semitones": 1}]},
        {"line": 1, "melody": []},
    ],
)
def test_an_edit_that_is_wrong_changes_nothing(tools: SpeechTools, values: dict[str, Any]) -> None:
    begin(tools, "橋を渡る。", "はい。")
    before = call(tools, "list_lines")
    assert refuse(tools, "edit_line", **({"text": "いいえ。", "speed": 1.5} | values))
    assert call(tools, "list_lines") == before


def test_a_word_that_occurs_twice_is_chosen_by_its_number(tools: SpeechTools) -> None:
    begin(tools, "明日、明日。")
    assert "occurrence" in refuse(tools, "edit_line", line=1, readings=[{"word": "明日", "kana": "アス"}])
    edited = call(tools, "edit_line", line=1, readings=[{"word": "明日", "kana": "ミョウニチ", "occurrence": 1.0}])
    assert edited["kana"] == "アシタミョウニチ"


def test_characters_and_their_lines(tools: SpeechTools) -> None:
    begin(tools, "一。")
    assert call(tools, "set_character", name="ケン", pitch=-2)["lines"] == 0
    call(tools, "edit_line", line=1, character="ケン")
    changed = call(tools, "set_character", name="ケン", new_name="健", pitch=-1.5)
    assert (changed["name"], changed["pitch"], changed["lines"]) == ("健", -1.5, 1)
    assert call(tools, "list_lines")["lines"][0]["pitch"] == -1.5
    assert call(tools, "list_characters")["characters"] == [changed]
    call(tools, "set_character", name="アキ")
    assert "cannot be used" in refuse(tools, "set_character", name="アキ", new_name="健")
    assert refuse(tools, "set_character", name="博士", voice="nobody")
    assert [item["name"] for item in call(tools, "list_characters")["characters"]] == ["健", "アキ"]
    call(tools, "edit_line", line=1, character="")
    assert "character" not in call(tools, "list_lines")["lines"][0]


def test_what_changed_is_exported_and_nothing_else(tools: SpeechTools, folder: Path) -> None:
    begin(tools, "一。", "二。")
    assert "Save the project" in refuse(tools, "export_changed")
    call(tools, "save_project", file="story")
    first = call(tools, "export_changed")
    assert [item["line"] for item in first["files"]] == [1, 2]
    assert all(soundfile.info(folder / item["file"]).duration > 0.2 for item in first["files"])
    assert call(tools, "export_changed")["files"] == []
    call(tools, "edit_line", line=2, text="三。")
    call(tools, "save_project")
    again = call(tools, "export_changed")
    assert ([item["line"] for item in again["files"]], again["unchanged"], again["remaining"]) == ([2], 1, 0)
    assert {path.parent.name for path in folder.rglob("*.wav")} == {"story"}
    assert len(list(folder.rglob("*.wav"))) == 2


def test_an_export_goes_on_where_one_call_ended(tools: SpeechTools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_export, "MAX_EXPORTED_LINES", 2)
    begin(tools, "一。", "二。", "三。")
    call(tools, "save_project", file="story")
    assert [call(tools, "export_changed", format="flac")["remaining"] for _ in range(3)] == [1, 0, 0]


def test_lines_of_voices_that_are_not_offered_fail_alone(tools: SpeechTools, folder: Path) -> None:
    write_project(folder / "a.koebako", Project(Script((Line("一。", LineSettings("secret")), Line("二。")))))
    call(tools, "open_project", file="a")
    assert refuse(tools, "read_line", line=1)
    assert refuse(tools, "speak_line", line=1)
    made = call(tools, "export_changed")
    assert ([item["line"] for item in made["files"]], [item["line"] for item in made["failed"]]) == ([2], [1])
    assert call(tools, "edit_line", line=1, text="三。") == {"line": 1, "text": "三。", "voice": "secret", "style": ""}


@pytest.mark.parametrize("name", ["../a", "/etc/passwd", "a/b", "C:a", "linked", "missing", "folder"])
def test_projects_are_in_the_folder_alone(tools: SpeechTools, folder: Path, name: str) -> None:
    outside = folder.parent / "secret.koebako"
    write_project(outside, Project(Script((Line("秘密。"),))))
    (folder / "linked.koebako").symlink_to(outside)
    (folder / "folder.koebako").mkdir()
    assert refuse(tools, "open_project", file=name)
    content = outside.read_bytes()
    begin(tools, "はい。")
    if name != "missing":
        assert refuse(tools, "save_project", file=name)
    assert outside.read_bytes() == content


def test_no_file_of_another_program_is_overwritten(tools: SpeechTools, folder: Path) -> None:
    begin(tools, "一。")
    call(tools, "save_project", file="mine")
    (folder / "other.koebako").write_bytes(b"{}")
    assert "another program" in refuse(tools, "save_project", file="other")
    write_project(folder / "mine.koebako", Project(Script((Line("人が書いた。"),))))
    call(tools, "edit_line", line=1, text="二。")
    assert "another program" in refuse(tools, "save_project")
    assert read_project(folder / "mine.koebako").script.lines[0].text == "人が書いた。"
    assert call(tools, "save_project", file="mine 2")["file"] == "mine 2.koebako"


def test_sounds_go_through_no_link(tools: SpeechTools, folder: Path, tmp_path: Path) -> None:
    begin(tools, "一。")
    call(tools, "save_project", file="story")
    (tmp_path / "outside").mkdir()
    (folder / "story").symlink_to(tmp_path / "outside")
    assert "no folder" in refuse(tools, "export_changed")
    assert not list((tmp_path / "outside").iterdir())


def test_words_of_the_open_project_count(tools: SpeechTools, folder: Path) -> None:
    words = (DictionaryEntry("声箱", "ラララ", accent=0),)
    write_project(folder / "a.koebako", Project(Script((Line("声箱。"),)), dictionary=words))
    begin(tools, "声箱。")
    other = call(tools, "read_line", line=1)["kana"]
    assert other == "コエバコ"
    call(tools, "open_project", file="a", discard_changes=True)
    assert call(tools, "read_line", line=1)["kana"] == "ラララ"
    call(tools, "open_project")
    call(tools, "add_lines", lines=[{"text": "声箱。"}])
    assert call(tools, "read_line", line=1)["kana"] == other


class KeepingPlayer:
    """Takes sound and counts it."""

    queued_s = 0.0

    def __init__(self) -> None:
        self.heard_s = 0.0

    def write_chunk(self, chunk: AudioChunk) -> None:
        self.heard_s += len(chunk.samples) / chunk.sampling_rate

    def finish_request(self) -> None:
        pass


def test_a_line_is_heard_as_it_is(folder: Path) -> None:
    player = KeepingPlayer()
    with EngineThread(OpenVoices(lambda opening: open_speaker(opening.voice, "cpu"))) as engine:
        tools = create_speech_tools(engine, folder, open_output=lambda _device, _rate: cast(Any, player))
        begin(tools, "聞こえますか。")
        slow = call(tools, "speak_line", line=1)["seconds"]
        call(tools, "edit_line", line=1, speed=2)
        fast = call(tools, "speak_line", line=1)["seconds"]
    assert fast < 0.8 * slow
    assert player.heard_s == pytest.approx(slow + fast, abs=0.01)
