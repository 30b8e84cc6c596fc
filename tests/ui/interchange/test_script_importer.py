"""Files of other programs become lines of the window."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from app.core.script.script import Character, Line, LineSettings
from app.install.known_voices import load_characters, locate_characters_file
from app.ui.interchange.mapping_dialog import MappingDialog
from tests.interchange.peers import phrase, query, vvproj
from tests.ui.conftest import OpenWindow
from tests.ui.window_driver import WindowDriver

WAIT_MS = 20_000


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def new_lines(window: WindowDriver, before: int) -> list[Line]:
    return list(window.lines[before:])


def taken(qtbot: QtBot, window: WindowDriver, *files: Path) -> list[Line]:
    """The lines that came; there is nothing to ask."""
    window.script.select_lines([window.lines[-1].id])
    before = len(window.lines)
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        window.importing.import_files(files)
    return new_lines(window, before)


def asked(qtbot: QtBot, window: WindowDriver, file: Path) -> MappingDialog:
    """The questions about a file."""
    window.script.select_lines([window.lines[-1].id])
    window.importing.import_files([file])
    qtbot.waitUntil(lambda: window.importing.dialog is not None, timeout=WAIT_MS)
    assert window.importing.dialog is not None
    return window.importing.dialog


def ready(qtbot: QtBot, open_window: OpenWindow) -> WindowDriver:
    window = open_window()
    window.catalog.refresh_voices()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.commands.add_text("はじめ。", 0)
    return window


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow) -> WindowDriver:
    return ready(qtbot, open_window)


def test_a_table_whose_columns_are_clear(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    lines = taken(qtbot, window, written(tmp_path, "a.csv", "id,text,style,speed,memo\nl1,はい。,Happy,1.5,x\nl2,いいえ。,,,\n"))
    assert [(line.id, line.text, line.settings.style, line.settings.speed) for line in lines] == [
        ("l1", "はい。", "Happy", 1.5),
        ("l2", "いいえ。", lines[1].settings.style, 1.0),
    ]
    assert "memo" in window.banner.hint.text()
    before = len(window.lines)
    window.undo_stack.undo()
    assert len(window.lines) == before - 2


def test_several_files_are_one_step(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    files = [written(tmp_path, f"{name}.txt", f"{name}。\n") for name in "あい"]
    before = window.document.script
    assert [line.text for line in taken(qtbot, window, *files)] == ["あ。", "い。"]
    window.undo_stack.undo()
    assert window.document.script == before


def test_ids_that_the_script_has_already_are_new(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", "id,text\nl1,はい。\n")
    first, again = taken(qtbot, window, file), taken(qtbot, window, file)
    assert first[0].id == "l1"
    assert again[0].id != "l1"


def test_accents_of_voicevox_arrive_and_its_voice_is_missing_by_name(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    asks = query(phrase(["キョ", "オ", "ワ"], 3), phrase(["ア", "メ"], 2), speedScale=1.25)
    (tmp_path / "a.vvproj").write_bytes(vvproj("0.25.0", [("今日は雨", 3, asks)]))
    dialog = asked(qtbot, window, tmp_path / "a.vvproj")
    assert "ずんだもん（ノーマル）" in dialog.names.widget().findChild(type(dialog.error)).text()
    (row,) = dialog.names.rows
    assert row.voice.currentData(), "a voice is suggested"
    row.voice.setCurrentIndex(0)
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        dialog.import_button.click()
    line = window.lines[-1]
    assert line.settings.voice == "voicevox:3"
    assert window.voices.names.find_name("voicevox:3") == "ずんだもん（ノーマル）"
    assert line.settings.speed == 1.25
    assert line.overrides.moras
    assert line.overrides.text == "今日は雨"


def test_a_voice_that_is_chosen_once_is_asked_for_no_more(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    file = written(tmp_path, "a.txt", "ずんだもん（あまあま）,はい。\nずんだもん（あまあま）,いいえ。\n")
    dialog = asked(qtbot, window, file)
    (row,) = dialog.names.rows
    row.voice.setCurrentIndex(1)
    row.voice.activated.emit(1)
    row.style.setCurrentIndex(1)
    with qtbot.waitSignal(window.importing.references_found, timeout=WAIT_MS):
        dialog.import_button.click()
    (character,) = window.document.script.cast
    assert character.name == "ずんだもん（あまあま）"
    assert {line.character for line in window.lines[-2:]} == {character.id}
    said = window.lines[-1].settings
    assert (character.settings.voice, character.settings.style) == ("", said.style)
    assert said.voice == ""  # the shipped voice, as lines call it
    assert said.style == row_style(window, 1)
    assert [line.settings.style for line in taken(qtbot, window, file)] == [said.style, said.style]
    assert [one.name for one in load_characters()[0]] == ["ずんだもん（あまあま）"]


def test_the_cast_of_the_project_is_not_asked_for(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    """Its voice is the included one, or missing, or the file writes the name in another width; the program remembers nobody."""
    voices = {"ずんだもん": "", "Zunda": "", "王": "gone"}
    cast = tuple(Character(name, LineSettings(voice, style="Happy"), id=f"c{place}") for place, (name, voice) in enumerate(voices.items()))
    window.document.apply_edit("", replace(window.document.script, cast=cast))
    lines = taken(qtbot, window, written(tmp_path, "a.csv", "text,character\nはい。,ずんだもん\nいいえ。,ＺＵＮＤＡ\nさあ。,王\n"))
    assert window.importing.dialog is None
    assert [(line.character, line.settings) for line in lines] == [(one.id, one.settings) for one in cast]
    assert window.document.script.cast == cast
    assert not locate_characters_file().exists()


def row_style(window: WindowDriver, place: int) -> str:
    voice = window.catalog.find_voice("")
    assert voice is not None
    return voice.styles[place][1]


def test_columns_that_nobody_recognises(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    dialog = asked(qtbot, window, written(tmp_path, "a.csv", "Nr,Wer,Was\n1,花子,雨。\n2,花子,雪。\n"))
    assert list(dialog.columns.columns) == ["text"]  # the one that says most
    dialog.header.setChecked(True)
    choose_column(dialog, 1, "")
    choose_column(dialog, 2, "")
    assert not dialog.import_button.isEnabled()
    choose_column(dialog, 2, "text")
    qtbot.waitUntil(lambda: dialog.import_button.isEnabled(), timeout=WAIT_MS)
    assert dialog.import_button.text() == "Import 2 lines"
    assert dialog.names.rows == []
    choose_column(dialog, 1, "speaker")
    choose_column(dialog, 0, "id")
    qtbot.waitUntil(lambda: bool(dialog.names.rows), timeout=WAIT_MS)
    choose_column(dialog, 1, "id")
    assert dialog.columns.columns == {"id": 1, "text": 2}  # one column at a time
    choose_column(dialog, 0, "id")
    qtbot.waitUntil(lambda: not dialog.names.rows, timeout=WAIT_MS)
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        dialog.import_button.click()
    assert [(line.id, line.text) for line in window.lines[-2:]] == [("1", "雨。"), ("2", "雪。")]


def choose_column(dialog: MappingDialog, place: int, field: str) -> None:
    box = dialog.columns.cells.cellWidget(0, place)
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findData(field))
    box.activated.emit(box.currentIndex())


def test_cancelling_changes_nothing_and_the_next_file_comes(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    before = window.document.script
    dialog = asked(qtbot, window, written(tmp_path, "a.txt", "誰か（声）,はい。\n"))
    window.importing.import_files([written(tmp_path, "b.txt", "雨。\n")])
    with qtbot.waitSignal(window.importing.finished, timeout=WAIT_MS):
        dialog.reject()
    assert [line.text for line in window.lines[len(before.lines) :]] == ["雨。"]


def test_a_damaged_list_of_characters_is_reported_and_stops_nothing(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    locate_characters_file().parent.mkdir(parents=True, exist_ok=True)
    locate_characters_file().write_text('{"version": 1, "characters": {"a": 5}}', encoding="utf-8")
    assert len(taken(qtbot, window, written(tmp_path, "a.txt", "雨。\n"))) == 1
    assert "voices assigned to characters" in window.banner.message.text()


def test_the_window_closes_while_a_file_waits(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    asked(qtbot, window, written(tmp_path, "a.txt", "誰か（声）,はい。\n"))
    window.close()
    assert window.importing.dialog is None


def test_the_script_is_exported(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    for name, with_characters in (("a.txt", False), ("b.txt", True), ("c.csv", False), ("d.rpy", False), ("e.yarn", False)):
        window.script_export.write_file(tmp_path / name, has_characters=with_characters)
        qtbot.waitUntil(lambda name=name: name in window.banner.message.text(), timeout=WAIT_MS)
        text = (tmp_path / name).read_text(encoding="utf-8-sig")
        lines = window.lines
        assert all(line.text in text for line in lines)
        assert ("（" in text.splitlines()[0]) == with_characters
