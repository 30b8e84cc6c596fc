"""Presets: kept, applied, removed, with who speaks or without, and passed on as files."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.common.errors import AppError, InputError
from app.core.script.project import LinePreset
from app.core.script.script import LineSettings
from app.core.synthesis_types import BOUNDS
from app.interchange.koebako_files import read_project
from app.settings.user_settings import Settings
from app.ui.parameters.preset_bar import PresetBar, PresetNameDialog, load_presets, merge_presets, read_presets, save_presets
from tests.ui.banner_driver import press_action
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.projects.project_deeds import name_it as name_project
from tests.ui.projects.project_deeds import opened

SAD = LineSettings(speed=1.3, pitch=-1.0, pauses=((",", 0.1),), voice="mei", speaker="B", style="Sad", seed=9, assist_text="悲しい")
presets = st.dictionaries(
    st.text(st.characters(categories=("L", "N")), min_size=1, max_size=20),
    st.builds(
        lambda speed, pitch, style, character: LinePreset.from_settings(LineSettings(speed=speed, pitch=pitch, style=style), character=character),
        st.floats(BOUNDS["speed"].low, BOUNDS["speed"].high), st.floats(-6, 6), st.sampled_from(["", "Sad"]), st.booleans(),
    ),
    max_size=6,
)  # fmt: skip


def open_bar(qtbot: QtBot) -> PresetBar:
    bar = PresetBar()
    qtbot.addWidget(bar)
    return bar


def names(bar: PresetBar) -> list[str]:
    return [bar.names.itemText(row) for row in range(bar.names.count())]


def name_it(bar: PresetBar, name: str, *, character: bool | None = None, in_project: bool | None = None) -> PresetNameDialog:
    """Answers the question as a user does."""
    bar.more.save.trigger()
    dialog = bar.findChildren(PresetNameDialog)[-1]
    dialog.field.setText(name)
    if character is not None:
        dialog.character.setChecked(character)
    if in_project is not None:
        dialog.in_project.setChecked(in_project)
    return dialog


def test_they_are_kept_applied_and_removed(qtbot: QtBot) -> None:
    bar = open_bar(qtbot)
    assert names(bar) == ["Default"]
    bar.show_settings(SAD)
    assert bar.names.currentIndex() == -1
    name_it(bar, " 早口 ").save.click()
    assert bar.names.currentText() == "早口"
    assert bar.file.begin_flush()() is None
    bar.file.close()
    again = open_bar(qtbot)
    again.load_presets()
    with qtbot.waitSignal(again.chosen) as chosen:
        again.names.activated.emit(1)
    values = chosen.args[0]
    assert (values["speed"], values["pitch"], values["pauses"]) == (1.3, -1.0, ((",", 0.1),))
    assert not {"style", "seed", "voice", "speaker", "assist_text"} & set(values)
    again.show_settings(LineSettings(**values))
    with qtbot.waitSignal(again.preset_removed) as removed:
        again.more.delete.trigger()
    assert removed.args[0].stored_name == "早口"
    assert again.file.begin_flush()() is None
    again.file.close()
    assert load_presets() == ({}, None)


def test_with_the_character_it_sets_who_speaks(qtbot: QtBot) -> None:
    bar = open_bar(qtbot)
    bar.show_settings(SAD)
    name_it(bar, "悲しいB", character=True).save.click()
    with qtbot.waitSignal(bar.chosen) as chosen:
        bar.names.activated.emit(1)
    assert {name: chosen.args[0][name] for name in ("voice", "speaker", "style")} == {"voice": "mei", "speaker": "B", "style": "Sad"}
    assert not {"seed", "assist_text"} & set(chosen.args[0])
    bar.keep_settings_as("声なし")
    assert bar.names.currentText() == "悲しいB", "the one that says more"
    bar.show_settings(LineSettings(speed=1.3, pitch=-1.0, pauses=((",", 0.1),)))
    assert bar.names.currentText() == "声なし"
    bar.show_settings(SAD)
    dialog = name_it(bar, "悲しいB")
    assert dialog.character.isChecked(), "as it was kept before"
    assert dialog.note.text() == "Replaces the preset of this name."
    dialog.field.setText("Default")
    assert not dialog.save.isEnabled()
    dialog.reject()


def test_a_preset_with_a_character_changes_the_line_in_one_step(open_window: OpenWindow) -> None:
    window = open_window(Settings(text="あ"), ready=False)
    window.presets.show_settings(LineSettings(voice="mei", style="Sad", pitch=2.0))
    window.presets.keep_settings_as("低い声", True)
    window.presets.names.activated.emit(1)
    settings = window.lines[0].settings
    assert (settings.voice, settings.style, settings.pitch) == ("mei", "Sad", 2.0)
    window.window_actions["undo"].trigger()
    assert window.lines[0].settings.pitch == 0.0


def test_those_of_a_project_come_and_go_with_it(
    qtbot: QtBot, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ready=False)
    bar = window.presets
    window.commands.add_text("雨。", 0)
    window.commands.change_setting("speed", 1.5)
    name_it(bar, "語り", in_project=False).save.click()
    window.commands.change_setting("speed", 0.7)
    dialog = name_it(bar, "語り", in_project=True)
    assert not dialog.note.text(), "the user's own of that name stays"
    dialog.save.click()
    assert names(bar) == ["Default", "語り", "語り (2) (project)"]
    assert bar.names.currentIndex() == 2
    assert (bar.presets["語り"].settings.speed, bar.presets["語り (2)"].settings.speed) == (1.5, 0.7)
    again = name_it(bar, "語り (2)")
    assert again.in_project.isChecked()
    assert again.note.text()
    again.save.click()
    assert len(names(bar)) == 3
    assert window.project.is_changed
    name_project(monkeypatch, tmp_path / "a.koebako")
    with qtbot.waitSignal(window.projects.saved, timeout=WAIT_MS):
        window.projects.save_project()
    assert read_project(tmp_path / "a.koebako").presets == {"語り": LinePreset.from_settings(LineSettings(speed=0.7))}
    window.projects.create_project()
    assert names(bar) == ["Default", "語り"]
    opened(qtbot, window, tmp_path / "a.koebako")
    assert names(bar) == ["Default", "語り", "語り (2) (project)"]
    bar.names.setCurrentIndex(2)
    bar.more.delete.setEnabled(True)
    bar.more.delete.trigger()
    assert (names(bar), window.project_parts.presets) == (["Default", "語り"], {})
    press_action(window.banner, "Undo")
    assert list(window.project_parts.presets) == ["語り"]
    window.undo_stack.undo()
    assert list(window.project_parts.presets) == ["語り"], "no part of the script's history"


@settings(max_examples=25, deadline=None)
@given(presets)
def test_what_is_written_comes_back(tmp_path_factory: pytest.TempPathFactory, kept: dict[str, LinePreset]) -> None:
    file = tmp_path_factory.mktemp("presets") / "a.json"
    save_presets(kept, file)
    assert read_presets(file) == kept


def test_they_are_passed_on_as_a_file(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.json"
    bar = open_bar(qtbot)
    assert not bar.more.export.isEnabled(), "nothing to export"
    bar.show_settings(SAD)
    bar.keep_settings_as("悲しい", True)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: (str(file.with_suffix("")), ""))
    bar.more.export.trigger()
    qtbot.waitUntil(file.exists)
    other = open_bar(qtbot)
    other.keep_settings_as("悲しい")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_arguments: (str(file), ""))
    for _ in range(2):  # the second time nothing is new
        with qtbot.waitSignal(other.presets_imported) as told:
            other.more.import_presets.trigger()
        assert told.args == [1]
        assert names(other) == ["Default", "悲しい", "悲しい (2)"]
    for over in (bar, other):
        over.file.close()


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "{}", '{"version": 2, "presets": {}}', '{"version": 1, "presets": {"a": 1}}',
        '{"version": 1, "presets": {"a": {"speed": 99}}}', '{"version": 1, "presets": {"a": {"character": 3}}}',
        '{"version": 1, "presets": {"a": {"pitch": NaN}}}', json.dumps({"version": 1, "presets": {"a": {"voice": "x" * 999}}}),
        json.dumps({"version": 1, "presets": {str(number): {} for number in range(3000)}}), "[" * 9999, "x" * (5 << 20),
    ],
)  # fmt: skip
def test_a_strangers_file_that_is_none_is_refused(tmp_path: Path, content: str, qtbot: QtBot) -> None:
    file = tmp_path / "a.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        read_presets(file)
    bar = open_bar(qtbot)
    with qtbot.waitSignal(bar.failed) as told:
        bar.more.import_file(file)
    assert isinstance(told.args[0], AppError)
    assert names(bar) == ["Default"]


def test_names_of_a_stranger_are_plain(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"version": 1, "presets": {"a\\u202e\\u0007b": {"seed": 5}, "\\u200b": {}}}', encoding="utf-8")
    assert read_presets(file) == {"ab": LinePreset()}


def test_what_has_the_name_of_another_gets_a_number() -> None:
    fast, slow = LinePreset(LineSettings(speed=1.5)), LinePreset(LineSettings(speed=0.7))
    assert merge_presets({"a": fast}, {"a": slow, "b": fast, "Default": slow}) == {"a": fast, "a (2)": slow, "b": fast, "Default (2)": slow}
    assert merge_presets({"a": fast}, {"a": fast}) == {"a": fast}
