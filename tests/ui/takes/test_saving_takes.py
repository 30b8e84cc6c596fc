"""Takes that are made, deleted and left while a project is being written, without a window."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.audition.take_store import TakeStore, find_sound_folder
from app.core.script.project import LineTake, list_sounds
from app.interchange import koebako_files
from app.interchange.koebako_files import read_project
from app.ui.script.autosave import load_autosave
from tests.ui.conftest import WAIT_MS
from tests.ui.takes.desk import Desk


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """With a project in `a.koebako`."""
    made = Desk()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: (str(tmp_path / "a.koebako"), ""))
    with qtbot.waitSignal(made.projects.saved, timeout=WAIT_MS):
        made.projects.save_project()
    yield made
    made.close()


class SlowFile:
    """A project file that is written when the test wants it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        write = koebako_files.write_project

        def slowly(path: Path, project: Any) -> str:
            self.begun.set()
            assert self.go.wait(30)
            return write(path, project)

        monkeypatch.setattr(koebako_files, "write_project", slowly)


def keep(qtbot: QtBot, desk: Desk, seed: int) -> LineTake:
    """A take that a crash cannot take away any more."""
    found: list[LineTake] = []
    desk.keep(seed, found.append)
    qtbot.waitUntil(lambda: len(found) == 1, timeout=WAIT_MS)
    return found[0]


def begin_saving(qtbot: QtBot, desk: Desk, file: SlowFile) -> None:
    desk.projects.save_project()
    qtbot.waitUntil(file.begun.is_set, timeout=WAIT_MS)


def idle(qtbot: QtBot, desk: Desk) -> None:
    qtbot.waitUntil(lambda: desk.projects.is_idle, timeout=WAIT_MS)


def press(desk: Desk, words: str) -> None:
    question = desk.projects.question
    assert question is not None
    next(button for button in question.buttons() if button.text() == words).click()


def file_of(desk: Desk) -> Path:
    assert desk.project.path is not None
    return desk.project.path


def sounds_beside(desk: Desk) -> set[str]:
    return set(TakeStore(find_sound_folder(file_of(desk))).list_names())


def test_a_take_that_is_reported_is_on_the_disk_and_in_the_recovery(qtbot: QtBot, desk: Desk) -> None:
    take = keep(qtbot, desk, 1)
    assert load_autosave().origin.parts.takes == (take,)
    assert TakeStore(find_sound_folder(None)).has_sound(take.sound)
    assert not sounds_beside(desk), "beside the file lies only what it names"


def test_takes_made_while_a_project_is_written_are_in_the_next_one(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first = keep(qtbot, desk, 1)
    file = SlowFile(monkeypatch)
    begin_saving(qtbot, desk, file)
    second = keep(qtbot, desk, 2)
    file.go.set()
    idle(qtbot, desk)
    qtbot.waitUntil(lambda: sounds_beside(desk) == {first.sound}, timeout=WAIT_MS)
    assert desk.project.is_changed
    desk.projects.save_project()
    idle(qtbot, desk)
    assert read_project(file_of(desk)).takes == (first, second)
    assert sounds_beside(desk) == {first.sound, second.sound}


def test_what_is_deleted_while_a_project_is_written_stays_until_it_is_written_without(
    qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = keep(qtbot, desk, 1)
    file = SlowFile(monkeypatch)
    begin_saving(qtbot, desk, file)
    desk.shelf.delete_takes(starred=True)
    file.go.set()
    idle(qtbot, desk)
    desk.autosave.save_now()
    qtbot.wait(50)
    desk.projects.background.wait_until_idle()
    assert list_sounds(read_project(file_of(desk)).takes) == sounds_beside(desk) == {take.sound}
    with qtbot.waitSignal(desk.projects.saved, timeout=WAIT_MS):
        desk.projects.save_project()
    qtbot.waitUntil(lambda: not sounds_beside(desk) and not TakeStore(find_sound_folder(None)).list_names(), timeout=WAIT_MS)


def test_saving_again_while_a_project_is_written_saves_what_is_there_then(
    qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SlowFile(monkeypatch)
    begin_saving(qtbot, desk, file)
    desk.projects.save_project()
    take = keep(qtbot, desk, 1)
    file.go.set()
    idle(qtbot, desk)
    assert desk.projects.question is None, "nobody else has written it"
    assert read_project(file_of(desk)).takes == (take,)
    assert not desk.project.is_changed


def test_another_project_waits_for_what_is_written_and_asks_for_what_was_made_since(
    qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(qtbot, desk, 1)
    path, file = file_of(desk), SlowFile(monkeypatch)
    begin_saving(qtbot, desk, file)
    desk.projects.create_project()
    take = keep(qtbot, desk, 2)
    assert desk.projects.question is None
    file.go.set()
    qtbot.waitUntil(lambda: desk.projects.question is not None, timeout=WAIT_MS)
    assert desk.project.path == path
    press(desk, "Save")
    qtbot.waitUntil(lambda: desk.project.path is None, timeout=WAIT_MS)
    assert take in read_project(path).takes
    assert desk.project.digest == ""
    desk.projects.open_file(path)
    qtbot.waitUntil(lambda: desk.project.path == path, timeout=WAIT_MS)
    assert len(desk.shelf.book.takes) == 2


def test_a_take_that_is_being_kept_is_a_change_that_is_asked_for(qtbot: QtBot, desk: Desk) -> None:
    assert not desk.project.is_changed
    desk.keep(1, lambda _take: None)
    desk.projects.create_project()
    qtbot.waitUntil(lambda: desk.projects.question is not None, timeout=WAIT_MS)
    assert len(desk.shelf.book.takes) == 1
    press(desk, "Cancel")


def test_a_take_that_is_being_kept_when_the_window_closes_is_there_at_the_next_start(qtbot: QtBot) -> None:
    desk = Desk()
    desk.keep(1, lambda _take: None)
    assert not desk.shelf.book.takes
    desk.close()
    again = Desk()
    (take,) = again.shelf.book.takes
    assert TakeStore(find_sound_folder(None)).has_sound(take.sound)
    again.close()


def test_a_project_whose_sounds_cannot_be_put_beside_it_is_not_written(qtbot: QtBot, desk: Desk) -> None:
    path = file_of(desk)
    before = path.read_bytes()
    take = keep(qtbot, desk, 1)
    find_sound_folder(path).write_bytes(b"no folder")
    desk.projects.save_project()
    idle(qtbot, desk)
    assert [error.message for error in desk.errors] == [f"The take could not be kept: {find_sound_folder(path)}"]
    assert (path.read_bytes(), desk.project.is_changed) == (before, True)
    assert TakeStore(find_sound_folder(None)).has_sound(take.sound)
    desk.errors.clear()
    find_sound_folder(path).unlink()
    desk.projects.save_project()
    idle(qtbot, desk)
    assert sounds_beside(desk) == {take.sound}


def test_what_waits_for_a_save_that_fails_is_given_up(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another script was asked for after the save: shown after a save that failed, it would take the unsaved one away."""
    path, take, file = file_of(desk), keep(qtbot, desk, 1), SlowFile(monkeypatch)
    begin_saving(qtbot, desk, file)
    desk.projects.create_project()
    desk.projects.save_project(lambda: pytest.fail("nothing was saved"))
    find_sound_folder(path).rename(path.with_name("elsewhere"))
    path.unlink()
    path.mkdir()
    file.go.set()
    idle(qtbot, desk)
    assert len(desk.errors) == 1, "once is enough"
    assert desk.projects.question is None
    assert (desk.project.path, desk.shelf.book.takes) == (path, (take,))


@pytest.mark.parametrize("is_beside", [True, False])
def test_a_sound_of_a_project_that_was_open_before_is_held_until_it_lies_beside_that(qtbot: QtBot, desk: Desk, *, is_beside: bool) -> None:
    path, take = file_of(desk), keep(qtbot, desk, 1)
    desk.projects.save_project()
    idle(qtbot, desk)
    if not is_beside:
        (find_sound_folder(path) / take.sound).unlink()
    desk.projects.create_project()
    qtbot.waitUntil(lambda: desk.project.path is None, timeout=WAIT_MS)
    desk.close()
    assert TakeStore(find_sound_folder(None)).has_sound(take.sound) == (not is_beside)


def test_a_take_is_not_put_back_after_all_were_deleted(qtbot: QtBot, desk: Desk) -> None:
    book, take = desk.shelf.book, keep(qtbot, desk, 1)
    book.remove_take(take)
    desk.shelf.delete_takes(starred=True)
    assert not book.restore_take(take, 0)
    assert not book.takes


def test_what_was_asked_for_a_project_is_not_done_to_the_next_one(qtbot: QtBot, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path, take = file_of(desk), keep(qtbot, desk, 1)
    desk.projects.create_project()
    file = SlowFile(monkeypatch)
    begin_saving(qtbot, desk, file)
    desk.projects.save_project()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: pytest.fail("nobody wants to save the empty script"))
    press(desk, "Don't save")
    assert desk.project.path is None
    file.go.set()
    idle(qtbot, desk)
    assert (desk.project.path, desk.shelf.book.takes) == (None, ())
    assert read_project(path).takes == (take,)


def test_a_deleted_take_can_be_put_back_after_saving_under_another_name(
    qtbot: QtBot, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = keep(qtbot, desk, 1)
    desk.projects.save_project()
    idle(qtbot, desk)
    (find_sound_folder(None) / take.sound).unlink()  # as the end of a start does: from now on it lies beside the file alone
    desk.shelf.book.remove_take(take)
    other = tmp_path / "another" / "name.koebako"
    other.parent.mkdir()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: (str(other), ""))
    desk.projects.save_project_as()
    idle(qtbot, desk)
    assert desk.project.path == other
    assert desk.shelf.book.restore_take(take, 0)
    heard: list[object] = []
    desk.shelf.fetch_sound(take, heard.append)
    qtbot.waitUntil(lambda: bool(heard))
    assert desk.errors == []
