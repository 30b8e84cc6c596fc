"""The board: what its cells are, in which order they are made, and how one walks over them."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.audition.board import (
    Board,
    BoardCell,
    BoardColumn,
    VoiceChoice,
    combine_columns,
    filter_cells,
    find_nearest_cell,
    find_take,
    map_takes_by_line,
    move_focus,
    plan_fill_order,
    plan_play_order,
)
from app.audition.line_rendering import render_line
from app.audition.take_store import TakeStore
from app.compose.speaker_opening import open_speaker
from app.core.script.project import LineTake, create_take
from app.core.script.script import Line, LineSettings
from app.core.synthesis_types import StageTiming

LINES = tuple(Line(f"{number} 番目の行です。", LineSettings(voice="own", seed=number)) for number in range(4))


def a_board(rows: int = 4, voices: int = 3, styles: int = 2) -> Board:
    names = tuple(f"style {number}" for number in range(styles))
    return Board(LINES[:rows], combine_columns(VoiceChoice(f"voice {number}", styles=names) for number in range(voices)))


def test_columns_are_all_combinations() -> None:
    columns = combine_columns(
        (VoiceChoice("a", ("x", "y"), ("p", "q")), VoiceChoice("b")), (0.5, 2.0), {"slow": {"speed": 0.7}, "loud": {"volume": 2.0}}
    )
    assert len(columns) == (2 * 2 + 1) * 2 * 2
    assert len(set(columns)) == len(columns)
    first = columns[0].apply_to_settings(LineSettings(seed=5, seed_locked=False, noise=0.3))
    assert first == LineSettings("a", "x", "p", style_weight=0.5, speed=0.7, noise=0.3, seed=5, seed_locked=True)
    assert (columns[0].preset, columns[1].preset, columns[-1].voice) == ("slow", "loud", "b")


def test_without_a_choice_a_line_keeps_its_own() -> None:
    (column,) = combine_columns(())
    assert column == BoardColumn(())
    assert column.voice is None
    board = Board(LINES, combine_columns((), (1.0, 2.0)))
    assert board.find_line(BoardCell(1, 1)) == replace(LINES[1], settings=replace(LINES[1].settings, style_weight=2.0))
    strong = combine_columns((), (3.0,), {"soft": {"style_weight": 0.1}})
    assert strong[0].apply_to_settings(LineSettings()).style_weight == 3.0


def test_a_board_is_bounded() -> None:
    with pytest.raises(ValueError, match="1000"):
        Board(LINES * 100, a_board().columns)


@given(st.integers(0, 3), st.integers(0, 5), st.sets(st.builds(BoardCell, st.integers(0, 3), st.integers(0, 5))))
def test_the_focused_cell_is_first_and_its_neighbours_follow(row: int, column: int, done: set[BoardCell]) -> None:
    board, focus = a_board(), BoardCell(row, column)
    order = plan_fill_order(board, focus, done)
    assert sorted((*order, *done)) == sorted(board.cells)
    near = [abs(cell.row - row) + abs(cell.column - column) <= 1 for cell in order]
    assert near == sorted(near, reverse=True)
    assert focus in done or order[0] == focus


def test_far_cells_go_voice_by_voice_and_bert_by_bert() -> None:
    board = a_board(4, 5)
    berts = {"voice 0": "one", "voice 1": "two", "voice 2": "one", "voice 3": "two", "voice 4": "one"}
    order = plan_fill_order(board, BoardCell(0, 0), (), lambda voice: berts[voice])
    voices = [str(board.columns[cell.column].voice) for cell in order if cell.row + cell.column > 1]
    changes = [voice for number, voice in enumerate(voices) if number == 0 or voice != voices[number - 1]]
    assert changes == ["voice 0", "voice 2", "voice 4", "voice 1", "voice 3"]
    far = [cell.row + cell.column for cell in order if board.columns[cell.column].voice == "voice 4"]
    assert far == sorted(far)


def test_arrows_lead_to_the_next_cell_that_is_shown() -> None:
    board = a_board(3, 3, 1)
    everything = board.cells
    assert move_focus(BoardCell(1, 1), "left", everything) == BoardCell(1, 0)
    assert move_focus(BoardCell(1, 1), "right", everything) == BoardCell(1, 2)
    assert move_focus(BoardCell(1, 1), "up", everything) == BoardCell(0, 1)
    assert move_focus(BoardCell(1, 1), "down", everything) == BoardCell(2, 1)
    assert move_focus(BoardCell(0, 0), "up", everything) == BoardCell(0, 0)
    assert move_focus(BoardCell(1, 1), "first", everything) == BoardCell(1, 0)
    assert move_focus(BoardCell(1, 0), "last", everything) == BoardCell(1, 2)
    few = (BoardCell(0, 0), BoardCell(0, 2), BoardCell(2, 0))
    assert move_focus(BoardCell(0, 0), "right", few) == BoardCell(0, 2)
    assert move_focus(BoardCell(0, 0), "down", few) == BoardCell(2, 0)
    assert move_focus(BoardCell(0, 2), "down", few) == BoardCell(0, 2)
    assert move_focus(BoardCell(1, 1), "last", few) == BoardCell(1, 1)
    assert find_nearest_cell(BoardCell(2, 2), few) == BoardCell(0, 2)
    assert find_nearest_cell(BoardCell(0, 0), ()) is None


def test_filters_by_stars_and_ratings() -> None:
    board = a_board(2, 2, 1)
    takes = {BoardCell(0, 0): LineTake("a", starred=True, rating=2), BoardCell(1, 1): LineTake("b", rating=5)}
    assert filter_cells(board, takes.get) == board.cells
    assert filter_cells(board, takes.get, starred_only=True) == (BoardCell(0, 0),)
    assert filter_cells(board, takes.get, min_rating=2) == (BoardCell(0, 0), BoardCell(1, 1))
    assert filter_cells(board, takes.get, starred_only=True, min_rating=5) == ()


def test_playing_through_in_order_or_shuffled() -> None:
    cells = a_board().cells
    assert plan_play_order(cells) == cells
    mixed = plan_play_order(cells, "1" * 64)
    assert mixed != cells
    assert sorted(mixed) == sorted(cells)
    assert mixed == plan_play_order(cells, "1" * 64)
    assert mixed != plan_play_order(cells, "2" * 64)


def test_a_cell_finds_the_take_that_was_made_just_so() -> None:
    board, cell = a_board(), BoardCell(2, 3)
    old, new = create_take(board.find_line(cell)), create_take(board.find_line(cell))
    known = map_takes_by_line((old, new, create_take(LINES[2])))
    assert find_take(board, cell, known) is new
    assert find_take(board, BoardCell(2, 4), known) is None
    assert find_take(Board((replace(LINES[2], text="別の文です。"),), board.columns), BoardCell(0, 3), known) is None


def test_a_board_is_filled_by_the_real_pipeline_and_bert_reads_each_line_once(tmp_path: Path) -> None:
    pipeline = open_speaker(None).pipeline
    styles = tuple(pipeline.voice.styles.values())[:3]
    board = Board(LINES[:2], combine_columns((VoiceChoice("", styles=styles),), (0.5, 1.0)))
    store, takes, stages = TakeStore(tmp_path / "d"), [], list[StageTiming]()
    for cell in plan_fill_order(board, BoardCell(1, 2)):
        line = board.find_line(cell)
        heard = list[int]()
        made = render_line(pipeline, line, stages.append, on_chunk=lambda chunk, heard=heard: heard.append(len(chunk.samples)))
        assert made is not None
        assert sum(heard) == len(made[0])
        kept = store.keep_sound(*made)
        takes.append(create_take(line, kept.name, kept.length_s, kept.size))
    known = map_takes_by_line(takes)
    for cell in board.cells:
        take = find_take(board, cell, known)
        assert take is not None
        samples, rate = store.read_sound(take.sound)
        assert len(samples) / rate == pytest.approx(take.length_s)
        assert np.abs(samples).max() > 0.05
    assert len({take.sound for take in takes}) == len(board.cells) - 2  # of its plainest style a voice has one strength
    computed = Counter(stage.stage for stage in stages if not stage.cache_hit)
    assert (computed["bert"], computed["g2p"]) == (2, 2)
    assert render_line(pipeline, LINES[0], cancelled=lambda: True) is None
