"""The board by keyboard alone, through the real pipeline: lines are compared, starred, rated, filtered, applied."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.audition.board import Board, BoardCell, BoardSetup, VoiceChoice, build_board, combine_columns
from app.audition.parallel_sounds import ParallelSounds
from app.audition.take_store import find_sound_folder
from app.common.errors import VoiceError
from app.core.script.project import LineTake
from app.core.script.script import Line, LineSettings, Script
from app.settings.user_settings import Settings
from app.ui.audition import board_model
from app.ui.audition.board_cells import MAX_CELL_SOUND_BYTES, BoardCells, CellPhase
from app.ui.audition.board_controller import BoardController
from app.ui.audition.board_view import find_command, shorten_parts
from app.ui.audition.board_window import BoardWindow
from tests.recording_player import RecordingPlayer
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle, write
from tests.ui.window_driver import WindowDriver

TEXTS = ("今日はとてもいい天気なので散歩します。", "明日の朝は早く起きて駅まで歩きましょう。")
LONGEST_BEAT_MS = 250.0  # generous: building the board of another line is part of it
Key, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


def opened(qtbot: QtBot, window: WindowDriver, text: str = TEXTS[0]) -> tuple[BoardController, BoardWindow]:
    """The board of a line, by its action."""
    if text:
        write(window, text)
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.window_actions["audition"].trigger()
    board = window.board
    assert board is not None
    assert board.window is not None
    qtbot.waitUntil(board.window.isActiveWindow, timeout=WAIT_MS)
    return board, board.window


def filled(qtbot: QtBot, board: BoardController) -> None:
    qtbot.waitUntil(
        lambda: bool(board.cells.board.cells) and len(board.cells.finished_cells) == len(board.cells.board.cells), timeout=WAIT_MS
    )


def press(qtbot: QtBot, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, key, held)


def test_a_line_is_compared_judged_and_applied_by_keyboard(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    before = window.lines[0].settings
    assert len(board.cells.board.cells) == 5  # the styles of the line's speaker
    filled(qtbot, board)
    assert player.requests == {}  # nothing is heard until somebody asks
    model = shown.view.model()
    said = [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]
    assert all(words.endswith(TEXTS[0]) for words in said), said

    for count in (1, 2):
        press(qtbot, Key.Key_Down)
        qtbot.waitUntil(lambda count=count: len(player.requests) == count, timeout=WAIT_MS)  # each at once
    wait_idle(qtbot, window)
    focus = shown.view.current_cell
    assert focus == BoardCell(0, 2)
    take = board.cells.find_take(focus)
    assert take is not None
    heard = player.sound(list(player.requests)[-1])
    assert len(heard) / 44_100 == pytest.approx(take.length_s, abs=0.01)

    press(qtbot, Key.Key_S)
    press(qtbot, Key.Key_4)
    press(qtbot, Key.Key_N)
    qtbot.keyClicks(QApplication.focusWidget(), "soft")
    press(qtbot, Key.Key_Return)
    assert shown.view.hasFocus()
    press(qtbot, Key.Key_Up)
    press(qtbot, Key.Key_2)
    wait_idle(qtbot, window)
    take = board.cells.find_take(BoardCell(0, 2))
    assert take is not None
    assert (take.starred, take.rating, take.note) == (True, 4, "soft")

    shown.filter.rating.setCurrentIndex(3)
    assert shown.view.current_cell == BoardCell(0, 2)  # its neighbour is rated too low
    assert [shown.view.isRowHidden(row) for row in range(5)] == [True, True, False, True, True]
    press(qtbot, Key.Key_Down)
    assert shown.view.current_cell == BoardCell(0, 2)
    wait_idle(qtbot, window)

    press(qtbot, Key.Key_Return)
    line = window.lines[0]
    assert line.settings.style == "Bashful"
    assert line.settings == replace(before, style="Bashful", speaker="Mei", seed_locked=True)
    window.undo_stack.undo()
    assert window.lines[0].settings == before

    press(qtbot, Key.Key_Escape)
    assert board.window is None
    assert board.cells.sounds.bytes_held == 0
    board, shown = opened(qtbot, window, "")
    take = board.cells.find_take(BoardCell(0, 2))
    assert take is not None
    assert take.note == "soft"  # what was said of a cell outlives the window


def test_what_is_played_through_moves_the_focus_and_stops_with_escape(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=20)
    window = open_window(open_player=lambda _device, _rate: player)
    board, shown = opened(qtbot, window)
    filled(qtbot, board)
    press(qtbot, Key.Key_P)
    seen: list[BoardCell] = []
    board.player.cell_started.connect(seen.append)
    qtbot.waitUntil(lambda: len(seen) == 4 and not board.player.is_active, timeout=WAIT_MS)
    assert seen == [BoardCell(0, 1), BoardCell(0, 2), BoardCell(0, 3), BoardCell(0, 4)]
    assert shown.view.current_cell == BoardCell(0, 4)
    assert len(player.requests) == 5
    seen.clear()
    press(qtbot, Key.Key_P, SHIFT)
    press(qtbot, Key.Key_Escape)
    assert not board.player.is_active
    assert board.window is not None  # the first Esc is for what is heard
    wait_idle(qtbot, window)
    press(qtbot, Key.Key_Escape)
    assert board.window is None


def test_what_is_begun_between_two_cells_ends_the_play_through(qtbot: QtBot, open_window: OpenWindow) -> None:
    player = RecordingPlayer(pace=20)
    window = open_window(open_player=lambda _device, _rate: player)
    board, shown = opened(qtbot, window)
    filled(qtbot, board)
    press(qtbot, Key.Key_P)
    qtbot.waitUntil(
        lambda: board.player.is_active and not any(board.cells.build_state(cell).is_playing for cell in board.cells.board.cells),
        timeout=WAIT_MS,
    )
    job = window.controller.play_sounds(ParallelSounds([np.zeros(20 * 44_100, np.float32)], 44_100))
    with qtbot.waitSignal(board.player.settled, timeout=WAIT_MS):
        pass
    assert not board.player.is_active
    assert job in window.controller.spoken_jobs
    shown.close()
    wait_idle(qtbot, window)


def test_a_cell_that_is_not_made_yet_is_heard_at_once_and_made_by_it(
    qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer
) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    board.filler.stop_filling()
    for cell in [cell for cell in board.cells.board.cells if board.cells.build_state(cell).phase is CellPhase.EMPTY][-1:]:
        board.player.play_cells([cell])
        qtbot.waitUntil(lambda cell=cell: board.cells.build_state(cell).phase is CellPhase.READY, timeout=WAIT_MS)
        wait_idle(qtbot, window)
        sound = board.cells.find_sound(cell)
        assert sound is not None
        assert len(sound[0]) >= len(player.sound(list(player.requests)[-1]))
    shown.close()


def test_what_was_judged_is_kept_with_the_project(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    press(qtbot, Key.Key_End)
    board.player.stop_playing()
    press(qtbot, Key.Key_S)  # perhaps before it is made
    press(qtbot, Key.Key_5)
    filled(qtbot, board)
    book = window.take_book
    qtbot.waitUntil(lambda: bool(book.takes) and book.takes[0].rating == 5, timeout=WAIT_MS)
    (take,) = book.takes
    assert (take.starred, take.settings.style, take.line) == (True, "Sad", window.lines[0].id)
    assert (find_sound_folder(None) / take.sound).is_file()
    cell = board.cells.find_take(BoardCell(0, 4))
    assert cell is not None
    assert cell.sound == take.sound  # by which a blind test finds it
    press(qtbot, Key.Key_0)
    assert book.takes[0].rating == 0
    press(qtbot, Key.Key_Up)
    press(qtbot, Key.Key_Return)  # what the line got is kept, too
    qtbot.waitUntil(lambda: len(book.takes) == 2, timeout=WAIT_MS)
    assert book.takes[1].settings == window.lines[0].settings
    shown.reject()
    book.change_take(take.id, note="from the list")
    board, shown = opened(qtbot, window, "")
    cell = board.cells.find_take(BoardCell(0, 4))
    assert cell is not None
    assert cell.note == "from the list"

    window.projects.create_project()
    assert window.projects.question is not None  # the script has no name yet
    next(button for button in window.projects.question.buttons() if button.text() == "Don't save").click()
    assert board.window is None  # its lines were those of the project before
    board, _ = opened(qtbot, window, TEXTS[1])
    assert [line.text for line in board.cells.board.lines] == [TEXTS[1]]
    assert not any(take is not None and take.starred for take in map(board.cells.find_take, board.cells.board.cells))
    board.close()
    wait_idle(qtbot, window)


def test_presets_and_strengths_are_ways_too_and_remembered(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    write(window, "はい。")
    window.side.edited.emit("speed", 1.4)
    window.presets.show_settings(window.lines[0].settings)
    window.presets.keep_settings_as("fast")
    board, shown = opened(qtbot, window, "")
    shown.chooser.choose_ways([VoiceChoice("", ("Mei",), ("Happy", "Sad"))], (1.0, 2.0), ("fast",))
    shown.chooser.changed.emit()
    assert (len(board.cells.board.columns), len(board.cells.board.lines)) == (2, 2)
    line = board.cells.find_line(BoardCell(1, 0))
    assert (line.settings.style, line.settings.style_weight, line.settings.speed) == ("Happy", 2.0, 1.4)
    model = shown.view.model()
    assert [model.headerData(row, Qt.Orientation.Vertical) for row in (0, 1)] == ["Happy", "Sad"], "what all share is not said"
    assert "fast" in model.headerData(0, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
    assert model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole).startswith("Happy · weight 1: ")
    shown.reject()
    board, shown = opened(qtbot, window, "")
    wishes = shown.chooser.board_setup
    assert (wishes.voices[0].styles, wishes.strengths, list(wishes.presets)) == (("Happy", "Sad"), (1.0, 2.0), ["fast"])
    shown.reject()
    wait_idle(qtbot, window)


def test_more_cells_than_anybody_hears_are_refused_in_words(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.document.apply_edit("", replace(window.document.script, lines=tuple(Line(f"{number}。") for number in range(70))))
    window.script.selectAll()
    board, shown = opened(qtbot, window, "")
    assert len(board.cells.board.cells) == 350
    for button in list(shown.chooser.strengths.values())[:3]:
        button.setChecked(True)
    qtbot.waitUntil(lambda: shown.pages.currentWidget() is shown.empty, timeout=WAIT_MS)
    assert "1,050" in shown.empty.text()
    assert board.filler.remaining_count == 0
    shown.reject()
    wait_idle(qtbot, window)


def test_the_mouse_does_the_same(qtbot: QtBot, open_window: OpenWindow, player: RecordingPlayer) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    filled(qtbot, board)
    place = shown.view.visualRect(shown.view.model().index(1, 0)).center()
    qtbot.mouseClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: len(player.requests) == 1, timeout=WAIT_MS)
    wait_idle(qtbot, window)
    for button in (shown.bar.star_button, shown.bar.ratings[2], shown.bar.ratings[2]):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert shown.view.hasFocus()
    take = board.cells.find_take(BoardCell(0, 1))
    assert take is not None
    assert (take.starred, take.rating) == (True, 3)
    assert [button.isChecked() for button in shown.bar.ratings] == [True, True, True, False, False]
    qtbot.mouseClick(shown.bar.note, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(shown.bar.note, "clear")
    qtbot.mouseDClick(shown.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.lines[0].settings.style == "Happy"
    take = board.cells.find_take(BoardCell(0, 1))
    assert take is not None
    assert take.note == "clear"
    board.player.stop_playing()
    shown.reject()
    wait_idle(qtbot, window)


def test_closing_gives_up_what_is_not_made_yet(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    shown.chooser.strengths[3.0].setChecked(True)
    shown.chooser.strengths[0.5].setChecked(True)
    qtbot.waitUntil(lambda: len(board.cells.board.cells) == 10, timeout=WAIT_MS)
    assert board.filler.remaining_count
    shown.reject()
    assert board.filler.remaining_count == 0
    wait_idle(qtbot, window)
    assert len(board.cells.finished_cells) < 10


def test_five_by_five_cells_are_filled(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    filled(qtbot, board)
    window.document.apply_edit("", replace(window.document.script, lines=(Line(TEXTS[1]),)))
    window.script.select_lines([window.lines[0].id])
    shown.chooser.choose_ways([VoiceChoice("", ("Mei",), ("Neutral", "Happy", "Bashful", "Angry", "Sad"))], (0.5, 1.0, 1.5, 2.0, 3.0))
    shown.chooser.take_lines_button.click()
    filled(qtbot, board)
    assert len(board.cells.board.cells) == 25
    shown.close()


def test_lines_without_anything_to_read_are_left_out(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.document.reset_script(Script((Line("……", id="a"), Line(TEXTS[0], id="b"), Line("！", id="c"))))
    window.script.select_lines(["a", "b", "c"])
    board, shown = opened(qtbot, window, "")
    qtbot.waitUntil(lambda: [line.id for line in board.cells.board.lines] == ["b"], timeout=WAIT_MS)
    filled(qtbot, board)
    assert all(board.cells.build_state(cell).phase is CellPhase.READY for cell in board.cells.board.cells)
    assert shown.view.current_cell == BoardCell(0, 0)


def test_a_thousand_cells_hold_no_more_than_they_may() -> None:
    owner = QObject()
    cells = BoardCells(owner)
    styles = tuple(f"style {number}" for number in range(100))
    board = build_board([Line(TEXTS[0]), Line(TEXTS[1])], BoardSetup((VoiceChoice("", ("",), styles),), (0.5, 1.0, 1.5, 2.0, 3.0)))
    cells.show_board(board)
    samples = np.zeros(3 * 44_100, np.float32)
    for cell in board.cells:
        cells.add_sound(cells.find_line(cell), samples, 44_100)
    assert len(board.cells) == 1_000
    assert len(cells.finished_cells) == 1_000  # lengths and marks of all are known
    assert MAX_CELL_SOUND_BYTES - 2 * samples.size <= cells.sounds.bytes_held <= MAX_CELL_SOUND_BYTES
    assert cells.find_sound(board.cells[0]) is None
    assert cells.find_sound(board.cells[-1]) is not None


def test_cells_are_found_again_on_another_board() -> None:
    owner = QObject()
    cells = BoardCells(owner)
    line = Line(TEXTS[0])
    cells.show_board(Board((line,), combine_columns([VoiceChoice("", ("",), ("a", "b"))])))
    cells.add_sound(cells.find_line(BoardCell(0, 1)), np.zeros(100, np.float32), 100)
    cells.mark_cell(BoardCell(0, 1), rating=3)
    marked: list[LineTake] = []
    cells.cell_marked.connect(lambda take, _line: marked.append(take))
    cells.show_board(Board((line,), combine_columns([VoiceChoice("x", ("",), ("a",)), VoiceChoice("", ("",), ("b",))])))
    take = cells.find_take(BoardCell(0, 1))
    assert take is not None
    assert (take.rating, take.length_s) == (3, 1.0)
    assert cells.build_state(BoardCell(0, 0)).phase is CellPhase.EMPTY
    cells.mark_failed(BoardCell(0, 0), VoiceError("broken"), is_whole_voice=True)
    assert cells.build_state(BoardCell(0, 0)).error == "broken"
    cells.show_board(cells.board)
    assert cells.build_state(BoardCell(0, 0)).phase is CellPhase.EMPTY, "the cause may be gone"
    cells.mark_failed(BoardCell(0, 0), VoiceError("broken"), is_whole_voice=True)
    cells.clear_error(BoardCell(0, 0))
    assert cells.build_state(BoardCell(0, 0)).phase is CellPhase.EMPTY
    cells.mark_cell(BoardCell(0, 0), starred=True)
    assert [item.starred for item in marked] == [True]
    assert marked[0].settings == replace(LineSettings(), voice="x", style="a")


def test_without_text_or_voices_the_board_says_what_to_do(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings(text=""))
    _board, shown = opened(qtbot, window, "")
    assert shown.pages.currentWidget() is shown.empty
    assert "台本" in shown.empty.text() or "script" in shown.empty.text()
    write(window, TEXTS[0])
    shown.chooser.take_lines_button.click()
    assert shown.pages.currentWidget() is shown.view
    shown.chooser.choose_ways([])
    shown.chooser.changed.emit()
    assert shown.pages.currentWidget() is shown.empty
    for key in (Key.Key_Space, Key.Key_Return, Key.Key_S):
        shown.command_requested.emit(find_command(key.value, Qt.KeyboardModifier.NoModifier))  # nothing is focused, nothing happens
    shown.close()
    wait_idle(qtbot, window)


def test_the_starred_cells_are_handed_over_for_a_blind_test(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    filled(qtbot, board)
    assert not shown.filter.compare_button.isEnabled()
    asked: list[list[LineTake]] = []
    board.compare_requested.connect(asked.append)
    press(qtbot, Key.Key_S)
    press(qtbot, Key.Key_Down)
    press(qtbot, Key.Key_S)
    shown.filter.compare_button.click()
    assert [take.settings.style for take in asked[0]] == ["Neutral", "Happy"]
    shown.filter.starred.setChecked(True)
    assert [shown.view.isRowHidden(row) for row in range(5)] == [False, False, True, True, True]
    board.player.stop_playing()
    shown.close()
    wait_idle(qtbot, window)


@pytest.mark.parametrize("width", [110, 152, 208])
def test_what_differs_is_read_however_long_the_names_are(qapp: QApplication, width: int) -> None:
    metrics = QFontMetrics(qapp.font())
    labels = [f"jp-extra-tiny-2spk 試験用の声 {voice} / speaker{number}" for voice in "AB" for number in (0, 1)]
    short = [shorten_parts(label, width, metrics) for label in labels]
    assert len(set(short)) == len(labels)
    assert all(metrics.horizontalAdvance(text) <= width for text in short)
    assert [text[-1] for text in short] == ["0", "1", "0", "1"]
    assert shorten_parts("Mei / NIT", width, metrics) == "Mei / NIT"


def test_names_get_the_room_that_cells_leave(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window()
    board, shown = opened(qtbot, window)
    filled(qtbot, board)
    names = shown.view.verticalHeader()
    narrow = names.width()
    monkeypatch.setattr(board_model, "format_style", lambda style: f"{style} {'long ' * 8}")
    board.cells.show_board(board.cells.board)
    assert names.width() > narrow
    assert shown.view.viewport().x() >= names.width(), "no cell is under the names"
    board.close()
    wait_idle(qtbot, window)
