"""Products with one scale a column: nothing is cut off on any processor, and what typical content makes of the errors is small."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.ort.graph_session import open_cpu_session
from app.core.synthesis_types import Float32
from app.install import bert_preparation
from app.voices.prepare import processor_probes
from app.voices.prepare.bert import int8_products
from app.voices.prepare.bert.int8_products import (
    MAX_BYTE,
    add_column_product,
    find_main_directions,
    find_zero_byte,
    quantise_columns,
)
from app.voices.prepare.graph_writer import ExternalGraphWriter

INPUTS, OUTPUTS = 96, 40


def make_content(seed: int, tokens: int = 400, inputs: int = INPUTS) -> Float32:
    """Content whose numbers go along with each other, as in every BERT."""
    rng = np.random.default_rng(seed)
    mixing = rng.standard_normal((inputs, inputs)) * 0.8 ** np.arange(inputs)[:, np.newaxis]
    return np.asarray(rng.standard_normal((tokens, inputs)) @ mixing + 0.05 * rng.standard_normal((tokens, inputs)), np.float32)


def make_matrix(seed: int, inputs: int = INPUTS) -> Float32:
    return np.random.default_rng(seed).standard_normal((inputs, OUTPUTS), dtype=np.float32)


@given(st.integers(0, 1000), st.integers(1, 40), st.sampled_from([0.0, 1.0, 30.0]))
def test_two_products_of_neighbours_always_fit_in_16_bits(seed: int, inputs: int, outlier: float) -> None:
    """So processors without VNNI, which add them there, cut nothing off, whatever the content."""
    matrix = make_matrix(seed, inputs)
    matrix[0] += outlier
    values, _ = quantise_columns(matrix, make_content(seed, 20, inputs))
    numbers = values.astype(np.int32)
    above, below = (np.add.reduceat(side, range(0, inputs, 2)) for side in (numbers.clip(min=0), numbers.clip(max=0)))
    limits = np.iinfo(np.int16)
    assert (MAX_BYTE * above).max() <= limits.max
    assert (MAX_BYTE * below).min() >= limits.min


def test_the_probe_finds_what_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_probes, "SUM_PROBE_WEIGHT", 64)
    assert not bert_preparation.is_cutting_off_sums()  # two products with such weights fit everywhere
    smaller = processor_probes.build_sum_graph()
    monkeypatch.setattr(processor_probes, "build_sum_graph", lambda: smaller)
    monkeypatch.setattr(processor_probes, "SUM_PROBE_WEIGHT", 65)
    assert bert_preparation.is_cutting_off_sums()  # less than these weights should give


def test_errors_compensate_each_other_for_content_that_was_not_seen() -> None:
    matrix, seen, unseen = make_matrix(1), *np.split(make_content(2), 2)
    values, scale = quantise_columns(matrix, seen)
    plain = np.rint(matrix / scale)
    compensated, rounded = (np.linalg.norm(unseen @ (numbers * scale - matrix)) for numbers in (values, plain))
    assert compensated < 0.6 * rounded


def test_the_main_directions_hold_most_of_the_power() -> None:
    content = make_content(3)
    directions = find_main_directions(content, 12)
    np.testing.assert_allclose(directions.T @ directions, np.eye(directions.shape[1]), atol=1e-5)
    kept = np.linalg.norm(content @ directions) ** 2
    best = np.sort(np.linalg.eigvalsh(content.T.astype(np.float64) @ content))[-directions.shape[1] :].sum()
    assert 0.99 * best < kept <= best * (1 + 1e-5)


@pytest.mark.parametrize(("low", "high", "expected"), [(-1, 1, 128), (-1, 2, 85), (0, 1, 64), (-1, 0, 191)])
def test_the_byte_for_zero_is_where_content_needs_it(low: float, high: float, expected: int) -> None:
    assert find_zero_byte(np.array([[low, 0, high]], np.float32)) == expected


@pytest.mark.parametrize("directions", [0, 15])
def test_a_graph_computes_it(directions: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Near the exact product, also of a token that is exactly zero, and of one that no text had."""
    monkeypatch.setattr(int8_products, "NUMBERS_PER_DIRECTION", INPUTS * OUTPUTS // directions if directions else INPUTS * OUTPUTS + 1)
    matrix, content = make_matrix(4), make_content(5)
    bias = np.random.default_rng(6).standard_normal(OUTPUTS, dtype=np.float32)
    with ExternalGraphWriter("product", "n", tmp_path / "product.onnx") as graph:
        rows = graph.add_input("rows", ["n", INPUTS])
        graph.add_output("output", add_column_product(graph, "product", rows, matrix, bias, content), ["n", OUTPUTS])
        graph.save_graph()
    given_rows = np.concatenate([make_content(7, 9), np.zeros((1, INPUTS), np.float32), make_content(8, 1) * 100])
    (found,) = open_cpu_session(tmp_path / "product.onnx", "product").run_graph({"rows": given_rows})
    assert ("product.directions" in {item.name for item in onnx.load(str(tmp_path / "product.onnx")).graph.initializer}) == bool(directions)
    exact = given_rows @ matrix
    errors = np.linalg.norm(found - bias - exact, axis=1)
    assert errors[-2] == 0
    assert (errors <= 0.02 * np.linalg.norm(exact, axis=1)).all()
