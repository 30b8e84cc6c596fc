"""The pitch that Kokoro speaks: whose accents and whose small movements it has."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.ort.graph_session import GraphSession, open_unoptimized
from app.core.sound.melody import LEAST_PITCH_HZ
from app.core.synthesis_types import Float32, Float64
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_flow import (
    GIVEN_VOICE_SEMITONES,
    QUESTION_RISE,
    STEPS_PER_S,
    AskedPitch,
    add_spoken_pitch,
)

STEPS = 4 * STEPS_PER_S
MEDIAN_HZ = 200.0
UNVOICED = slice(100, 120)


@cache
def build_session() -> GraphSession:
    writer = GraphWriter("pitch", "T")
    own, energy = (writer.add_input(name, [1, 1, 1, "T"]) for name in ("own", "energy"))
    asked = AskedPitch(
        melody=writer.add_input("f0", ["T"]),
        weight=writer.add_input("melody_weight", []),
        intonation=writer.add_input("melody_intonation", []),
        questions=writer.add_input("questions", ["Q", "T"]),
        offset=writer.add_input("pitch_offset", [2, "F"]),
    )
    writer.add_output("spoken", add_spoken_pitch(writer, own, energy, asked), [1, 1, 1, "T"])
    model: onnx.ModelProto = writer.build_model()
    return open_unoptimized(model.SerializeToString(), "pitch")


@pytest.fixture(scope="module")
def session() -> GraphSession:
    return build_session()


def run_pitch(
    session: GraphSession,
    hz: Float32,
    asked: Float64,
    weight: float = 1.0,
    intonation: float = 1.0,
    drawn: Float64 | float = 0.0,
    *,
    energy: Float64 | float = 6.0,
    questions: Sequence[slice] = (slice(0),),
) -> Float64:
    """The pitch that is spoken of the model's own in Hz."""
    rows = np.zeros((len(questions), STEPS), np.float32)
    for row, place in zip(rows, questions, strict=True):
        row[place] = 1
    feed = {
        "own": hz[None, None, None],
        "energy": np.broadcast_to(energy, STEPS).astype(np.float32)[None, None, None],
        "questions": rows,
        "f0": (MEDIAN_HZ * 2 ** (asked / 12)).astype(np.float32),
        "melody_weight": weight,
        "melody_intonation": intonation,
        "pitch_offset": np.broadcast_to(drawn, STEPS).astype(np.float32).reshape(-1, 2).T,
    }
    return session.run_graph(feed, ["spoken"])[0].ravel().astype(np.float64)


def speak(
    session: GraphSession, own: Float64, asked: Float64, weight: float = 1.0, intonation: float = 1.0, drawn: Float64 | float = 0.0
) -> Float64:
    """Semitones over MEDIAN_HZ, as both contours are given; what is not voiced has 5 Hz."""
    hz = (MEDIAN_HZ * 2 ** (own / 12)).astype(np.float32)
    hz[UNVOICED] = 5.0
    spoken = run_pitch(session, hz, asked, weight, intonation, drawn)
    assert np.all(spoken[UNVOICED] == 5.0)
    assert spoken.min() < LEAST_PITCH_HZ
    return np.delete(12 * np.log2(spoken / MEDIAN_HZ), UNVOICED)


def drift(semitones: float) -> Float64:
    return np.linspace(semitones, -semitones, STEPS)


def step(semitones: float) -> Float64:
    """An accent: the pitch falls in the middle."""
    return np.where(np.arange(STEPS) < STEPS // 2, semitones, -semitones).astype(np.float64)


def fall(values: Float64) -> float:
    """How far it falls in the middle, from 100 ms before it until 100 ms after it."""
    middle = STEPS // 2 - (UNVOICED.stop - UNVOICED.start)
    return float(values[middle - STEPS_PER_S // 10] - values[middle + STEPS_PER_S // 10])


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_the_weight_says_whose_accents_it_has(session: GraphSession, weight: float) -> None:
    assert fall(speak(session, np.zeros(STEPS), step(3.0), weight)) == pytest.approx(
        weight * fall(speak(session, np.zeros(STEPS), step(3.0))), abs=0.02
    )
    assert fall(speak(session, step(3.0), np.zeros(STEPS), weight)) == pytest.approx(
        6 - weight * (6 - fall(speak(session, step(3.0), np.zeros(STEPS)))), abs=0.02
    )
    assert fall(speak(session, np.zeros(STEPS), step(3.0))) > 3
    assert fall(speak(session, step(3.0), np.zeros(STEPS))) < 3


def test_without_weight_it_is_the_voices_own(session: GraphSession) -> None:
    own = drift(4.0) + step(1.0)
    assert np.allclose(speak(session, own, step(3.0), 0.0), np.delete(own, UNVOICED), atol=1e-3)


def test_small_movements_stay_its_own(session: GraphSession) -> None:
    shake = 0.5 * (-1.0) ** np.arange(STEPS)
    difference = speak(session, drift(3.0) + shake, drift(-3.0)) - np.delete(drift(-3.0) + shake, UNVOICED)
    # At the ends of what is voiced the window sees one side alone.
    assert np.abs(difference[STEPS_PER_S // 10 : -STEPS_PER_S // 10]).max() < 0.3


@given(st.floats(-6, 6), st.floats(0, 2))
def test_its_mean_is_that_of_the_melody(session: GraphSession, semitones: float, intonation: float) -> None:
    asked = step(2.0) + semitones
    spoken = speak(session, drift(2.0) + 1.0, asked, intonation=intonation)
    assert spoken.mean() == pytest.approx(np.delete(asked, UNVOICED).mean(), abs=0.35)
    other = speak(session, drift(2.0) + 1.0, step(2.0), intonation=intonation)
    assert np.allclose(spoken - other, semitones, atol=1e-3)


def test_without_intonation_it_is_as_flat_as_the_melody(session: GraphSession) -> None:
    assert np.abs(speak(session, drift(4.0) + step(1.0), np.ones(STEPS), intonation=0.0) - 1.0).max() < 1e-3


@given(st.floats(0, 1), st.floats(0, 2), st.floats(-12, 12))
def test_what_is_drawn_is_added_whatever_the_weight_and_the_intonation(
    session: GraphSession, weight: float, intonation: float, semitones: float
) -> None:
    drawn = np.where(np.arange(STEPS) < STEPS // 3, semitones, 0.0)
    plain, moved = (speak(session, drift(2.0), step(2.0), weight, intonation, by) for by in (0.0, drawn))
    assert np.allclose(moved - plain, np.delete(drawn, UNVOICED), atol=1e-3)


END = slice(200, 260)
LEVEL, FLAT = np.full(STEPS, MEDIAN_HZ, np.float32), np.zeros(STEPS)


def test_a_question_rises_while_its_voice_is_heard() -> None:
    """The end of its frames is silent, and the beginning is a consonant without voice."""
    session = build_session()
    hz, energy = LEVEL.copy(), np.full(STEPS, 6.0)
    hz[200:210], energy[200:210], energy[240:] = 5.0, 0.0, -5.0
    spoken = 12 * np.log2(run_pitch(session, hz, FLAT, energy=energy, questions=[END]) / MEDIAN_HZ)
    plain = 12 * np.log2(run_pitch(session, hz, FLAT, energy=energy) / MEDIAN_HZ)
    assert np.allclose(np.delete(spoken, np.arange(200, 260)), np.delete(plain, np.arange(200, 260)), atol=1e-4)
    assert np.all(np.diff(spoken[210:240]) > 0)
    assert spoken[210] == pytest.approx(plain[210] + QUESTION_RISE / 30, abs=1e-3)
    assert spoken[239:260] == pytest.approx(plain[210] + QUESTION_RISE, abs=1e-3)


def test_each_question_rises_from_where_its_voice_begins() -> None:
    spoken = run_pitch(build_session(), LEVEL, FLAT, questions=[slice(50, 90), END])
    heights = 12 * np.log2(spoken / MEDIAN_HZ)
    assert heights[[89, 259]] == pytest.approx([QUESTION_RISE] * 2, abs=1e-3)
    assert heights[[49, 90, 199, 260]] == pytest.approx([0] * 4, abs=1e-3)


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_a_voices_own_melody_rises_by_its_share(weight: float) -> None:
    heights = 12 * np.log2(run_pitch(build_session(), LEVEL, FLAT, weight, questions=[END]) / MEDIAN_HZ)
    assert heights[259] == pytest.approx(weight * QUESTION_RISE, abs=1e-3)


def test_a_question_without_voice_gets_one_where_it_sounds() -> None:
    hz, energy = LEVEL.copy(), np.full(STEPS, 6.0)
    hz[200:], energy[250:] = 5.0, -5.0
    asked = run_pitch(build_session(), hz, FLAT, energy=energy, questions=[slice(200, STEPS)])
    assert asked[200] == pytest.approx(MEDIAN_HZ * 2 ** ((GIVEN_VOICE_SEMITONES + QUESTION_RISE / 50) / 12), rel=1e-3)
    assert np.all(np.diff(asked[200:250]) > 0)
    assert np.all(asked[250:] == 5.0)
    assert np.all(run_pitch(build_session(), hz, FLAT, energy=energy)[200:] == 5.0)
