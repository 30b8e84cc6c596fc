"""The smooth trajectory: the likeliest one under the leaves' means and variances, in the voice's graph as in the recipe."""

import numpy as np
import onnxruntime as ort
import pytest
import smoothing
from export_smoothing import of_states, spread, state_of_frame, trajectory
from graph import Graph

WINDOWS = (np.array([0.0, 1, 0]), np.array([-0.5, 0, 0.5]), np.array([1.0, -2, 1]))


def drawn(seed: int, frames: int, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, inverse deviations (frames, 3, width) and where the last column exists."""
    dice = np.random.default_rng(seed)
    means = dice.normal(size=(frames, 3, width)) * np.array([1, 0.1, 0.1])[:, None]
    sharpness = dice.uniform(1, 4, (frames, 3, width)) * np.array([1, 2, 2])[:, None]
    valid = np.ones((frames, width))
    valid[:, -1] = dice.random(frames) < 0.7
    return means.astype(np.float32), sharpness.astype(np.float32), valid.astype(np.float32)


def likeliest(means: np.ndarray, sharpness: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """By the normal equations, written out: windows that reach beyond what exists do not count."""
    frames = len(means)
    system, right = np.diag(1.0 - valid), np.zeros(frames)
    for kind, window in enumerate(WINDOWS):
        for frame in range(frames):
            reach = [frame] if kind == 0 else [frame - 1, frame, frame + 1]
            if any(place < 0 or place >= frames or not valid[place] for place in reach):
                continue
            row = np.zeros(frames)
            row[reach] = [1.0] if kind == 0 else window
            precision = float(sharpness[frame, kind]) ** 2
            system += precision * np.outer(row, row)
            right += precision * means[frame, kind] * row
    return np.linalg.solve(system, right)


def test_enough_rounds_find_the_likeliest_trajectory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoothing, "ROUNDS", 100)
    given = drawn(0, 40, 3)
    found = smoothing.trajectory(*given)
    for column in range(3):
        assert found[:, column] == pytest.approx(likeliest(*(table[..., column] for table in given)), abs=1e-4)


def test_a_line_gets_the_spread_that_is_wanted() -> None:
    values, heard = drawn(1, 50, 2)[0][:, 0], np.ones((50, 1), np.float32)
    heard[:10] = 0
    wanted = np.array([4.0, 0.0], np.float32)
    found = smoothing.spread(values, heard, wanted)
    assert found[10:, 0].var() == pytest.approx(4, rel=1e-3)
    assert found[10:, 0].mean() == pytest.approx(values[10:, 0].mean(), abs=1e-4)
    assert np.array_equal(found[:10], values[:10])
    assert np.array_equal(found[:, 1], values[:, 1])


def test_a_state_is_the_mean_of_its_frames() -> None:
    values = np.arange(12, dtype=np.float32).reshape(6, 2)
    assert smoothing.of_states(values, np.array([1, 3, 2])).tolist() == [[0, 1], [4, 5], [9, 10]]


@pytest.mark.parametrize("states", [1, 2, 40])
def test_the_graph_does_the_same(states: int) -> None:
    dice = np.random.default_rng(states)
    lasting = dice.integers(1, 6, states)
    means, sharpness, valid = drawn(states, int(lasting.sum()), 4)
    heard, wanted = (dice.random((len(means), 1)) < 0.8).astype(np.float32), np.array([3, 0, 0, 1], np.float32)
    heard[0] = 1
    graph = Graph("smooth")
    given = [graph.input(name, "f32", "n", *shape) for name, shape in (("means", (3, 4)), ("sharpness", (3, 4)), ("valid", (4,)))]
    found = spread(graph, trajectory(graph, *given), graph.input("heard", "f32", "n", 1), graph.input("wanted", "f32", 4))
    frames = graph.input("frames", "i64", "s")
    state, ends = state_of_frame(graph, frames)
    graph.output("means_of_states", of_states(graph, found, frames, ends), "s", 4)
    graph.output("states", graph.op("Cast", state, to=1), "n")
    session = ort.InferenceSession(graph.model().SerializeToString())
    tables = {"means": means, "sharpness": sharpness, "valid": valid, "heard": heard, "wanted": wanted, "frames": lasting}
    of_graph, each = session.run(None, tables)
    assert each.tolist() == np.repeat(np.arange(states), lasting).tolist()
    own = smoothing.of_states(smoothing.spread(smoothing.trajectory(means, sharpness, valid), heard, wanted), lasting)
    assert of_graph == pytest.approx(own, abs=1e-3)
