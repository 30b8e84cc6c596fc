"""Integer convolutions say nearly what exact ones say, of any shape, and their error is as small as 8 bits allow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.voices.likeness import signal_to_noise_db
from app.voices.prepare.cut import cut_graphs
from app.voices.prepare.int8.observe import observed, quantisable, watch
from app.voices.prepare.int8.quantise import quantise
from tests.voices.prepare.parity import session


def _chain(bias: bool, slope: float = 0.1) -> onnx.ModelProto:
    """Five convolutions with a leaky ReLU between; those in the middle may be made int8."""
    rng, nodes, weights, value = np.random.default_rng(0), [], [], "z"
    for index in range(5):
        kernel = rng.standard_normal((16, 16, 1, 3), dtype=np.float32) / 7
        weights.append(numpy_helper.from_array(kernel, f"weight{index}"))
        inputs = [value, f"weight{index}"]
        if bias:
            weights.append(numpy_helper.from_array(rng.standard_normal(16, dtype=np.float32), f"bias{index}"))
            inputs.append(f"bias{index}")
        nodes.append(helper.make_node("Conv", inputs, [f"conv{index}"], pads=[0, 1, 0, 1]))
        nodes.append(helper.make_node("LeakyRelu", [f"conv{index}"], [f"leaky{index}"], alpha=slope))
        value = f"leaky{index}"
    nodes.append(helper.make_node("Identity", [value], ["audio"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 16, 1, "W"]) for name in ("z", "audio")]
    graph = helper.make_graph(nodes, "decoder", ends[:1], ends[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    return model


def _copy(model: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


def _ranges(model: onnx.ModelProto, values: dict[str, object]) -> dict[str, tuple[float, float]]:
    watched = _copy(model)
    watch(watched)
    least, greatest = session(watched, "watched").run(values, ["least", "greatest"])
    return {name: (float(low), float(high)) for name, low, high in zip(observed(model.graph), least, greatest, strict=True)}


@pytest.mark.parametrize("bias", [True, False])
def test_a_chain_of_convolutions_is_as_right_as_8_bits_can_be(bias: bool) -> None:
    exact = _chain(bias)
    z = np.random.default_rng(1).standard_normal((1, 16, 1, 300), dtype=np.float32)
    made = _copy(exact)
    quantise(made, _ranges(exact, {"z": z}))
    kinds = [node.op_type for node in made.graph.node]
    assert (kinds.count("QLinearConv"), kinds.count("Conv")) == (3, 2)
    assert kinds.count("QLinearLeakyRelu") == 2  # between integer convolutions nothing becomes a float
    assert (kinds.count("QuantizeLinear"), kinds.count("DequantizeLinear")) == (1, 1)
    right, other = (session(model, "chain").run({"z": z}, ["audio"])[0].reshape(-1) for model in (exact, made))
    assert 30 < signal_to_noise_db([right], [other]) < 60


def test_what_was_watched_is_what_the_tensors_hold() -> None:
    exact = _chain(bias=True)
    z = np.random.default_rng(2).standard_normal((1, 16, 1, 50), dtype=np.float32)
    ranges = _ranges(exact, {"z": z})
    shown = _copy(exact)
    shown.graph.output.append(helper.make_empty_tensor_value_info("conv2"))
    (values,) = session(shown, "shown").run({"z": z}, ["conv2"])
    assert ranges["conv2"] == pytest.approx((values.min(), values.max()), rel=1e-5)


def test_a_silent_tensor_does_no_harm() -> None:
    exact = _chain(bias=True)
    made = _copy(exact)
    quantise(made, dict.fromkeys(observed(exact.graph), (0.0, 0.0)))
    (samples,) = session(made, "chain").run({"z": np.ones((1, 16, 1, 20), np.float32)}, ["audio"])
    assert np.isfinite(samples).all()


def test_the_first_and_the_last_convolution_of_a_voice_stay_exact(shared: Path) -> None:
    path = shared / "reference" / "jp-extra-tiny" / "model.onnx"
    if not path.is_file():
        pytest.skip(f"no reference model at {path}")
    graph = cut_graphs(onnx.load(str(path))).decoder.graph
    chosen = {node.output[0] for node in quantisable(graph)}
    convolutions = [node.output[0] for node in graph.node if node.op_type == "Conv"]
    assert len(chosen) == 5 * 3 * 6  # stages, blocks, convolutions of a block
    assert not chosen & {convolutions[0], convolutions[-1]}
