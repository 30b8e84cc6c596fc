"""Takes as values: what is kept, what goes, what comes back."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.script.project import (
    LineTake,
    change_take,
    create_take,
    draw_seeds,
    is_sound_name,
    list_sounds,
    prune_takes,
    remove_takes,
    restore_line,
    select_line_takes,
)
from app.core.script.project_data import convert_takes_to_data, parse_takes
from app.core.script.script import Line, LineSettings
from app.core.synthesis_types import MoraOverride, Overrides

SOUND = "ab" * 32
names = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=12)
takes_of = st.builds(
    LineTake,
    line=names,
    text=names,
    settings=st.builds(LineSettings, voice=names, seed=st.integers(0, 2**31 - 1), speed=st.floats(0.5, 2.0)),
    overrides=st.sampled_from((Overrides(), Overrides(moras=(MoraOverride(1, tone=1),), text="はい"))),
    sound=st.sampled_from(("", SOUND)),
    length_s=st.floats(0, 100),
    size=st.integers(0, 2**40),
    starred=st.booleans(),
    rating=st.integers(0, 5),
    note=names,
)


@given(st.lists(takes_of, max_size=4))
def test_what_is_written_is_read(takes: list[LineTake]) -> None:
    assert parse_takes(json.loads(json.dumps(convert_takes_to_data(takes)))) == tuple(takes)


@pytest.mark.parametrize(
    "damage",
    [
        {"id": ""},
        {"id": 3},
        {"text": None},
        {"starred": 1},
        {"rating": 6},
        {"rating": True},
        {"size": -1},
        {"length_s": -1},
        {"length_s": 1e300},
        {"length_s": float("nan")},
        {"note": 1},
        {"line": []},
        {"settings": {"speed": 99}},
        *({"sound": name} for name in ("../" * 21 + "a", "/etc/passwd", SOUND.upper(), SOUND + "\n", SOUND[1:], "C:" + SOUND, 5, None)),
    ],
)
def test_what_no_version_writes_is_refused(damage: dict[str, Any]) -> None:
    data = convert_takes_to_data([LineTake("a", "はい。", sound=SOUND)])
    with pytest.raises(ValueError):  # noqa: PT011
        parse_takes([data[0] | damage])


def test_too_many_and_equal_ids_are_refused() -> None:
    data = convert_takes_to_data([LineTake("a", id="b")])
    with pytest.raises(ValueError, match="twice"):
        parse_takes(data * 2)
    with pytest.raises(ValueError, match="takes"):
        parse_takes(data * 10_001)


def test_a_take_brings_its_line_back() -> None:
    line = Line("はい。", LineSettings(voice="mei", seed=7, seed_locked=False), Overrides(moras=(MoraOverride(0, tone=1),)))
    take = create_take(line, SOUND, 1.5, 9_000)
    other = replace(line, text="いいえ。", settings=LineSettings(), overrides=Overrides())
    back = restore_line(other, take)
    assert (back.id, back.text, back.overrides) == (line.id, line.text, line.overrides)
    assert back.settings == replace(line.settings, seed_locked=True)
    assert select_line_takes((take, LineTake("other")), line.id) == (take,)


def test_stars_ratings_and_notes() -> None:
    takes = (LineTake("a", id="1"), LineTake("a", id="2"))
    assert change_take(takes, "2", starred=True, rating=5, note="x" * 3_000)[1] == LineTake(
        "a", id="2", starred=True, rating=5, note="x" * 2_000
    )
    assert change_take(takes, "3", starred=True) == takes
    for rating in (6, -1, 2.5):
        with pytest.raises(ValueError, match="rating"):
            change_take(takes, "1", rating=rating)
    assert remove_takes(takes, {"1"}) == takes[1:]
    assert list_sounds((*takes, LineTake("a", sound=SOUND))) == {SOUND}


def test_the_oldest_go_and_stars_and_tests_stay() -> None:
    takes = tuple(LineTake("a", sound=f"{number:064x}", size=10, starred=number == 1, id=str(number)) for number in range(8))
    assert prune_takes(takes, 8, 80) is takes
    assert [take.id for take in prune_takes(takes, 3, 1_000)] == ["1", "6", "7"]
    assert [take.id for take in prune_takes(takes, 100, 40)] == ["1", "5", "6", "7"]
    assert [take.id for take in prune_takes(takes, 3, 1_000, used={f"{0:064x}"})] == ["0", "1", "7"]
    assert [take.id for take in prune_takes(takes, 0, 0, used={f"{0:064x}"})] == ["0", "1"]
    same = tuple(LineTake("a", sound=SOUND, size=10, id=str(number)) for number in range(5))
    assert prune_takes(same, 100, 10) is same


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=8), st.integers(0, 8), st.integers(0, 40))
def test_what_is_pruned_fits_but_for_what_must_stay(kinds: list[tuple[int, bool]], most: int, most_bytes: int) -> None:
    takes = tuple(
        LineTake("a", sound=f"{size:064x}", size=size, starred=starred, id=str(number)) for number, (size, starred) in enumerate(kinds)
    )
    kept = prune_takes(takes, most, most_bytes)
    assert set(kept) >= {take for take in takes if take.starred}
    loose = [take for take in kept if not take.starred]
    assert not loose or len(kept) <= most
    needed_for_stars = sum({take.size for take in kept if take.starred})
    assert sum({take.size for take in kept}) <= max(most_bytes, needed_for_stars)
    assert [take for take in takes if take in kept] == list(kept)


def test_no_seed_occurs_twice() -> None:
    few = random.Random(1)
    seeds = draw_seeds(50, range(50), lambda _low, _high: few.randint(0, 99))
    assert sorted(seeds) == list(range(50, 100))
    assert len(set(draw_seeds(5, (), random.randint))) == 5


@given(st.text() | st.none() | st.integers())
def test_only_hashes_are_names_of_sounds(value: object) -> None:
    assert not is_sound_name(value)
    assert is_sound_name(SOUND)
