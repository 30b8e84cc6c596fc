"""The pitch that Kokoro speaks: whose accents, whose drift and whose small movements it has."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.ort.graph_session import GraphSession, open_unoptimized
from app.core.synthesis_types import Float64
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_melody import LEAST_PITCH_HZ, STEPS_PER_S, add_spoken_pitch

STEPS = 4 * STEPS_PER_S
MEDIAN_HZ = 200.0
UNVOICED = slice(100, 120)


@pytest.fixture(scope="module")
def session() -> GraphSession:
    writer = GraphWriter("pitch", "T")
    own, melody = writer.add_input("own", [1, 1, 1, "T"]), writer.add_input("f0", ["T"])
    weight, intonation = (writer.add_input(name, []) for name in ("melody_weight", "melody_intonation"))
    offset = writer.add_input("pitch_offset", [2, "F"])
    writer.add_output("spoken", add_spoken_pitch(writer, own, melody, weight, intonation, offset), [1, 1, 1, "T"])
    model: onnx.ModelProto = writer.build_model()
    return open_unoptimized(model.SerializeToString(), "pitch")


def speak(
    session: GraphSession, own: Float64, asked: Float64, weight: float = 1.0, intonation: float = 1.0, drawn: Float64 | float = 0.0
) -> Float64:
    """Semitones over MEDIAN_HZ, as both contours are given; what is not voiced has 5 Hz."""
    hz = (MEDIAN_HZ * 2 ** (own / 12)).astype(np.float32)
    hz[UNVOICED] = 5.0
    feed = {
        "own": hz[None, None, None],
        "f0": (MEDIAN_HZ * 2 ** (asked / 12)).astype(np.float32),
        "melody_weight": weight,
        "melody_intonation": intonation,
        "pitch_offset": np.broadcast_to(drawn, STEPS).astype(np.float32).reshape(-1, 2).T,
    }
    spoken = session.run_graph(feed, ["spoken"])[0].ravel()
    assert np.all(spoken[UNVOICED] == 5.0)
    assert spoken.min() < LEAST_PITCH_HZ
    return np.delete(12 * np.log2(spoken.astype(np.float64) / MEDIAN_HZ), UNVOICED)


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


def test_drift_and_small_movements_stay_its_own(session: GraphSession) -> None:
    shake = 0.5 * (-1.0) ** np.arange(STEPS)
    own = np.delete(drift(3.0) + shake, UNVOICED)
    difference = speak(session, drift(3.0) + shake, drift(-3.0)) - own
    # At the ends of what is voiced the windows see one side alone.
    assert np.abs(difference[STEPS_PER_S:-STEPS_PER_S]).max() < 0.5


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
