"""What users do with takes, through the real pipeline: dice, listen, star, restore, delete, undo, and the next start."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.audition import embedded_sounds
from app.audition.parallel_sounds import ParallelSounds
from app.audition.take_store import TakeStore, find_sound_folder
from app.core.script.project import LineTake
from app.engine.synthesis_jobs import SpeechJob
from app.interchange.koebako_files import read_project
from app.settings.user_settings import Settings
from app.ui.script import autosave
from app.ui.script.autosave import load_autosave
from app.ui.takes.take_panel import NOTE, TakePanel, TakeRow
from app.ui.takes.take_repository import TAKES_PER_BATCH
from tests.recording_player import RecordingPlayer
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow, speak, wait_idle, write
from tests.ui.projects.project_deeds import name_it, opened, project_file
from tests.ui.projects.project_deeds import press as answer
from tests.ui.window_driver import WindowDriver

HELLO = "こんにちは、世界。"


def takes(window: WindowDriver) -> tuple[LineTake, ...]:
    return window.take_book.takes


def panel_of(window: WindowDriver) -> TakePanel:
    if not window.window_actions["show_takes"].isChecked():
        window.takes_fold.button.click()
    assert window.takes.panel is not None
    return window.takes.panel


def rows(window: WindowDriver) -> list[TakeRow]:
    return list(panel_of(window).table.takes.rows)


def until_kept(qtbot: QtBot, window: WindowDriver, count: int) -> None:
    qtbot.waitUntil(lambda: len(takes(window)) == count, timeout=WAIT_MS)


def rolled(qtbot: QtBot, window: WindowDriver, count: int = TAKES_PER_BATCH) -> TakePanel:
    write(window, HELLO)
    window.window_actions["more_takes"].trigger()
    until_kept(qtbot, window, count)
    return panel_of(window)


def choose(window: WindowDriver, place: int) -> TakeRow:
    panel_of(window).table.selectRow(place)
    return rows(window)[place]


def press(window: WindowDriver, name: str) -> None:
    button = panel_of(window).buttons[name]
    assert button.isEnabled()
    button.click()


def heard_last(qtbot: QtBot, window: WindowDriver, player: RecordingPlayer, before: set[str]) -> np.ndarray:
    qtbot.waitUntil(lambda: len(set(player.requests) - before) == 1, timeout=WAIT_MS)
    wait_idle(qtbot, window)
    (request,) = set(player.requests) - before
    return player.sound(request)


def test_takes_are_made_heard_starred_restored_deleted_and_back_at_the_next_start(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer
) -> None:
    window = open_window()
    panel = rolled(qtbot, window)
    line = window.selection.line
    assert line is not None
    assert panel.isVisible()
    assert len({take.settings.seed for take in takes(window)} | {line.settings.seed}) == TAKES_PER_BATCH + 1
    assert len({take.sound for take in takes(window)}) == TAKES_PER_BATCH, "each sounds otherwise"
    assert not window.history.utterances, "nothing of it is among the figures of listening"
    assert [row.differs for row in rows(window)] == [()] * TAKES_PER_BATCH, "the seed alone, which has a column"

    row = choose(window, 2)
    before = set(player.requests)
    press(window, "play")
    played = heard_last(qtbot, window, player, before)
    kept, _rate = TakeStore(find_sound_folder(None)).read_sound(row.take.sound)
    assert np.array_equal(played, kept)
    assert len(played) == pytest.approx(row.take.length_s * 44_100, abs=1)

    QTest.keyClick(panel.table, Qt.Key.Key_S)
    assert takes(window)[2].starred
    panel.table.takes.setData(panel.table.takes.index(2, NOTE), " 明るい ")
    assert takes(window)[2].note == "明るい"
    assert panel.table.current is not None
    assert panel.table.current.take.id == row.take.id, "the choice stays"

    window.commands.change_setting("speed", 1.5)
    assert "1" in rows(window)[2].difference, "the take is slower than the line now"
    press(window, "restore")
    line = window.selection.line
    assert line is not None
    assert line.settings == replace(row.take.settings, seed_locked=True)
    speak(qtbot, window)
    again = np.concatenate([chunk.samples for chunk in list(player.requests.values())[-1]])
    assert np.abs(again - kept).max() < 1e-4, "it sounds as the take does"
    window.undo_stack.undo()
    line = window.selection.line
    assert line is not None
    assert line.settings.speed == 1.5, "one step"

    QTest.keyClick(panel.table, Qt.Key.Key_Delete)
    assert len(takes(window)) == TAKES_PER_BATCH - 1
    assert not window.banner.isHidden()
    press_action(window.banner, "Undo")
    assert takes(window)[2] == replace(row.take, starred=True, note="明るい"), "back in its place"
    choose(window, 0)
    QTest.keyClick(panel.table, Qt.Key.Key_Delete)
    gone = [take for take in rows(window) if take.number]
    assert len(gone) == TAKES_PER_BATCH - 1
    window.close()

    assert len(list(find_sound_folder(None).glob("*"))) == TAKES_PER_BATCH - 1, "nothing stays of the one that was deleted"
    other = open_window(Settings(text="", takes_open=True))
    assert [take.sound for take in takes(other)] == [take.sound for take in takes(window)]
    qtbot.waitUntil(lambda: other.takes.panel is not None and other.takes.panel.isVisible(), timeout=WAIT_MS)
    choose(other, 1)
    player.requests.clear()
    press(other, "play")
    assert np.array_equal(heard_last(qtbot, other, player, set()), kept)


def test_what_was_heard_is_kept_with_one_key_and_once(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    write(window, HELLO)
    window.window_actions["keep_take"].trigger()
    assert not takes(window)
    assert not window.banner.isHidden(), "there is nothing to keep yet, and it says so"
    window.commands.change_setting("seed_locked", False)
    speak(qtbot, window)
    heard = np.concatenate([chunk.samples for chunk in list(player.requests.values())[-1]])
    speak(qtbot, window)
    assert [row.number for row in rows(window)] == [0, 0], "both can still be kept"
    choose(window, 0)
    press(window, "keep")
    until_kept(qtbot, window, 1)
    assert np.abs(TakeStore(find_sound_folder(None)).read_sound(takes(window)[0].sound)[0] - heard).max() < 1e-4
    assert [row.number for row in rows(window)] == [1, 0]
    window.window_actions["show_takes"].trigger()
    window.window_actions["keep_take"].trigger()
    until_kept(qtbot, window, 2)
    window.window_actions["keep_take"].trigger()
    speak(qtbot, window, "別の文です。")
    window.window_actions["keep_take"].trigger()
    until_kept(qtbot, window, 3)
    assert [take.text for take in takes(window)] == [HELLO, HELLO, "別の文です。"]
    assert "3" in window.takes_fold.button.text()


def test_a_take_and_the_line_are_heard_side_by_side_and_switched(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=1.0)
    window = open_window(open_player=lambda _device, _rate: player)
    panel = rolled(qtbot, window)
    window.commands.change_setting("volume", 0.25)
    take = choose(window, 0).take
    press(window, "compare")
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0, timeout=WAIT_MS)
    (job,) = window.controller.spoken_jobs
    assert isinstance(job, SpeechJob)
    assert job.source == take
    assert isinstance(job.recorded, ParallelSounds)
    assert job.recorded.wanted == 0
    first = panel.state.text()
    QTest.keyClick(panel.table, Qt.Key.Key_A)
    assert job.recorded.wanted == 1
    assert panel.state.text() != first, "it says which one is heard"
    assert job.recorded.gains[0] < 0.5 < 1.0 == job.recorded.gains[1], "the line is four times softer, so the take is made softer"
    window.window_actions["stop"].trigger()
    wait_idle(qtbot, window)
    assert not panel.state.text()
    assert not window.history.utterances


def test_making_takes_is_stopped_and_a_take_that_is_gone_says_so(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, HELLO * 20)
    window.window_actions["more_takes"].trigger()
    panel = panel_of(window)
    qtbot.waitUntil(panel.buttons["stop"].isVisible, timeout=WAIT_MS)
    press(window, "stop")
    wait_idle(qtbot, window)
    assert panel.buttons["stop"].isHidden()
    assert not takes(window)
    rolled(qtbot, window)
    window.takes.shelf.sounds._stores.clear()
    (find_sound_folder(None) / takes(window)[0].sound).unlink()
    choose(window, 0)
    press(window, "play")
    qtbot.waitUntil(lambda: not window.banner.isHidden(), timeout=WAIT_MS)
    assert window.banner.hint.text()


def test_takes_go_with_the_project(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    rolled(qtbot, window)
    assert window.project.is_changed, "there is something to lose"
    file = tmp_path / "話.koebako"
    name_it(monkeypatch, file)
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project_as()
    sounds = {take.sound for take in takes(window)}
    qtbot.waitUntil(
        lambda: find_sound_folder(file).is_dir() and {item.name for item in find_sound_folder(file).iterdir()} == sounds, timeout=WAIT_MS
    )
    assert {take.sound for take in read_project(file).takes} == sounds
    choose(window, 0)
    press(window, "delete")
    assert window.project.is_changed
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()
    press_action(window.banner, "Undo")
    assert {take.sound for take in takes(window)} == sounds, "even after it was saved without"
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()

    opened(qtbot, window, project_file(tmp_path / "other.koebako", "はい。"))
    assert not takes(window)
    assert not rows(window)
    opened(qtbot, window, file)
    assert {take.sound for take in takes(window)} == sounds
    name_it(monkeypatch, tmp_path / "copy.koebako")
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project_as()
    qtbot.waitUntil(lambda: len(list(find_sound_folder(tmp_path / "copy.koebako").glob("*"))) == TAKES_PER_BATCH, timeout=WAIT_MS)
    assert len(list(find_sound_folder(file).iterdir())) == TAKES_PER_BATCH, "the other file keeps its own"
    assert list(find_sound_folder(None).iterdir())
    window.close()
    assert not list(find_sound_folder(None).iterdir()), "nothing stays in the data folder of what has a file"


def test_a_file_that_includes_its_sounds_is_passed_on_alone(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    rolled(qtbot, window)
    action = window.window_actions["embed_sounds"]
    assert not action.isChecked()
    file, alone = tmp_path / "話.koebako", tmp_path / "elsewhere" / "話.koebako"
    name_it(monkeypatch, file)
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project_as()
    assert b'"sounds"' not in file.read_bytes()
    action.trigger()
    assert window.project.is_changed
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()
    assert not window.project.is_changed
    sound, store = takes(window)[0].sound, TakeStore(find_sound_folder(file))
    qtbot.waitUntil(lambda: store.has_sound(sound), timeout=WAIT_MS)  # it comes to the new folder in the background
    expected, _rate = store.read_sound(sound)
    with monkeypatch.context() as patch, qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        patch.setattr(embedded_sounds, "MAX_EMBEDDED_SOUND_BYTES", 10)
        window.projects.save_project()
    assert str(TAKES_PER_BATCH) in window.banner.message.text(), "what does not fit is said"
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()
    alone.parent.mkdir()
    file.rename(alone)
    opened(qtbot, window, project_file(tmp_path / "other.koebako", "はい。"))
    assert not action.isChecked(), "the mark is the project's"
    opened(qtbot, window, alone)
    assert action.isChecked()
    choose(window, 0)
    player.requests.clear()
    press(window, "play")
    assert np.array_equal(heard_last(qtbot, window, player, set()), expected)
    window.close()
    assert autosave.locate_autosave_file().stat().st_size < 20_000, "what is kept every two seconds has no sounds in it"

    shutil.rmtree(find_sound_folder(alone))
    other = open_window(Settings(text="", takes_open=True))
    qtbot.waitUntil(
        lambda: find_sound_folder(alone).is_dir() and len(list(find_sound_folder(alone).iterdir())) == TAKES_PER_BATCH, timeout=WAIT_MS
    )
    assert not other.project.is_changed


def test_all_takes_go_at_once_after_a_question_and_their_sounds_with_them(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    action, deletion = window.window_actions["delete_takes"], window.takes_deletion
    assert not action.isEnabled()
    rolled(qtbot, window)
    wait_idle(qtbot, window)
    book, store = window.take_book, find_sound_folder(None)
    book.change_take(takes(window)[1].id, starred=True)

    def answer(words: str) -> None:
        action.trigger()
        assert deletion.question is not None
        next(button for button in deletion.question.buttons() if button.text() == words).click()
        assert deletion.question is None

    answer("Cancel")
    assert len(takes(window)) == TAKES_PER_BATCH
    answer("Keep starred")
    (kept,) = takes(window)
    assert kept.starred
    answer("Delete all")
    assert not takes(window)
    assert not action.isEnabled()
    assert (store / kept.sound).is_file()
    window.leaving.close_now()
    assert not (store / kept.sound).exists()


def test_the_list_follows_the_line_and_takes_no_room_while_closed(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    assert window.takes.panel is None, "made when it is wanted"
    rolled(qtbot, window)
    window.commands.add_line()
    window.script.end_editing()
    panel = panel_of(window)
    assert not panel.table.takes.rows
    assert panel.empty.isVisible()
    assert window.takes_fold.button.text().isalpha(), "no number"
    window.script.select_lines([window.lines[-2].id])
    assert len(rows(window)) == TAKES_PER_BATCH
    panel.buttons["close"].click()
    assert panel.isHidden()
    assert not window.window_actions["show_takes"].isChecked()
    assert not window.settings.value.takes_open


def test_takes_are_on_the_disk_soon_and_outlive_a_kill(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "AUTOSAVE_DELAY_MS", 50)
    window = open_window()
    rolled(qtbot, window)
    qtbot.waitUntil(lambda: load_autosave().origin.parts.takes == takes(window), timeout=WAIT_MS)
    assert {item.name for item in find_sound_folder(None).iterdir()} == {take.sound for take in takes(window)}
    if os.name == "posix":
        assert {item.stat().st_mode & 0o77 for item in (find_sound_folder(None), *find_sound_folder(None).iterdir())} == {0}, (
            "its owner alone"
        )


def test_a_project_that_was_saved_but_not_its_sounds_finds_them_where_they_were(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer, tmp_path: Path
) -> None:
    window = open_window()
    rolled(qtbot, window)
    file = project_file(tmp_path / "saved.koebako", HELLO, takes=tuple(replace(take, line="l0") for take in takes(window)))
    with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
        window.projects.open_file(file)
        answer(window, "Don't save")
    assert not find_sound_folder(file).exists()
    choose(window, 0)
    before = set(player.requests)
    press(window, "play")
    assert len(heard_last(qtbot, window, player, before)) == pytest.approx(takes(window)[0].length_s * 44_100, abs=1)
    window.close()
    there = {item.name for folder in (find_sound_folder(None), find_sound_folder(file)) for item in folder.iterdir()}
    assert there == {take.sound for take in takes(window)}, "those that were not heard wait where they are"
