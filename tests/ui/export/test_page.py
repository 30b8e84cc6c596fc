"""The export page over the real pipeline: what it shows is what is written, and nothing else waits for it."""

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.adapters.sound import sound_file_sink
from app.cli.main import main
from app.common.errors import OutputFileError
from app.core.script.project import Project
from app.core.script.script import Character, Line, LineSettings, Script
from app.core.synthesis_types import AudioChunk, StageTiming
from app.engine.synthesis_jobs import EngineEvent
from app.export.manifest_store import JOURNAL_NAME, MANIFEST_NAME
from app.interchange.koebako_files import write_project
from app.settings.user_settings import Settings
from app.ui.export.export_controller import ExportDialog
from app.ui.export.export_progress import ExportProgress
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle
from tests.ui.window_driver import WindowDriver

# In the names of the export's record, which another thread writes.
RECORD = Path(MANIFEST_NAME).stem
CTRL = Qt.KeyboardModifier.ControlModifier
LINES = (
    Line("雨が降る。", LineSettings(seed=3), id="a"),
    Line(" ", id="b"),
    Line("雪が積もる。", LineSettings(speaker="Tohoku f01", style="Happy"), id="c"),
)
SCRIPT = Script(LINES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the files go."""
    made = tmp_path / "out"
    made.mkdir()
    return made


@pytest.fixture
def window(open_window: OpenWindow, folder: Path) -> WindowDriver:
    window = open_window(Settings(text="", save_folder=str(folder)))
    window.document.reset_script(SCRIPT)
    window.script.select_lines(["c"])
    return window


class Listener(RecordingPlayer):
    """Notes whose sound comes, in the order of the work that the engine does.

    Attributes:
        steps: the id of the request of each stage and of each piece of sound.
    """

    def __init__(self) -> None:
        super().__init__(pace=1.0)
        self.steps: list[tuple[str, str]] = []

    def write_chunk(self, chunk: AudioChunk) -> None:
        self.steps.append(("sound", chunk.request_id))
        super().write_chunk(chunk)

    def note_stage(self, event: EngineEvent) -> None:
        if isinstance(event, StageTiming):
            self.steps.append(("stage", event.request_id))


def page_of(qtbot: QtBot, window: WindowDriver) -> ExportDialog:
    window.window_actions["export"].trigger()
    page = window.export.dialog
    assert page is not None
    qtbot.waitUntil(lambda: page.export_button.isEnabled(), timeout=WAIT_MS)
    return page


def progress_of(window: WindowDriver) -> ExportProgress:
    assert window.export.progress is not None
    return window.export.progress


def shown(page: ExportDialog) -> list[str]:
    return [str(page.files.index(row, 0).data()) for row in range(page.files.rowCount())]


def settle(qtbot: QtBot, page: ExportDialog, count: int) -> None:
    qtbot.waitUntil(lambda: page.export_button.isEnabled() and page.files.rowCount() == count, timeout=WAIT_MS)


def wait_over(qtbot: QtBot, window: WindowDriver) -> None:
    qtbot.waitUntil(lambda: window.export.run is not None and window.export.run.is_over, timeout=3 * WAIT_MS)
    wait_idle(qtbot, window)


def names(folder: Path) -> list[str]:
    return sorted(item.relative_to(folder).as_posix() for item in folder.rglob("*") if item.is_file() and RECORD not in item.name)


def test_what_is_shown_is_written(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    qtbot.keyClick(window, Qt.Key.Key_E, CTRL)
    page = page_of(qtbot, window)
    assert shown(page) == ["001_Mei_Neutral_雨が降る。.wav", "003_Tohoku f01_Happy_雪が積もる。.wav"]
    assert "001_Mei" in page.form.pattern.note.text()
    page.form.pattern.edit.setText("$id$")
    page.form.files.choose_value("speaker_folders")
    page.form.sound.choose_value("flac")
    page.form.sidecars.choose_kinds(("lab",))
    qtbot.waitUntil(lambda: shown(page) == ["Mei/a.flac", "Tohoku f01/c.flac"], timeout=WAIT_MS)
    page.export_button.click()
    wait_over(qtbot, window)
    assert names(folder) == ["Mei/a.flac", "Mei/a.lab", "Tohoku f01/c.flac", "Tohoku f01/c.lab"]
    assert window.export.dialog is None
    assert progress_of(window) in window.messages.wanted_cards
    assert progress_of(window).title.text() == "Exported 2 files."
    assert progress_of(window).open.isVisibleTo(window)
    assert not progress_of(window).stop_button.isVisibleTo(window)


def test_only_the_selection(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    page = page_of(qtbot, window)
    page.form.what.choose_value("selection")
    settle(qtbot, page, 1)
    page.export_button.click()
    wait_over(qtbot, window)
    assert [name[:3] for name in names(folder)] == ["003"]


def test_a_name_that_cannot_be_and_a_missing_folder_are_told(qtbot: QtBot, window: WindowDriver) -> None:
    page = page_of(qtbot, window)
    page.form.pattern.edit.setText("a/b")
    qtbot.waitUntil(lambda: page.files.rowCount() == 0, timeout=WAIT_MS)
    assert "cannot contain" in page.form.pattern.note.text()
    assert not page.export_button.isEnabled()
    page.form.pattern.insert.menu().actions()[0].trigger()
    assert page.form.pattern.edit.text() == "a/b$number$"
    page.form.pattern.edit.setText("$number$")
    page.form.folder.path.clear()
    qtbot.waitUntil(lambda: "folder" in page.note.text(), timeout=WAIT_MS)
    assert not page.export_button.isEnabled()
    page.reject()


def test_one_question_about_files_that_exist(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    for answer, expected in (("Cancel", 1), ("Replace", 2), ("Add numbers", 3), ("Skip", 2)):
        for name in names(folder):
            (folder / name).unlink()
        (folder / "a.wav").write_bytes(b"old")
        before = window.export.run
        page = page_of(qtbot, window)
        page.form.pattern.edit.setText("$id$")
        settle(qtbot, page, 2)
        qtbot.waitUntil(lambda page=page: shown(page)[0] == "a.wav", timeout=WAIT_MS)
        assert page.files.index(0, 1).data() == "Asks"
        page.export_button.click()
        qtbot.waitUntil(lambda: window.export.question is not None, timeout=WAIT_MS)
        question = window.export.question
        assert isinstance(question, QMessageBox)
        assert question.informativeText() == "a.wav"
        next(button for button in question.buttons() if button.text() == answer).click()
        if answer == "Cancel":
            qtbot.waitUntil(lambda: window.export.question is None)
            assert window.export.run is None
            page.reject()
        else:
            qtbot.waitUntil(lambda before=before: window.export.run is not before, timeout=WAIT_MS)
            wait_over(qtbot, window)
        assert len(names(folder)) == expected, answer
        assert ((folder / "a.wav").read_bytes() == b"old") == (answer != "Replace"), answer


def test_what_lies_beside_a_sound_is_asked_about_with_it(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    mine = {name: f"mine {name}" for name in ("a.srt", "voice_lines.csv")}
    for answer, made in (("Skip", ["c.srt", "c.wav"]), ("Add numbers", ["a 2.srt", "a 2.wav", "c.srt", "c.wav", "voice_lines 2.csv"])):
        for name in names(folder):
            (folder / name).unlink()
        for name, text in mine.items():
            (folder / name).write_text(text, encoding="utf-8")
        page = page_of(qtbot, window)
        page.form.game.choose_value("csv")
        page.form.sidecars.choose_kinds(("srt",))
        settle(qtbot, page, 2)
        qtbot.waitUntil(lambda page=page: page.files.index(0, 1).data() == "Asks", timeout=WAIT_MS)
        page.export_button.click()
        qtbot.waitUntil(lambda: window.export.question is not None, timeout=WAIT_MS)
        question = window.export.question
        assert isinstance(question, QMessageBox)
        assert question.informativeText().splitlines() == list(mine)
        before = window.export.run
        next(button for button in question.buttons() if button.text() == answer).click()
        qtbot.waitUntil(lambda before=before: window.export.run is not before, timeout=WAIT_MS)
        wait_over(qtbot, window)
        qtbot.waitUntil(lambda made=made: names(folder) == sorted([*made, *mine]), timeout=WAIT_MS)
        assert {name: (folder / name).read_text(encoding="utf-8") for name in mine} == mine
        run = window.export.run
        assert run is not None
        qtbot.waitUntil(lambda run=run, answer=answer: ("voice_lines.csv" in run.note) == (answer == "Skip"), timeout=WAIT_MS)


def test_settings_are_remembered_by_the_project_and_for_the_next_one(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    page = page_of(qtbot, window)
    page.form.sound.choose_value("mp3")
    page.form.quality.choose_value("high")
    page.form.sidecars.choose_kinds(("srt",))
    page.form.unit.choose_value("mora")
    settle(qtbot, page, 2)
    before = page.form.settings
    page.export_button.click()
    wait_over(qtbot, window)
    assert window.project_parts.export == {"sound": "mp3", "quality": "high", "sidecars": ["srt"], "unit": "mora"}
    assert str(folder) not in str(window.project_parts.export), "a path is nobody else's business"
    page = page_of(qtbot, window)
    assert page.form.settings == before
    page.reject()
    window.project.change_parts(export={"sound": "ogg", "game": "renpy"})
    page = page_of(qtbot, window)
    assert (page.form.settings.sound, page.form.settings.game) == ("ogg", "renpy")
    page.reject()
    window.project.change_parts(export={"sound": "exe"})
    page = page_of(qtbot, window)
    assert page.form.settings.sound == "mp3"
    page.reject()


def test_the_same_samples_as_the_command(qtbot: QtBot, window: WindowDriver, folder: Path, tmp_path: Path) -> None:
    page = page_of(qtbot, window)
    page.form.pattern.edit.setText("$id$")
    page.form.quality.choose_value("float")
    page.form.loudness.choose_target(-30.0, is_each_file=False)
    qtbot.waitUntil(lambda: shown(page) == ["a.wav", "c.wav"] and page.export_button.isEnabled(), timeout=WAIT_MS)
    page.export_button.click()
    wait_over(qtbot, window)
    write_project(tmp_path / "p.koebako", Project(SCRIPT))
    options = ["--pattern", "$id$", "--subtype", "float", "--loudness", "-30"]
    assert main(["export", str(tmp_path / "p.koebako"), "-o", str(tmp_path / "cli"), *options]) == 0
    for name in ("a.wav", "c.wav"):
        ours, theirs = (soundfile.read(place / name, dtype="float32")[0] for place in (folder, tmp_path / "cli"))
        assert np.array_equal(ours, theirs)


def test_a_target_out_of_reach_is_said_in_the_card(qtbot: QtBot, window: WindowDriver) -> None:
    page = page_of(qtbot, window)
    page.form.loudness.choose_target(-10.0, is_each_file=False)
    settle(qtbot, page, 2)
    page.export_button.click()
    wait_over(qtbot, window)
    assert progress_of(window).title.text() == "Exported 2 files. The limiter lowered peaks by up to 6.0 dB."
    assert "LUFS instead of -10: the peaks of " in progress_of(window).state.text()


def test_a_line_that_cannot_be_spoken_leaves_the_others_alone(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    silent = Line("、。", id="d")
    window.document.reset_script(Script((*LINES, silent, replace(silent, settings=LineSettings(voice="none"), id="e"))))
    page = page_of(qtbot, window)
    page.form.pattern.edit.setText("$id$")
    settle(qtbot, page, 4)
    page.export_button.click()
    wait_over(qtbot, window)
    assert names(folder) == ["a.wav", "c.wav", "d.wav"]
    assert not soundfile.read(folder / "d.wav")[0].any()
    assert "e.wav" in progress_of(window).state.text()
    assert progress_of(window).more.isVisibleTo(window)
    assert window.banner.isHidden()


def test_a_full_disk_ends_all(qtbot: QtBot, window: WindowDriver, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OutputFileError("The disk is full.", "Free some space.")

    monkeypatch.setattr(sound_file_sink.SoundFileSink, "write_chunk", full)
    page = page_of(qtbot, window)
    page.export_button.click()
    wait_over(qtbot, window)
    assert names(folder) == []
    assert window.export.run is not None
    assert len(window.export.run.failed) == 1
    assert progress_of(window).state.text() == "The disk is full. Free some space."


def test_stop_leaves_whole_files_only(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    window.document.reset_script(Script(tuple(Line(f"{number}番目の行です。" * 3) for number in range(8))))
    page = page_of(qtbot, window)
    page.form.sidecars.choose_kinds(("lab", "json"))
    settle(qtbot, page, 8)
    page.export_button.click()
    qtbot.waitUntil(lambda: window.export.run is not None and len(window.export.run.written) >= 2, timeout=WAIT_MS)
    window.window_actions["export"].trigger()
    assert window.export.dialog is None, "one export at a time"
    progress_of(window).stop_button.click()
    wait_idle(qtbot, window)
    left = names(folder)
    assert not [name for name in left if name.endswith(".part")]
    stems = {name.rsplit(".", 1)[0] for name in left}
    assert 2 <= len(stems) < 8
    assert len(left) == 3 * len(stems)
    assert "stopped" in progress_of(window).title.text()
    page = page_of(qtbot, window)
    page.form.existing.choose_value("skip")
    settle(qtbot, page, 8)
    before = window.export.run
    page.export_button.click()
    qtbot.waitUntil(lambda: window.export.run is not before, timeout=WAIT_MS)
    wait_over(qtbot, window)
    assert len(names(folder)) == 24


def test_a_game_gets_its_list(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    page = page_of(qtbot, window)
    page.form.game.choose_value("wwise")
    qtbot.waitUntil(lambda: shown(page) == ["a.wav", "c.wav"], timeout=WAIT_MS)
    settle(qtbot, page, 2)
    page.export_button.click()
    wait_over(qtbot, window)
    qtbot.waitUntil(lambda: (folder / "voice_lines.wsources").exists(), timeout=WAIT_MS)
    assert (folder / "voice_lines.wsources").read_text(encoding="utf-8").count("<Source Path=") == 2


def test_files_are_no_part_of_the_latency_figures(qtbot: QtBot, window: WindowDriver) -> None:
    page = page_of(qtbot, window)
    page.export_button.click()
    wait_over(qtbot, window)
    assert not window.history.utterances


def test_seeds_that_roll_are_those_that_were_heard(qtbot: QtBot, window: WindowDriver, folder: Path, player: RecordingPlayer) -> None:
    window.document.reset_script(Script((Line("雨が降る。", LineSettings(seed_locked=False), id="a"),)))
    window.script.select_lines(["a"])
    request = speak(qtbot, window)
    heard = np.concatenate([chunk.samples for chunk in player.requests[request]])
    page = page_of(qtbot, window)
    page.form.quality.choose_value("float")
    page.form.pattern.edit.setText("$seed$")
    seed = window.seeds.apply_last_seed(window.lines[0]).settings.seed
    qtbot.waitUntil(lambda: shown(page) == [f"{seed}.wav"] and page.export_button.isEnabled(), timeout=WAIT_MS)
    page.export_button.click()
    wait_over(qtbot, window)
    assert np.array_equal(soundfile.read(folder / f"{seed}.wav", dtype="float32")[0], heard)


def test_playing_and_typing_go_on_while_many_lines_are_written(
    qtbot: QtBot, open_window: OpenWindow, folder: Path, monkeypatch: pytest.MonkeyPatch, at_length: bool
) -> None:
    """A line does not wait for the batch, and once it sounds, nothing of the batch is computed before the rest of it.

    The lines are short: of a longer one so much would wait in the player that the batch had its turn.
    """
    count, played = (200, ("150", "160", "170")) if at_length else (30, ("25",))
    player = Listener()
    window = open_window(Settings(text="", save_folder=str(folder)), lambda _device, _rate: player)
    window.speech_thread.reported.connect(player.note_stage, Qt.ConnectionType.DirectConnection)
    window.document.reset_script(Script(tuple(Line(f"{number}番目の天気です。", id=str(number)) for number in range(count))))
    monkeypatch.setattr(os, "fsync", lambda _file: time.sleep(0.002))
    page = page_of(qtbot, window)
    page.form.sidecars.choose_kinds(("lab", "json"))
    settle(qtbot, page, count)
    page.export_button.click()
    qtbot.waitUntil(lambda: window.export.run is not None and len(window.export.run.written) >= 3, timeout=WAIT_MS)
    run = window.export.run
    assert run is not None
    first_audio = []
    for number in played:
        window.script.select_lines([number])
        window.play_commands.play_or_stop()
        last = window.history.last
        assert last is not None
        qtbot.waitUntil(lambda last=last: last.first_audio_ms is not None, timeout=WAIT_MS)
        first_audio.append(last.first_audio_ms or 0.0)
        assert not run.is_over, "the batch was over before the line was heard"
        if number != played[-1]:
            window.play_commands.stop_playing()
    qtbot.waitUntil(lambda: not window.speech_state.is_speaking, timeout=WAIT_MS)
    wait_over(qtbot, window)
    assert len(run.written) == count
    assert len(window.history.utterances) == len(played)
    assert all(first_audio)
    assert len(player.requests) == len(played)
    for request_id in player.requests:
        places = [place for place, step in enumerate(player.steps) if step == ("sound", request_id)]
        assert {owner for _, owner in player.steps[places[0] : places[-1]]} == {request_id}


def test_only_what_changed(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    window.document.reset_script(Script(tuple(Line(f"{word}です。", id=word) for word in "abcd")))
    window.project.path = folder.parent / "story.koebako"

    def begin(pattern: str) -> None:
        page = page_of(qtbot, window)
        page.form.pattern.edit.setText(pattern)
        page.form.only_changed.setChecked(True)
        page.form.sidecars.choose_kinds(("txt",))
        qtbot.waitUntil(lambda: page.export_button.isEnabled() and page.files.rowCount() > 0, timeout=WAIT_MS)
        states.append([str(page.files.index(row, 1).data()) for row in range(page.files.rowCount())])
        counts.append(page.count.text())
        before = window.export.run
        page.export_button.click()
        qtbot.waitUntil(lambda: window.export.run is not before, timeout=WAIT_MS)
        wait_over(qtbot, window)
        qtbot.waitUntil(lambda: (folder / MANIFEST_NAME).is_file() and not (folder / JOURNAL_NAME).exists(), timeout=WAIT_MS)

    states: list[list[str]] = []
    counts: list[str] = []
    begin("$id$")
    stamps = {name: (folder / name).stat().st_mtime_ns for name in names(folder)}
    lines = list(window.document.script.lines)
    lines[0] = replace(lines[0], text="雨です。")
    window.document.reset_script(Script(tuple(lines[:3])))
    begin("$id$")
    assert states[1] == ["Write", "Unchanged", "Unchanged"]
    assert counts[1] == "Files to write: 1", "zeros are left out"
    progress = progress_of(window)
    assert progress.title.text() == "1 written, 2 unchanged. 1 file belongs to lines that are no longer in the script."
    assert {name for name in names(folder) if (folder / name).stat().st_mtime_ns != stamps[name]} == {"a.wav", "a.txt"}
    assert progress.orphans.isVisibleTo(window)
    progress.orphans.click()
    assert progress.question is not None
    assert "d.wav" in progress.question.informativeText()
    next(button for button in progress.question.buttons() if button.text() == "Remove").click()
    qtbot.waitUntil(lambda: not (folder / "d.wav").exists() and not progress.orphans.isVisibleTo(window), timeout=WAIT_MS)
    assert "Removed 1 file" in progress.state.text()
    begin("$number$")
    assert states[2] == ["Rename"] * 3
    assert counts[2] == "Files to write: 0, to rename: 3"
    assert names(folder) == ["001.txt", "001.wav", "002.txt", "002.wav", "003.txt", "003.wav"]
    assert (folder / "002.wav").stat().st_mtime_ns == stamps["b.wav"]


def test_the_command_knows_the_files_of_the_window(
    qtbot: QtBot, window: WindowDriver, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "story.koebako"
    window.project.path = file
    # A line keeps the names of its former voice, and is spoken with the first ones of its present voice.
    script = Script((*LINES, Line("風が吹く。", LineSettings(speaker="Nobody", style="Angry!"), id="d")))
    window.document.reset_script(script)
    write_project(file, Project(script))
    page = page_of(qtbot, window)
    page.form.pattern.edit.setText(pattern := "$id$_$speaker$_$style$")
    page.form.loudness.choose_target(-23.0, is_each_file=False)
    settle(qtbot, page, 3)
    page.export_button.click()
    wait_over(qtbot, window)
    qtbot.waitUntil(lambda: (folder / MANIFEST_NAME).is_file(), timeout=WAIT_MS)
    assert main(["export", str(file), "-o", str(folder), "--pattern", pattern, "--loudness", "-23", "--only", "changed"]) == 0
    assert "3 unchanged." in capsys.readouterr().err
    assert names(folder) == ["a_Mei_Neutral.wav", "c_Tohoku f01_Happy.wav", "d_Mei_Neutral.wav"]


def test_names_that_nobody_chose_follow_the_files_and_the_cast(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    page = page_of(qtbot, window)
    field = page.form.pattern
    qtbot.waitUntil(lambda: field.edit.text() == "$number$_$speaker$_$style$_$text$", timeout=WAIT_MS)
    page.form.files.choose_value("joined")
    qtbot.waitUntil(lambda: shown(page) == ["雨が降る。.wav"], timeout=WAIT_MS)
    assert (field.edit.text(), field.pattern) == ("$text$", "")
    page.reject()
    hero = Character("アキ", id="h")
    window.document.reset_script(Script(tuple(replace(line, character="h") for line in LINES), cast=(hero,)))
    window.project.path = folder.parent / "物語.koebako"
    page = page_of(qtbot, window)
    field = page.form.pattern
    qtbot.waitUntil(lambda: shown(page) == ["001_アキ_雨が降る。.wav", "003_アキ_雪が積もる。.wav"], timeout=WAIT_MS)
    assert (field.edit.text(), field.pattern) == ("$number$_$character$_$text$", "")
    page.form.files.choose_value("joined")
    qtbot.waitUntil(lambda: shown(page) == ["物語.wav"], timeout=WAIT_MS)
    assert "物語.wav" in field.note.text()
    field.edit.setText("$連番$_$キャラ$")
    page.form.files.choose_value("lines")
    qtbot.waitUntil(lambda: shown(page) == ["001_Mei.wav", "003_Tohoku f01.wav"], timeout=WAIT_MS)
    assert field.edit.text() == "$連番$_$キャラ$", "what the user typed stays"
    field.edit.clear()
    qtbot.wait(300)
    assert field.edit.text() == "", "it does not come back while another one is typed"
    page.form.show_settings(replace(page.form.settings, pattern="$連番$_$キャラ$"))
    assert field.edit.text() == "$number$_$speaker$", "in the language of the window"


def test_a_folder_of_an_earlier_version_shows_its_names(qtbot: QtBot, window: WindowDriver, folder: Path) -> None:
    (folder / "001_Mei_Neutral_雨が降る。.wav").write_bytes(b"of an earlier version")
    hero = Character("アキ", id="h")
    window.document.reset_script(Script(tuple(replace(line, character="h") for line in LINES), cast=(hero,)))
    page = page_of(qtbot, window)
    qtbot.waitUntil(lambda: shown(page) == ["001_Mei_Neutral_雨が降る。.wav", "003_Tohoku f01_Happy_雪が積もる。.wav"], timeout=WAIT_MS)
    assert (page.form.pattern.edit.text(), page.form.pattern.pattern) == ("$number$_$speaker$_$style$_$text$", "")
