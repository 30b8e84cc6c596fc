"""A board of a hundred cells fills while something is heard by the real player: how long the window is busy, and whether the sound has a gap.

`python -m pytest tests/benchmarks/heartbeat/board_heard.py --record` on a quiet machine.
"""

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.adapters.portaudio.portaudio_player import PortAudioPlayer
from app.audition.board import VoiceChoice
from app.audition.parallel_sounds import ParallelSounds
from app.core.script.script import Line, create_line_id
from app.core.synthesis_types import Float32
from app.engine.output_device import open_portaudio
from app.settings.user_settings import Settings
from app.ui.audition.board_controller import BoardController
from tests.benchmarks.heartbeat.stories import Beating, beating
from tests.null_sink import NullSink, null_sink
from tests.ui.audition.test_board import filled, opened, press
from tests.ui.conftest import WAIT_MS, OpenWindow, wait_idle
from tests.ui.window_driver import WindowDriver

__all__ = ["beating", "null_sink"]

TEXTS = (
    "今日はとてもいい天気なので散歩します。",
    "明日の朝は早く起きて駅まで歩きましょう。",
    "この店のパンは焼きたてがいちばん旨い。",
    "窓を開けると涼しい風が入ってきました。",
)
STYLES, STRENGTHS = ("Neutral", "Happy", "Bashful", "Angry", "Sad"), (0.5, 1.0, 1.5, 2.0, 3.0)
RATE = 44_100
PAIR_S = 1.5


def player_of(window: WindowDriver) -> PortAudioPlayer:
    player = window.speech_engine.player
    assert isinstance(player, PortAudioPlayer)
    return player


def fill_a_hundred(qtbot: QtBot, window: WindowDriver, board: BoardController) -> None:
    """Other lines than before, so that nothing of them is remembered."""
    lines = tuple(Line(text, id=create_line_id()) for text in TEXTS)
    window.document.apply_edit("", replace(window.document.script, lines=lines))
    window.script.select_lines([line.id for line in lines])
    assert board.window is not None
    board.window.chooser.choose_ways([VoiceChoice("", ("Mei",), STYLES)], STRENGTHS)
    board.window.chooser.take_lines_button.click()
    assert len(board.cells.board.cells) == 100
    qtbot.waitUntil(lambda: len(board.cells.finished_cells) >= 2, timeout=WAIT_MS)
    assert len(board.cells.finished_cells) < 50


def tone(hz: float) -> Float32:
    return np.asarray(0.2 * np.sin(2 * np.pi * hz * np.arange(round(PAIR_S * RATE)) / RATE), np.float32)


def test_cells_and_a_pair_are_heard_without_a_gap_while_a_hundred_cells_are_made(
    qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow, beating: Beating, capsys: pytest.CaptureFixture[str]
) -> None:
    """Takes as long as the cells and what is heard beside them."""
    window = open_window(Settings(text=""), open_player=open_portaudio)
    board, shown = opened(qtbot, window, "はい。")
    filled(qtbot, board)
    heard: list[Any] = []
    window.controller.speech_played.connect(heard.append)
    with beating("a hundred cells, heard beside"):
        began = time.perf_counter()
        fill_a_hundred(qtbot, window, board)
        shown.view.setFocus()
        press(qtbot, Qt.Key.Key_P)  # all of them, one after the other
        qtbot.waitUntil(lambda: window.speech_state.played_s > 0.3, timeout=WAIT_MS)
        made = len(board.cells.finished_cells)
        pair = window.controller.play_sounds(ParallelSounds([tone(220), tone(330)], RATE, rounds=1))
        while pair in window.controller.spoken_jobs:
            assert pair.recorded is not None
            pair.recorded.switch_sound()
            qtbot.wait(200)
        shown.view.setFocus()
        press(qtbot, Qt.Key.Key_P)
        qtbot.waitUntil(lambda: len(board.cells.finished_cells) == 100, timeout=3 * WAIT_MS)
        took_s = time.perf_counter() - began
    gaps = player_of(window).underruns
    with capsys.disabled():
        print(f"; 100 cells in {took_s:.1f} s, {made} of them when the pair began; {len(heard)} sounds heard, {gaps} gaps", end="")
    assert pair in heard
    assert made < 100, "all was made before the pair was heard"
    assert gaps == 0
    shown.close()  # which ends the play-through
    wait_idle(qtbot, window)


def test_a_long_line_is_heard_without_a_gap_while_a_hundred_cells_are_made(
    qtbot: QtBot, null_sink: NullSink, open_window: OpenWindow, beating: Beating, capsys: pytest.CaptureFixture[str]
) -> None:
    """Takes as long as the cells."""
    window = open_window(Settings(text=""), open_player=open_portaudio)
    board, shown = opened(qtbot, window, "夕方には家に帰って、温かいお茶を飲みながら本を読みました。" * 12)
    board.filler.stop_filling()
    wait_idle(qtbot, window)
    window.play_commands.play_or_stop()
    (line,) = window.controller.spoken_jobs
    qtbot.waitUntil(lambda: window.speech_state.played_s > 0.5, timeout=WAIT_MS)
    with beating("a hundred cells beside a long line"):
        began = time.perf_counter()
        fill_a_hundred(qtbot, window, board)
        assert line in window.controller.spoken_jobs, "opening another board stops nothing that is heard"
        qtbot.waitUntil(lambda: len(board.cells.finished_cells) == 100, timeout=3 * WAIT_MS)
        took_s = time.perf_counter() - began
    assert line in window.controller.spoken_jobs, "the line was over before the cells were"
    gaps = player_of(window).underruns
    with capsys.disabled():
        print(f"; 100 cells in {took_s:.1f} s, {window.speech_state.played_s:.1f} s heard, {gaps} gaps", end="")
    assert gaps == 0
    shown.close()
    window.play_commands.stop_playing()
    wait_idle(qtbot, window)
