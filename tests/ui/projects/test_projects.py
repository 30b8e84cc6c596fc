"""Projects in the window: opened, saved, asked for, changed elsewhere, broken."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.cli.main import main
from app.core.script.project import VoiceReference
from app.core.script.script import Line, LineSettings, Script
from app.core.text.dictionary_entries import make_entry
from app.interchange.koebako_files import read_project
from app.settings.user_settings import Settings
from tests.ui.conftest import WAIT_MS, OpenWindow, write
from tests.ui.projects.project_deeds import CTRL, SHIFT, name_it, opened, press, press_key, project_file, saved, texts
from tests.ui.voices.test_voice_controller import drop_on


def test_a_script_gets_a_name_is_changed_saved_and_opened_again(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ready=False)
    assert window.windowTitle() == "Koebako"
    window.commands.add_text("雨。\n雪。", 0)
    assert window.windowTitle() == "● Untitled – Koebako"
    suggested = name_it(monkeypatch, tmp_path / "朗読")
    saved(qtbot, window)
    assert suggested == ["Untitled.koebako"]
    assert window.windowTitle() == "朗読 – Koebako"
    window.sliders["speed"].set_value(1.5)
    assert window.windowTitle() == "● 朗読 – Koebako"
    window.undo_stack.undo()
    assert window.windowTitle() == "朗読 – Koebako", "what was taken back is no change"
    window.undo_stack.redo()
    saved(qtbot, window)
    file = tmp_path / "朗読.koebako"
    assert read_project(file).script == replace(window.document.script, title="朗読")
    press_key(qtbot, window, Qt.Key.Key_N)
    assert window.projects.question is None
    assert (texts(window), window.windowTitle()) == ([], "Koebako")
    opened(qtbot, window, file)
    assert texts(window) == ["雨。", "雪。"]
    assert window.script.current_id == window.lines[0].id
    assert not window.undo_stack.canUndo()
    assert window.windowTitle() == "朗読 – Koebako"


def test_another_name_is_the_projects_from_then_on(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ready=False)
    opened(qtbot, window, project_file(tmp_path / "a.koebako", "雨。"))
    assert name_it(monkeypatch, tmp_path / "b.koebako") == []
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        press_key(qtbot, window, Qt.Key.Key_S, CTRL | SHIFT)
    write(window, "雪。")
    saved(qtbot, window)
    assert [read_project(tmp_path / name).script.lines[0].text for name in ("a.koebako", "b.koebako")] == ["雨。", "雪。"]
    names = [Path(name).stem for name in window.settings.value.recent_projects]
    assert names == ["b", "a"]


@pytest.mark.parametrize("answer", ["Save", "Don't save", "Cancel"])
def test_changes_are_asked_for_before_another_project_is_opened(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, answer: str) -> None:
    window = open_window(ready=False)
    first, second = project_file(tmp_path / "a.koebako", "雨。"), project_file(tmp_path / "b.koebako", "風。")
    opened(qtbot, window, first)
    write(window, "雪。")
    drop_on(window, second)
    assert texts(window) == ["雪。"], "nothing before the answer"
    if answer == "Cancel":
        press(window, answer)
        assert (texts(window), window.windowTitle()) == (["雪。"], "● a – Koebako")
    else:
        with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
            press(window, answer)
        assert (texts(window), window.windowTitle()) == (["風。"], "b – Koebako")
    assert window.projects.question is None
    assert read_project(first).script.lines[0].text == ("雪。" if answer == "Save" else "雨。")


def test_a_script_without_a_name_is_asked_for_too_and_a_greeting_is_not(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。")
    window = open_window(Settings(text=None), ready=False)
    opened(qtbot, window, file)
    window.projects.create_project()
    write(window, "雪。")
    window.projects.open_file(file)
    assert "Untitled" in (window.projects.question.text() if window.projects.question else "")
    press(window, "Cancel")
    assert texts(window) == ["雪。"]


def test_a_file_that_was_changed_elsewhere_is_not_replaced_without_a_question(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ready=False)
    file = project_file(tmp_path / "a.koebako", "雨。")
    opened(qtbot, window, file)
    write(window, "雪。")
    project_file(file, "ほかの人の行。")
    theirs = file.read_bytes()
    window.projects.save_project()
    qtbot.waitUntil(lambda: window.projects.question is not None, timeout=WAIT_MS)
    assert file.read_bytes() == theirs
    press(window, "Cancel")
    assert window.windowTitle() == "● a – Koebako"
    window.projects.save_project()
    qtbot.waitUntil(lambda: window.projects.question is not None, timeout=WAIT_MS)
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        press(window, "Replace")
    assert read_project(file).script.lines[0].text == "雪。"
    project_file(tmp_path / "b.koebako", "もうある。")
    name_it(monkeypatch, tmp_path / "b")
    window.projects.save_project_as()
    qtbot.waitUntil(lambda: window.projects.question is not None, timeout=WAIT_MS)
    assert "already exists" in (window.projects.question.text() if window.projects.question else "")
    press(window, "Cancel")
    assert texts(window) == ["雪。"]
    assert read_project(tmp_path / "b.koebako").script.lines[0].text == "もうある。"


def test_two_windows_that_save_one_project_at_once_lose_nothing_without_a_question(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。")
    windows = [open_window(ready=False), open_window(ready=False)]
    for window, text in zip(windows, ("雪。", "風。"), strict=True):
        opened(qtbot, window, file)
        write(window, text)
    for window in windows:
        window.projects.save_project()
    for window in windows:
        qtbot.waitUntil(lambda window=window: window.projects.question is not None or not window.project.is_changed, timeout=WAIT_MS)
    (asked,) = [window for window in windows if window.projects.question is not None]
    (first,) = [window for window in windows if window is not asked]
    assert "changed elsewhere" in (asked.projects.question.text() if asked.projects.question else "")
    assert read_project(file).script.lines[0].text == texts(first)[0]
    assert asked.windowTitle() == "● a – Koebako"
    with qtbot.waitSignal(asked.projects.saved, timeout=WAIT_MS):
        press(asked, "Replace")
    assert read_project(file).script.lines[0].text == texts(asked)[0]
    assert main(["project", "new", str(file), "--replace", "--title", "新しい"]) == 0
    for window in windows:
        write(window, "霧。")
        window.projects.save_project()
        qtbot.waitUntil(lambda window=window: window.projects.question is not None, timeout=WAIT_MS)
        press(window, "Cancel")
    assert read_project(file).script.title == "新しい"
    assert [item.name for item in tmp_path.glob("*a.koebako*")] == ["a.koebako"], "nothing hidden is left beside it"


def test_a_file_that_cannot_be_opened_changes_nothing(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(ready=False)
    opened(qtbot, window, project_file(tmp_path / "a.koebako", "雨。"))
    write(window, "雪。")
    unreadable = (b"", b"{", b"[]", b"\xff\xfe", b'{"format": "koebako-project", "version": 99}', b"[" * 100_000, None)
    for number, content in enumerate(unreadable):
        broken = tmp_path / f"{number}.koebako"
        if content is not None:
            broken.write_bytes(content)
        window.banner.hide()
        window.projects.open_file(broken)
        press(window, "Don't save")
        qtbot.waitUntil(window.banner.isVisible, timeout=WAIT_MS)
        assert window.banner.message.text() == f"“{number}.koebako” cannot be opened."
        assert window.banner.hint.text()
        assert (texts(window), window.windowTitle()) == (["雪。"], "● a – Koebako")
        assert window.undo_stack.canUndo()


def test_a_damaged_line_costs_itself_and_is_named(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。", "雪。", "風。")
    data = json.loads(file.read_text(encoding="utf-8"))
    data["script"]["lines"][1] = {"id": "b"}
    file.write_text(json.dumps(data), encoding="utf-8")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    assert texts(window) == ["雨。", "風。"]
    assert window.banner.message.text() == "Some parts of “a.koebako” could not be read."
    assert window.banner.hint.text().startswith("Could not be read: damaged lines (line 2). Saving it again removes")


def test_what_a_stranger_wrote_is_shown_as_pasted_text_is(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。")
    data = json.loads(file.read_text(encoding="utf-8"))
    style = {"style": "喜び\n\u202e" + "x" * 5_000, "voice": "a\0b"}
    data["script"]["lines"] = [
        {"id": "x\ny", "text": "赤\u202e青\x1b[31m\r\n白", "settings": style},
        {"id": "z", "text": "今日はいい天気です。" * 30_000},
    ]
    file.write_text(json.dumps(data), encoding="utf-8")
    window = open_window(ready=False)
    opened(qtbot, window, file)
    first, *others = window.lines
    assert first.text == "赤青[31m\n白"
    assert first.id != "x\ny"
    assert first.settings.style.startswith("喜び xxx")
    assert len(first.settings.style) == 200
    assert first.settings.voice == "ab"
    assert max(len(line.text) for line in others) <= 2_000
    assert "".join(line.text for line in others) == "今日はいい天気です。" * 30_000


def test_what_is_not_the_script_comes_back_too(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    parts: dict[str, Any] = {
        "voices": (VoiceReference("gone", "昔の声", "", "https://example.com/voice"), VoiceReference("unused", "使わない声")),
        "dictionary": (make_entry("声箱", "コエバコ", 2),),
        "export": {"format": "flac"},
        "others": {"from_the_future": [1, 2]},
    }
    file = project_file(tmp_path / "a.koebako", "雨。", "雪。", **parts)
    window = open_window(ready=False)
    opened(qtbot, window, file)
    line = window.lines[0]
    window.document.apply_edit("x", Script((replace(line, settings=LineSettings(voice="gone")), *window.lines[1:])))
    saved(qtbot, window)
    project = read_project(file)
    assert project.voices == parts["voices"][:1], "names of voices that are not here stay with their lines"
    assert {name: getattr(project, name) for name in ("dictionary", "export", "others")} == {
        name: parts[name] for name in ("dictionary", "export", "others")
    }
    window.project.change_parts(export={"format": "wav"})
    assert window.windowTitle() == "● a – Koebako"
    saved(qtbot, window)
    assert read_project(file).export == {"format": "wav"}


def test_recent_projects_are_a_menu(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(ready=False)
    assert not window.menus.recent.menuAction().isEnabled()
    for number in range(12):
        opened(qtbot, window, project_file(tmp_path / f"{number}.koebako", "雨。"))
    entries = [action for action in window.menus.recent.actions() if not action.isSeparator()]
    assert [action.text().split(" — ")[0] for action in entries] == [*map(str, range(11, 1, -1)), "Clear list"]
    with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
        entries[3].trigger()
    assert window.windowTitle() == "8 – Koebako"
    (tmp_path / "5.koebako").unlink()
    next(action for action in window.menus.recent.actions() if action.text().startswith("5 ")).trigger()
    qtbot.waitUntil(window.banner.isVisible, timeout=WAIT_MS)
    assert window.banner.message.text() == "“5.koebako” was not found."
    assert not [action for action in window.menus.recent.actions() if action.text().startswith("5 ")]
    assert window.windowTitle() == "8 – Koebako"
    window.menus.recent.actions()[-1].trigger()
    assert window.settings.value.recent_projects == ()
    assert not window.menus.recent.menuAction().isEnabled()


def test_what_was_typed_while_a_file_was_read_is_asked_for(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(ready=False)
    window.projects.open_file(project_file(tmp_path / "a.koebako", "雨。"))
    window.commands.add_text("いま書いた。", 0)
    qtbot.waitUntil(lambda: window.projects.question is not None, timeout=WAIT_MS)
    assert texts(window) == ["いま書いた。"]
    with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
        press(window, "Don't save")
    assert texts(window) == ["雨。"]


def test_a_file_that_was_written_while_the_question_stood_is_shown_as_it_is_now(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
) -> None:
    """Or the next save would put back what was read before: two openings of one file, and a save between them, are enough."""
    window, file = open_window(ready=False), project_file(tmp_path / "a.koebako", "雨。")
    window.projects.open_file(file)
    write(window, "雪。")
    qtbot.waitUntil(lambda: window.projects.question is not None, timeout=WAIT_MS)
    project_file(file, "風。")
    with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
        press(window, "Don't save")
    assert texts(window) == ["風。"]
    write(window, "霧。")
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()
    assert window.projects.question is None
    assert read_project(file).script.lines[0].text == "霧。"


def test_a_save_that_was_asked_for_while_its_own_file_was_read_is_no_change_elsewhere(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path
) -> None:
    """What was read is older than what the save writes: shown, it would make the next save ask about a change of our own."""
    window, file = open_window(ready=False), project_file(tmp_path / "a.koebako", "雨。")
    opened(qtbot, window, file)
    write(window, "雪。")
    window.projects.open_file(file)
    with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
        press(window, "Don't save")
        window.projects.save_project()
    window.projects.wait_until_saved()
    assert texts(window) == ["雪。"] == [line.text for line in read_project(file).script.lines]
    write(window, "霧。")
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()
    assert window.projects.question is None


def test_ctrl_o_asks_for_a_file(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project_file(tmp_path / "a.koebako", "雨。")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_rest: (str(file), ""))
    window = open_window(ready=False)
    with qtbot.waitSignal(window.projects.opened, timeout=WAIT_MS):
        press_key(qtbot, window, Qt.Key.Key_O)
    assert texts(window) == ["雨。"]


def test_a_folder_that_cannot_be_written_keeps_the_question_open(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ready=False)
    window.commands.add_text("雨。", 0)
    (tmp_path / "file").write_text("")
    name_it(monkeypatch, tmp_path / "file" / "a.koebako")
    window.projects.create_project()
    press(window, "Save")
    qtbot.waitUntil(window.banner.isVisible, timeout=WAIT_MS)
    assert "could not be saved" in window.banner.message.text()
    assert texts(window) == ["雨。"], "nothing is given up for a file that was not written"


def test_a_line_that_was_rendered_is_the_same_line_in_the_file(qtbot: QtBot, open_window: OpenWindow, tmp_path: Path) -> None:
    """Seeds that were rolled are kept in the file, as they are at the end, and are no change."""
    file = project_file(tmp_path / "a.koebako", "雨。")
    window = open_window()
    opened(qtbot, window, file)
    line = window.lines[0]
    window.document.apply_edit("x", Script((Line(line.text, replace(line.settings, seed_locked=False), id=line.id),)))
    seed = window.seeds.roll_seed(window.lines[0]).settings.seed
    saved(qtbot, window)
    assert window.windowTitle() == "a – Koebako"
    assert read_project(file).script.lines[0].settings.seed == seed
