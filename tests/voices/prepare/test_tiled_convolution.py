"""Convolutions in tiles compute what ONNX's own operator computes."""

from collections.abc import Callable

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.tiled_convolution import add_tiled_convolution, compute_tile_matrices

LEAST_SNR_DB = 65


def run(add: Callable[[GraphWriter, str], str], rows: np.ndarray, shape: list[int | str]) -> np.ndarray:
    writer = GraphWriter("convolution", "T")
    writer.add_output("result", add(writer, writer.add_input("rows", ["T", rows.shape[1]])), shape)
    model = writer.build_model()
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return np.asarray(session.run(None, {"rows": rows})[0])


@settings(max_examples=40, deadline=None)
@given(
    kernel=st.sampled_from([3, 5, 7, 11]),
    dilation=st.integers(1, 5),
    tile=st.integers(5, 8),
    length=st.integers(1, 130),
    channels=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    seed=st.integers(0, 99),
)
def test_any_length_kernel_and_dilation(kernel: int, dilation: int, tile: int, length: int, channels: tuple[int, int], seed: int) -> None:
    inputs, outputs = channels
    noise = np.random.default_rng(seed)
    rows = noise.standard_normal((length, inputs)).astype(np.float32)
    weight = noise.standard_normal((outputs, inputs, 1, kernel)).astype(np.float32)

    def add_plain(writer: GraphWriter, name: str) -> str:
        image = writer.add_conv(writer.convert_to_image(name), writer.add_weight("weight", weight), None, dilation)
        return writer.convert_to_rows(image)

    def add_tiles(writer: GraphWriter, name: str) -> str:
        matrix = writer.add_weight("weight", weight[:, :, 0].transpose(2, 1, 0).reshape(kernel, -1))
        return add_tiled_convolution(writer, name, matrix, (kernel, inputs, outputs), dilation=dilation, tile=tile)

    expected, tiled = (run(add, rows, ["T", outputs]) for add in (add_plain, add_tiles))
    assert tiled.shape == expected.shape == (length, outputs)
    error = np.sqrt(np.mean((tiled - expected) ** 2)) / np.sqrt(np.mean(expected**2) + np.mean(weight**2))
    assert -20 * np.log10(error + 1e-12) > LEAST_SNR_DB


def test_the_matrices_are_exact_in_fractions() -> None:
    matrices = compute_tile_matrices(6, 11)
    kernel, values = (np.random.default_rng(seed).standard_normal(size) for seed, size in ((0, 11), (1, 16)))
    result = matrices.output @ ((matrices.kernel @ kernel) * (matrices.input @ values))
    assert result == pytest.approx(np.correlate(values, kernel, "valid"), abs=1e-9)


def test_a_tile_for_which_there_are_no_points_is_refused() -> None:
    with pytest.raises(ValueError, match="no points"):
        compute_tile_matrices(12, 11)
