"""A scene against candidate casts, and a voice for one character, on the board: chosen, heard, applied in one step."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.audition.board import BoardCell
from app.core.script.characters import extract_character_settings
from app.core.script.script import Character, Line, LineSettings, Script
from app.install.known_voices import load_characters
from app.ui.audition import cast_chooser
from app.ui.audition.board_controller import BoardController
from app.ui.audition.board_window import BoardWindow
from app.ui.audition.cast_chooser import CastChooser, CastSection
from app.ui.voices.catalog_scan import scan_catalog
from app.ui.widgets.controls import ChoiceBox
from tests.recording_player import RecordingPlayer
from tests.ui.audition.test_board import filled, press
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

HERO = Character("勇者", LineSettings(speaker="Mei", style="Happy"), id="hero")
KING = Character("王", LineSettings(speaker="Mei", style="Sad", speed=0.9), id="king")
SCENE = Script(
    (
        Line("さあ、行こう。", HERO.settings, id="a", character="hero"),
        Line("待ちなさい。", KING.settings, id="b", character="king"),
        Line("なぜ。", replace(HERO.settings, style="Angry"), id="c", character="hero"),
    ),
    cast=(HERO, KING),
)


def opened(qtbot: QtBot, window: WindowDriver, *, is_of_casts: bool) -> tuple[BoardController, BoardWindow]:
    """The board of the whole scene."""
    window.document.apply_edit("", SCENE)
    window.script.selectAll()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.window_actions["audition"].trigger()
    board = window.board
    assert board is not None
    shown = board.window
    assert shown is not None
    qtbot.waitUntil(shown.isActiveWindow, timeout=WAIT_MS)
    if is_of_casts:
        shown.chooser.tabs.setCurrentIndex(1)
        qtbot.waitUntil(lambda: board.cells.board.is_of_casts, timeout=WAIT_MS)
    return board, shown


def choose_item(box: ChoiceBox, index: int) -> None:
    box.setCurrentIndex(index)
    box.activated.emit(index)


def choose_style(section: CastSection, place: int, style: str) -> None:
    """What a user picks in the boxes of a character."""
    row = section.rows[place]
    choose_item(row.voice_box, 1)
    choose_item(row.style_box, row.style_box.findData(style))


def test_a_scene_is_heard_with_another_cast_which_is_applied_in_one_step(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=20)
    window = open_window(open_player=lambda _device, _rate: player)
    board, shown = opened(qtbot, window, is_of_casts=True)
    assert [column.cast for column in board.cells.board.columns] == ["A", "B"]
    assert board.cells.find_line(BoardCell(0, 0)) == board.cells.find_line(BoardCell(0, 1)), "a candidate begins as the script is"
    choose_style(shown.chooser.casts.sections[0], 0, "Bashful")
    choose_style(shown.chooser.casts.sections[0], 1, "Neutral")
    qtbot.waitUntil(lambda: board.cells.find_line(BoardCell(1, 1)).settings.style == "Neutral", timeout=WAIT_MS)
    filled(qtbot, board)
    model = shown.view.model()
    first, second = (model.headerData(row, Qt.Orientation.Vertical) for row in (0, 1))
    assert (first, second) == ("Original cast\nHappy, Sad", "Cast B\nBashful, Neutral")
    tip = model.headerData(1, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
    assert [words.split(" = ")[0] for words in tip.split("\n")] == ["Cast B", "勇者", "王"]
    assert model.headerData(1, Qt.Orientation.Horizontal) == "待ちなさい。\n王"

    shown.view.setFocus()
    shown.view.focus_cell(BoardCell(2, 1))
    seen: list[BoardCell] = []
    board.player.cell_started.connect(seen.append)
    press(qtbot, Qt.Key.Key_C)
    qtbot.waitUntil(lambda: len(seen) == 3 and not board.player.is_active, timeout=WAIT_MS)
    assert seen == [BoardCell(row, 1) for row in range(3)]
    wait_idle(qtbot, window)

    assert shown.bar.apply_button.text() == "Apply cast"
    assert shown.bar.character_button.isHidden()
    heard = [board.cells.find_line(cell).settings for cell in seen]
    steps = window.undo_stack.count()
    press(qtbot, Qt.Key.Key_Return)
    assert window.undo_stack.count() == steps + 1
    script = window.document.script
    assert [line.settings for line in script.lines] == heard
    assert [line.settings.style for line in script.lines] == ["Bashful", "Neutral", "Angry"], "a line's own style stays"
    assert [one.settings.style for one in script.cast] == ["Bashful", "Neutral"]
    qtbot.waitUntil(lambda: {(one.name, one.style) for one in load_characters()[0]} == {("勇者", "Bashful"), ("王", "Neutral")})
    qtbot.waitUntil(lambda: len(window.take_book.takes) == 1, timeout=WAIT_MS)  # the cell that was applied is kept
    choose_style(shown.chooser.casts.sections[0], 0, "Angry")
    qtbot.waitUntil(lambda: board.cells.find_line(BoardCell(0, 1)).settings.style == "Angry", timeout=WAIT_MS)
    assert [board.cells.find_line(BoardCell(row, 0)).settings for row in range(3)] == [line.settings for line in SCENE.lines]
    shown.view.focus_cell(BoardCell(0, 0))
    press(qtbot, Qt.Key.Key_Return)
    assert window.document.script == SCENE, "the former cast is a key away"
    window.undo_stack.undo()
    window.undo_stack.undo()
    assert window.document.script == SCENE
    shown.close()
    wait_idle(qtbot, window)


def test_candidates_are_added_suggested_removed_and_remembered(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    board, shown = opened(qtbot, window, is_of_casts=True)
    chooser = shown.chooser.casts
    chooser.add_button.click()
    qtbot.waitUntil(lambda: [column.cast for column in board.cells.board.columns] == ["A", "B", "C"], timeout=WAIT_MS)
    chooser.sections[1].suggest_button.click()
    voices = [(voice.id, speaker) for voice in window.catalog.voices for _, speaker in voice.speakers]
    assert {role.voice for role in chooser.choices[1].roles.values()} <= set(voices)
    chooser.sections[0].remove_button.click()
    qtbot.waitUntil(lambda: [column.cast for column in board.cells.board.columns] == ["A", "C"], timeout=WAIT_MS)
    suggested = [row.voice_box.currentData() for row in chooser.sections[0].rows]
    assert len(set(suggested)) == 2
    shown.close()
    window.window_actions["audition"].trigger()
    assert board.window is not None
    assert [column.cast for column in board.cells.board.columns] == ["A", "C"]
    (section,) = board.window.chooser.casts.sections
    assert [row.voice_box.currentData() for row in section.rows] == suggested
    window.document.apply_edit("", replace(window.document.script, lines=(Line("誰。", id="d"),)))
    window.script.select_lines(["d"])
    board.window.chooser.take_lines_button.click()
    assert board.window.pages.currentWidget() is board.window.empty
    assert "character" in board.window.empty.text()
    board.close()
    window.document.reset_script(SCENE)
    window.script.selectAll()
    window.window_actions["audition"].trigger()
    assert not board.cells.board.is_of_casts, "another script has other characters"
    board.close()
    wait_idle(qtbot, window)


@pytest.mark.parametrize("is_sole", [True, False])
def test_a_voice_is_applied_to_the_character_of_all_lines(is_sole: bool, qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.document.apply_edit("", SCENE)
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    board = window.board
    board.open_board((), ["a", "c"] if is_sole else ["a", "b"])
    assert board.window is not None
    qtbot.waitUntil(board.window.isActiveWindow, timeout=WAIT_MS)
    filled(qtbot, board)
    assert board.window.bar.character_button.isHidden() == (not is_sole)
    board.window.view.focus_cell(BoardCell(0, 4))
    press(qtbot, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    script = window.document.script
    if is_sole:
        assert board.window.bar.character_button.text() == "Apply to 勇者"
        settings = extract_character_settings(board.cells.find_line(BoardCell(0, 4)).settings)
        assert script.cast == (replace(HERO, settings=settings), KING)
        assert [line.settings.style for line in script.lines] == [settings.style, "Sad", settings.style]
        window.undo_stack.undo()
    assert window.document.script == SCENE
    board.close()
    wait_idle(qtbot, window)


def test_voices_are_suggested_for_those_who_are_shown_alone(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cast_chooser, "MOST_SHOWN_CHARACTERS", 1)
    chooser = CastChooser()
    qtbot.addWidget(chooser)
    chooser.offer_characters((HERO, KING))
    chooser.offer_voices(scan_catalog().voices, lambda _voice: True, {})
    chooser.show()
    (section,) = chooser.sections
    section.suggest_button.click()
    (candidate,) = chooser.candidates
    assert set(candidate.settings) == {"hero"}
    assert candidate.settings["hero"]["speaker"] != HERO.settings.speaker
