"""A scene against candidate casts: what is heard in a cell is what the script speaks once it is recast."""

import itertools
import random
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.audition.board import Board, BoardCell, list_scene_cells, plan_fill_order
from app.audition.candidate_casts import (
    CandidateCast,
    VoiceKey,
    build_cast_board,
    choose_free_letter,
    list_scene_characters,
    recast_script,
    suggest_voices,
)
from app.core.script.script import Character, Line, LineSettings, Script

HERO = Character("勇者", LineSettings(voice="mei", style="Happy", speed=1.2), id="hero")
KING = Character("王", LineSettings(voice="kokoro", speaker="Male 1"), id="king")
MAID = Character("村人", id="maid")
CAST = (HERO, KING, MAID)

SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "voice": st.sampled_from(["mei", "kokoro", "other"]),
        "speaker": st.sampled_from(["", "Male 1"]),
        "style": st.sampled_from(["", "Happy", "Sad"]),
        "speed": st.sampled_from([0.8, 1.0, 1.2]),
        "pauses": st.sampled_from([(), ((",", 0.3),)]),
    },
)


@st.composite
def scenes(draw: st.DrawFn) -> Script:
    """Lines of three characters and of nobody, with deviations."""
    lines = []
    for number in range(draw(st.integers(1, 6))):
        character = draw(st.sampled_from([*CAST, None]))
        own: dict[str, Any] = draw(SETTINGS) | {"seed": number, "seed_locked": draw(st.booleans())}
        settings = replace(LineSettings() if character is None else character.settings, **own)
        lines.append(Line(f"{number} 番目。", settings, id=str(number), character="" if character is None else character.id))
    return Script(tuple(lines), cast=CAST)


CANDIDATES = st.lists(st.dictionaries(st.sampled_from([one.id for one in CAST]), SETTINGS), max_size=3)


def a_board(script: Script, candidates: list[dict[str, dict[str, Any]]]) -> Board:
    casts = [CandidateCast("BCD"[place], settings) for place, settings in enumerate(candidates)]
    return build_cast_board(script.lines, list_scene_characters(script, script.lines), casts)


@given(scenes(), CANDIDATES)
def test_a_cell_speaks_as_the_line_does_once_the_script_is_recast(script: Script, candidates: list[dict[str, dict[str, Any]]]) -> None:
    board = a_board(script, candidates)
    assert [column.cast for column in board.columns] == ["A", "B", "C", "D"][: 1 + len(candidates)]
    for cell in board.cells:
        line = recast_script(script, board.columns[cell.column]).lines[cell.row]
        assert board.find_line(cell) == replace(line, settings=replace(line.settings, seed_locked=True))
        assert board.find_settings(cell).seed == cell.row
    assert recast_script(script, board.columns[0]) is script, "its own cast changes nothing"


@given(scenes(), CANDIDATES)
def test_the_former_cast_can_be_applied_again(script: Script, candidates: list[dict[str, dict[str, Any]]]) -> None:
    board = a_board(script, candidates)
    for column in board.columns:
        recast = recast_script(script, column)
        assert recast_script(recast, board.columns[0]).cast == script.cast
        assert recast_script(recast, column) is recast, "applied twice is applied once"


def test_a_scene_with_two_casts() -> None:
    lines = (
        Line("さあ。", HERO.settings, id="a", character="hero"),
        Line("うむ。", KING.settings, id="b", character="king"),
        Line("ええ。", replace(HERO.settings, voice="own"), id="c", character="hero"),
        Line("雨。", id="d"),
    )
    script = Script(lines, cast=CAST)
    assert list_scene_characters(script, lines) == (HERO, KING)
    board = a_board(script, [{"hero": {"voice": "other", "style": "", "speaker": ""}}])
    assert [board.find_settings(BoardCell(row, 1)).voice for row in range(4)] == ["other", "kokoro", "own", ""]
    assert [board.find_settings(BoardCell(row, 0)) for row in range(4)] == [line.settings for line in lines]
    assert list_scene_cells(board.cells, 1) == tuple(BoardCell(row, 1) for row in range(4))
    voices = [board.find_settings(cell).voice for cell in plan_fill_order(board, BoardCell(0, 0))[3:]]
    assert sum(one != other for one, other in itertools.pairwise(voices)) == len(set(voices)) - 1, "voice by voice"


@given(st.integers(0, 9), st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xy")), unique=True), st.integers())
def test_suggested_voices_differ_as_long_as_there_are_enough(count: int, voices: list[VoiceKey], seed: int) -> None:
    cast = [Character(str(number), LineSettings(voice="a", speaker="x"), id=str(number)) for number in range(count)]
    taken = {"0": voices[:2]}
    found = suggest_voices(cast, voices, random.Random(seed), taken)
    assert found == suggest_voices(cast, voices, random.Random(seed), taken)
    assert set(found) == ({one.id for one in cast} if voices else set())
    assert len(set(found.values())) == min(count, len(voices)) if voices else not found
    fresh = [voice for voice in voices if voice not in taken["0"] and voice != ("a", "x")]
    assert not fresh or not found or found["0"] in fresh


def test_letters_go_on_after_the_alphabet() -> None:
    taken: list[str] = []
    for _ in range(27):
        taken.append(choose_free_letter(taken))
    assert (taken[0], taken[24], taken[25], taken[26]) == ("B", "Z", "A2", "B2")
    assert choose_free_letter(["B", "D"]) == "C"
