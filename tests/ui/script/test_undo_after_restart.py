"""The last steps of undo are there after a restart, of the very script that they belong to, or not at all."""

import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.common.files.paths import HOME_VARIABLE
from app.core.script.script import Character, Line, LineSettings, Script, move_lines, remove_lines, replace_text
from app.settings.user_settings import Settings, save_settings
from app.ui.script import undo_history
from app.ui.script.autosave import load_autosave, locate_autosave_file, write_autosave
from app.ui.script.script_document import ScriptDocument
from app.ui.script.undo_history import MAX_KEPT_BYTES, MAX_KEPT_STEPS, UndoHistory, UndoStep, load_undo_history, locate_undo_file
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.projects.project_deeds import opened, press, press_key, project_file, texts
from tests.ui.script.test_script_document import kept
from tests.ui.window_driver import WindowDriver, start_window_program

DELETE_AND_WAIT = """
from app.ui.script.undo_history import locate_undo_file
window.commands.add_text("雨。\\n雪。\\n風。", 0)
window.script.select_lines([line.id for line in window.lines[:2]])
window.commands.delete_lines()
timer = QTimer(window)
timer.timeout.connect(lambda: locate_undo_file().exists() and print("kept", flush=True))
timer.start(100)
"""


def undo(qtbot: QtBot, window: WindowDriver) -> None:
    window.script.setFocus()
    press_key(qtbot, window, Qt.Key.Key_Z)


def fill(window: WindowDriver) -> None:
    """Three lines, of which two were deleted again."""
    window.commands.add_text("雨。\n雪。\n風。", 0)
    window.script.select_lines([line.id for line in window.lines[:2]])
    window.commands.delete_lines()


def test_what_was_deleted_before_a_restart_comes_back(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    fill(window)
    window.sliders["speed"].set_value(1.5)
    window.undo_stack.undo()
    window.close()
    again = open_window(ready=False)
    assert texts(again) == ["風。"]
    assert again.window_actions["undo"].text() == "Undo: Delete lines\tCtrl+Z"
    assert again.window_actions["redo"].text().startswith("Redo: Change settings")
    undo(qtbot, again)
    assert texts(again) == ["雨。", "雪。", "風。"]
    assert again.script.selected_ids == [line.id for line in again.lines[:2]], "what came back is selected"
    again.undo_stack.redo()
    again.undo_stack.redo()
    assert [line.settings.speed for line in again.lines] == [1.5]
    again.undo_stack.setIndex(0)
    assert texts(again) == []
    again.close()
    once_more = open_window(ready=False)
    once_more.undo_stack.setIndex(3)
    assert [(line.text, line.settings.speed) for line in once_more.lines] == [("風。", 1.5)]


def test_a_step_of_before_is_joined_by_no_edit(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text="雨。"), ready=False)
    window.sliders["speed"].set_value(1.5)
    window.close()
    again = open_window(ready=False)
    again.sliders["speed"].set_value(1.6)
    again.undo_stack.undo()
    assert again.lines[0].settings.speed == 1.5


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kill -9")
def test_it_survives_kill_9(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    save_settings(Settings(load_voice="first_use", text=""), home / "settings.json")
    process = start_window_program(DELETE_AND_WAIT, home=home)
    assert process.stdout is not None
    assert process.stdout.readline() == "kept\n"
    process.kill()
    process.communicate(timeout=30)
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    window = open_window(ready=False)
    assert texts(window) == ["風。"]
    undo(qtbot, window)
    assert texts(window) == ["雨。", "雪。", "風。"]


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def change_a_letter(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace("雪".encode(), "雹".encode()))


def write_garbage(file: Path) -> None:
    file.write_bytes(b"\xff\x00" * 99)


def grow(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b" " * MAX_KEPT_BYTES)


@pytest.mark.parametrize("damage", [truncate, change_a_letter, write_garbage, grow])
def test_a_damaged_history_is_dropped_and_said_in_the_log_only(
    open_window: OpenWindow, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    window = open_window(ready=False)
    fill(window)
    window.close()
    damage(locate_undo_file())
    with caplog.at_level("INFO", "koebako"):
        again = open_window(ready=False)
    assert texts(again) == ["風。"]
    assert not again.undo_stack.canUndo()
    assert not any(banner.is_wanted for banner in (again.notice, again.banner))
    assert "the steps of undo were dropped" in caplog.text
    assert not locate_undo_file().exists()


def test_a_script_that_something_else_has_written_has_no_history(open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    fill(window)
    window.close()
    write_autosave_without_history(load_autosave().script)
    again = open_window(ready=False)
    assert texts(again) == ["風。"]
    assert not again.undo_stack.canUndo()


def write_autosave_without_history(script: Script | None) -> None:
    """Writes the script as a version does that knows nothing of the history."""
    assert script is not None
    kept_steps = locate_undo_file().read_bytes()
    write_autosave(script, "other")
    locate_undo_file().write_bytes(kept_steps)


def test_a_project_that_another_program_changed_is_shown_without_history(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。", "雪。")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    window.commands.delete_lines()
    window.projects.save_project()
    qtbot.waitUntil(lambda: window.projects.is_idle and not window.project.is_changed, timeout=WAIT_MS)
    window.close()
    project_file(file, "ほかで書いた。")
    again = open_window(ready=False)
    qtbot.waitUntil(lambda: texts(again) == ["ほかで書いた。"], timeout=WAIT_MS)
    assert not again.undo_stack.canUndo()


def test_a_saved_project_has_its_steps_and_its_file_has_none(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。", "雪。")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    window.commands.delete_lines()
    window.projects.save_project()
    qtbot.waitUntil(lambda: not window.project.is_changed, timeout=WAIT_MS)
    window.close()
    assert "雨" not in file.read_text(encoding="utf-8")
    again = open_window(ready=False)
    undo(qtbot, again)
    assert texts(again) == ["雨。", "雪。"]
    assert again.project.is_changed
    again.undo_stack.redo()
    assert not again.project.is_changed, "as the file has it"


def test_nothing_is_kept_of_a_script_that_was_not_to_be(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    fill(window)
    window.script_file.save_now()
    qtbot.waitUntil(locate_undo_file().exists, timeout=WAIT_MS)
    window.projects.create_project()
    qtbot.waitUntil(lambda: window.projects.question is not None, timeout=WAIT_MS)
    press(window, "Don't save")
    qtbot.waitUntil(lambda: not locate_undo_file().exists(), timeout=WAIT_MS)
    window.close()
    assert not open_window(ready=False).undo_stack.canUndo()


def test_seeds_that_were_rolled_meanwhile_stay(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="雨。"), ready=False)
    window.side.seed.set_locked(False)
    window.commands.add_text("雪。", 1)
    seed = window.seeds.roll_seed(window.lines[0]).settings.seed
    window.close()
    again = open_window(ready=False)
    again.undo_stack.undo()
    assert [(line.text, line.settings.seed) for line in again.lines] == [("雨。", seed)]


def make_history(states: list[Script], present: int) -> UndoHistory:
    """The steps from one state to the next, seen from one of them."""
    steps = [UndoStep(f"step {number}", *pair) for number, pair in enumerate(pairwise(states))]
    return UndoHistory(states[present], tuple(reversed(steps[:present])), tuple(steps[present:]))


def load_history() -> UndoHistory:
    """The steps that lead to the autosaved script."""
    script = load_autosave().script
    assert script is not None
    return load_undo_history(script, locate_autosave_file())


CAST = tuple(Character(name, LineSettings(speed=1.5), id=name) for name in ("アキ", "ケン"))


@st.composite
def edit_histories(draw: st.DrawFn) -> tuple[list[Script], int]:
    """Scripts one edit apart, and the place of the present one."""
    states = [Script(tuple(Line(f"{number}\ud800", id=str(number), pause_after_s=1.0) for number in range(4)), "題")]
    for number in range(draw(st.integers(0, 6))):
        script = states[-1]
        ids = draw(st.sets(st.sampled_from([line.id for line in script.lines]))) if script.lines else set()
        kind = draw(st.sampled_from(["remove", "move", "text", "add", "cast", "title"]))
        edited = {
            "remove": remove_lines(script, ids),
            "move": move_lines(script, ids, draw(st.integers(0, 4))),
            "text": replace_text(script, next(iter(ids), ""), f"変更 {number}"),
            "add": replace(script, lines=(*script.lines, Line("新しい", CAST[0].settings, id=f"n{number}", character="アキ"))),
            "cast": replace(script, cast=CAST[: draw(st.integers(0, 2))]),
            "title": replace(script, title=f"題 {number}", unknown='{"later": 1}'),
        }
        states.append(edited[kind])
    return states, draw(st.integers(0, len(states) - 1))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edited=edit_histories())
def test_what_is_kept_comes_back(edited: tuple[list[Script], int], tmp_path: Path) -> None:
    states, place = edited
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
        history = make_history(states, place)
        write_autosave(states[place], "", history=history)
        # Of a character that the script does not have: such lines belong to nobody once they are read.
        found = load_undo_history(states[place], locate_autosave_file())
    assert (found.done, found.undone) == (history.done, history.undone)


def test_the_nearest_steps_are_kept_and_no_more_bytes_than_that(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    document = ScriptDocument(Script((Line("0", id="a"),)))
    for number in range(1, 80):
        document.apply_edit(f"step {number}", replace_text(document.script, "a", str(number)))
    before = kept()
    for _ in range(3):
        write_autosave(document.script, "", history=document.collect_history())
    assert kept() == before
    history = load_history()
    assert [step.label for step in history.done] == [f"step {number}" for number in range(79, 79 - MAX_KEPT_STEPS, -1)]
    document.stack.setIndex(0)
    assert len(document.collect_history().undone) == MAX_KEPT_STEPS
    long = [Script(tuple(Line(f"{number}" + "長い文" * 400, id=str(row)) for row in range(100))) for number in range(9)]
    write_autosave(long[-1], "", history=make_history(long, 8))
    assert MAX_KEPT_BYTES // 2 < locate_undo_file().stat().st_size <= MAX_KEPT_BYTES
    done = load_history().done
    assert 1 < len(done) < 8
    assert done[0].former_script == long[7]
    monkeypatch.setattr(undo_history, "MAX_KEPT_BYTES", 2_000)
    write_autosave(long[-1], "", history=make_history(long, 8))
    assert not locate_undo_file().exists()


def test_a_disk_that_refuses_it_costs_the_steps_alone(caplog: pytest.LogCaptureFixture) -> None:
    states = [Script((Line(text, id="a"),)) for text in "雨雪"]
    locate_undo_file().mkdir(parents=True)
    write_autosave(states[1], "", history=make_history(states, 1))
    assert "were not kept" in caplog.text
    found = load_autosave()
    assert (found.script, load_history(), found.error) == (states[1], UndoHistory(), None)
    assert locate_autosave_file().exists()
