"""Outlines and times between starts."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.script.line_sound_data import MAX_STORED_LINE_SOUNDS, convert_sounds_to_data, parse_sounds
from app.core.script.script import Line, LineSettings
from app.core.sound.line_sound import PEAK_BIN_S, LineSound
from app.core.synthesis_types import AudioChunk, PhoneTiming

RATE = 44_100


def heard(seed: int, pieces: int) -> LineSound:
    """A sound of so many pieces between two silences."""
    draw = np.random.default_rng(seed)
    sound = LineSound(f"request {seed}", recipe=seed)
    quiet = np.zeros(4_410, np.float32)
    sound.add_chunk(AudioChunk(quiet, RATE, "", 0, silence=True))
    for piece in range(pieces):
        samples = draw.uniform(-1, 1, int(draw.integers(1, 9_000))).astype(np.float32)
        phones = (PhoneTiming("k", 0, 0.0, 0.02), PhoneTiming("a", 1, 0.02, 0.1)) if piece % 2 == 0 else ()
        sound.add_chunk(AudioChunk(samples, RATE, "", piece // 2, phones=phones))
        sound.pitches_hz += (220.0, None) if phones else ()
    sound.add_chunk(AudioChunk(quiet, RATE, "", 0, silence=True, last=True))
    return sound


@given(st.integers(0, 1_000), st.integers(0, 7))
def test_what_is_written_is_read(seed: int, pieces: int) -> None:
    line, sound = Line("はい。", LineSettings(seed=seed)), heard(seed, pieces)
    assert sound.is_whole
    ((again, found),) = parse_sounds(json.loads(json.dumps(convert_sounds_to_data([(line, sound)]))))
    assert again == line
    assert (found.length_s, found.spoken_s, found.is_whole) == (sound.length_s, sound.spoken_s, True)
    assert found.spoken_s == pytest.approx(found.length_s - 0.2)
    assert found.sentences == sound.sentences
    assert found.pitches_hz == sound.pitches_hz
    assert found.recipe == sound.recipe
    assert np.abs(found.peaks - sound.peaks).max(initial=0) <= 0.5 / 255 + 1e-6


def test_only_so_many_and_no_very_long_ones_are_kept() -> None:
    sound = heard(1, 2)
    lines = [Line(str(number)) for number in range(MAX_STORED_LINE_SOUNDS + 5)]
    found = parse_sounds(convert_sounds_to_data((line, sound) for line in lines))
    assert [line.text for line, _ in found] == [line.text for line in lines[5:]]
    long = heard(2, 1)
    long.length_s = 601
    assert parse_sounds(convert_sounds_to_data([(lines[0], long)])) == []
    older = convert_sounds_to_data([(lines[0], sound)])
    del older["lines"][0]["pitches_hz"], older["lines"][0]["recipe"]
    ((_, read),) = parse_sounds(older)
    assert (read.pitches_hz, read.recipe) == ((), 1), "all voices had the first recipe then"


def test_a_line_of_ten_seconds_takes_a_few_kilobytes() -> None:
    sound = LineSound("a")
    phones = tuple(PhoneTiming("a", 0, place / 10, (place + 1) / 10) for place in range(100))
    sound.add_chunk(AudioChunk(np.ones(10 * RATE, np.float32), RATE, "", 0, phones=phones, last=True))
    assert len(sound.peaks) * PEAK_BIN_S == pytest.approx(10, abs=0.1)
    assert len(json.dumps(convert_sounds_to_data([(Line("あ" * 60), sound)]))) < 8_000


@pytest.mark.parametrize(
    "damage",
    [
        {"line": None},
        {"line": {"text": 1}},
        {"peaks": None},
        {"peaks": "???"},
        {"peaks": "A" * 1_000_000},
        {"length_s": -1},
        {"spoken_s": 1e9},
        {"length_s": "1"},
        {"sentences": {}},
        {"sentences": [[0, 0]]},
        {"sentences": [[-1, 0, []]]},
        {"sentences": [[0, 0, [["a" * 9, 0, 0, 0]]]]},
        {"sentences": [[0, 0, [["a", 2, 0, 0]]]]},
        {"sentences": [[0, 0, [["a", 0, 0]]]]},
        {"sentences": [[0, 0, []]] * 1_001},
        {"pitches_hz": 3},
        {"pitches_hz": [0]},
        {"pitches_hz": ["220"]},
    ],
)
def test_what_this_version_does_not_write_is_refused(damage: dict[str, Any]) -> None:
    data = convert_sounds_to_data([(Line("a"), heard(1, 1))])
    with pytest.raises(ValueError):  # noqa: PT011
        parse_sounds(data | {"lines": [data["lines"][0] | damage]})
    for wrong in (None, [], {}, {"version": 2, "lines": []}, {"version": 1, "lines": {}}):
        with pytest.raises(ValueError):  # noqa: PT011
            parse_sounds(wrong)
