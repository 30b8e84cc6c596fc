"""Edits of a line's melody: what they keep, and what they may never do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.core.sound.line_melody import (
    LineMelody,
    copy_melody,
    find_own_melody,
    flatten_pitches,
    list_pitch_offsets,
    paste_melody,
    place_pitches,
    predict_own_melody,
    raise_ending,
    remove_pitch_edits,
    shift_pitches,
    smooth_pitches,
)
from app.core.sound.line_reading import read_line
from app.core.synthesis_types import MORA_PITCH_BOUNDS, MoraOverride, Overrides

G2P = OpenJTalkG2P()
offsets = st.integers(-120, 120).map(lambda tenths: tenths / 10)
MORAS = st.lists(st.tuples(st.none() | st.floats(-15, 15), offsets), min_size=1, max_size=12)


@st.composite
def melodies(draw: st.DrawFn) -> LineMelody:
    moras = draw(MORAS)
    return LineMelody(tuple(own for own, _ in moras), tuple(offset for _, offset in moras))


def change(melody: LineMelody, pitches: dict[int, float]) -> LineMelody:
    return LineMelody(melody.own, tuple(pitches.get(mora, offset) for mora, offset in enumerate(melody.offsets)))


@given(melodies(), st.floats(-30, 30))
def test_a_phrase_keeps_its_tune_when_it_is_moved(melody: LineMelody, semitones: float) -> None:
    moras = range(len(melody.own))
    moved = change(melody, shift_pitches(melody, moras, semitones))
    steps = [after - before for before, after in zip(melody.offsets, moved.offsets, strict=True)]
    assert max(steps) - min(steps) < 0.11, "a snap of the grid"
    assert all(MORA_PITCH_BOUNDS.low <= offset <= MORA_PITCH_BOUNDS.high for offset in moved.offsets)


@given(melodies())
def test_shaping_leaves_silence_alone_and_bounds_unbroken(melody: LineMelody) -> None:
    moras = range(len(melody.own))
    copied = copy_melody(melody, moras)
    changes = [smooth_pitches(melody, moras), flatten_pitches(melody, moras), raise_ending(melody, moras)]
    changes += [paste_melody(melody, moras, copied)] if copied is not None else []
    for pitches in changes:
        assert all(melody.own[mora] is not None for mora in pitches)
        assert all(MORA_PITCH_BOUNDS.low <= offset <= MORA_PITCH_BOUNDS.high for offset in pitches.values())


def test_commands_shape_what_is_heard() -> None:
    melody = LineMelody((4.0, -2.0, None, 1.0), (0.0, 0.0, 2.0, 1.0))
    moras = range(4)
    assert change(melody, flatten_pitches(melody, moras)).heights == pytest.approx((4 / 3, 4 / 3, None, 4 / 3), abs=0.06)
    smooth = change(melody, smooth_pitches(melody, moras)).heights
    assert smooth == pytest.approx((2.5, 0.5, None, 1.0), abs=0.06)
    assert raise_ending(melody, moras) == {1: 1.5, 3: 5.0}, "the last morae that have a pitch"
    assert place_pitches(melody, {0: 5.04, 2: 9.0}) == {0: 1.0}


def test_a_tune_is_pasted_around_the_pitch_of_its_new_place() -> None:
    source = LineMelody((0.0, 4.0, 0.0), (1.0, 1.0, 1.0))
    target = LineMelody((-6.0, -6.0, -6.0, -6.0, -6.0), (0.0,) * 5)
    copied = copy_melody(source, range(3))
    assert copied is not None
    pasted = change(target, paste_melody(target, range(5), copied)).heights
    assert pasted == pytest.approx((-6.33, -4.33, -2.33, -4.33, -6.33), abs=0.06), "as high above its place, stretched to five morae"
    assert paste_melody(source, range(3), copied) == {0: 1.0, 1: 1.0, 2: 1.0}
    assert copy_melody(LineMelody((None,), (0.0,)), [0]) is None


def test_what_was_moved_is_taken_off_what_was_measured() -> None:
    edits = Overrides(moras=(MoraOverride(0, pitch=12.0), MoraOverride(2, tone=1, pitch=1.0), MoraOverride(3, pitch=2.0)), text="x")
    melody = find_own_melody((400.0, 200.0, None, 200.0 * 2 ** (2 / 12)), edits)
    assert melody.own == pytest.approx((0.0, 0.0, None, 0.0))
    assert melody.heights == pytest.approx((12.0, 0.0, None, 2.0))
    assert melody.is_measured
    assert list_pitch_offsets(edits, 2) == (12.0, 0.0)
    assert remove_pitch_edits(edits).moras == (MoraOverride(2, tone=1),)
    assert remove_pitch_edits(Overrides(moras=(MoraOverride(0, pitch=1.0),), text="x")) == Overrides()


@pytest.mark.parametrize("text", ["雨と、飴。", "あっ！　ラーメン、食べる？", "「え」……。", "。", "ンーッ"])
def test_every_mora_of_a_line_has_a_place_in_the_prediction(text: str) -> None:
    reading = read_line(text, (), G2P)
    tones = [mora.tone for mora in reading.moras]
    predicted = predict_own_melody(reading, tones)
    assert len(predicted.own) == len(reading.moras)
    assert not predicted.is_measured
    assert [own is None for own in predicted.own] == [mora.kana == "ッ" for mora in reading.moras]
    if len(set(tones)) > 1:
        level = {tone: [own for own, one in zip(predicted.own, tones, strict=True) if own is not None and one == tone] for tone in (0, 1)}
        assert max(level[1]) > min(level[0]) + 2
