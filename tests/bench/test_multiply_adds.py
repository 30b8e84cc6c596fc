"""Counted work: by hand, and by what real graphs run."""

from functools import partial
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from app.adapters.ort.profiled_session import OperatorRun, Shape, measure_operator_runs
from app.bench import multiply_adds
from app.bench.multiply_adds import GraphWorkload, ProcessorPeak, count_multiply_adds, measure_peak
from app.voices.prepare.processor_probes import PRODUCT_COLUMNS, PRODUCT_INNER, PRODUCT_MULTIPLY_ADDS, PRODUCT_ROWS, build_product_graph

SIZES = st.integers(1, 9)


@pytest.mark.parametrize("int8", [False, True])
def test_a_product_is_counted_as_it_runs(int8: bool, tmp_path: Path) -> None:
    (tmp_path / "product.onnx").write_bytes(build_product_graph(int8=int8))
    calls = [{"x": np.ones((PRODUCT_ROWS, PRODUCT_INNER), np.float32)}] * 2
    runs = measure_operator_runs(tmp_path / "product.onnx", calls)
    assert len(runs) == 2
    for nodes in runs:
        assert sum(map(count_multiply_adds, nodes), GraphWorkload()) == (
            GraphWorkload(bytes=PRODUCT_MULTIPLY_ADDS) if int8 else GraphWorkload(floats=PRODUCT_MULTIPLY_ADDS)
        )


def _ran(operator: str, inputs: tuple[Shape, ...], outputs: tuple[Shape, ...]) -> OperatorRun:
    return OperatorRun("", operator, "", 0, 0, 0, 0, None, None, inputs, outputs)


def test_convolutions_are_counted_by_run(tmp_path: Path) -> None:
    """Ten frames, 4 channels to 6 in 2 groups with 3 taps; then doubled in length by 4 taps to 5 channels."""
    weights = [np.ones((6, 2, 3), np.float32), np.ones((6, 5, 4), np.float32)]
    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["a"], group=2, pads=[1, 1]),
        helper.make_node("ConvTranspose", ["a", "w1"], ["y"], strides=[2], pads=[1, 1]),
    ]
    graph = helper.make_graph(
        nodes,
        "two",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 4, "frames"))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(weight, f"w{index}") for index, weight in enumerate(weights)],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(tmp_path / "two.onnx"))
    runs = measure_operator_runs(tmp_path / "two.onnx", [{"x": np.ones((1, 4, frames), np.float32)} for frames in (10, 30)])
    counted = [sum(map(count_multiply_adds, nodes), GraphWorkload()) for nodes in runs]
    assert counted == [GraphWorkload(floats=frames * 6 * 2 * 3 + frames * 6 * 5 * 4) for frames in (10, 30)]


@given(SIZES, SIZES, SIZES, SIZES)
def test_products_in_every_form(batch: int, rows: int, inner: int, columns: int) -> None:
    plain = _ran("MatMul", ((batch, rows, inner), (inner, columns)), ((batch, rows, columns),))
    turned = _ran("FusedMatMul", ((batch, inner, rows), (batch, inner, columns)), ((batch, rows, columns),))
    assert count_multiply_adds(plain) == count_multiply_adds(turned) == GraphWorkload(floats=batch * rows * inner * columns)
    gemm = _ran("Gemm", ((inner, rows), (inner, columns), (columns,)), ((rows, columns),))
    assert count_multiply_adds(gemm) == GraphWorkload(floats=rows * inner * columns)
    whole = _ran("DynamicQuantizeMatMul", ((batch, rows, inner), (inner, columns)), ((batch, rows, columns),))
    assert count_multiply_adds(whole) == GraphWorkload(bytes=batch * rows * inner * columns)
    assert count_multiply_adds(_ran("Add", ((rows,), (rows,)), ((rows,),))) == GraphWorkload()


def test_the_peak_is_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiply_adds, "measure_gmac_s", partial(multiply_adds.measure_gmac_s, runs=5))
    peak = measure_peak()
    assert 0.5 < peak.floats_gmac_s < 1e5
    assert 0.5 < peak.bytes_gmac_s < 1e6
    assert ProcessorPeak(100, 400).compute_expected_ms(GraphWorkload(floats=10**9, bytes=2 * 10**9)) == pytest.approx(15)
    assert PRODUCT_COLUMNS * PRODUCT_ROWS * PRODUCT_INNER == PRODUCT_MULTIPLY_ADDS
