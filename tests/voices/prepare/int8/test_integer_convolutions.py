"""Integer convolutions say nearly what exact ones say, of any shape, and their error is as small as 7 bits of weights allow."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.core.sound.result_metrics import compute_snr_db
from app.install.int8_graphs import quantise_graph
from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.int8.integer_convolutions import (
    expose_value_ranges,
    find_quantisable_convolutions,
    list_observed_tensors,
    move_channels_last,
    quantise_convolutions,
)
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


def _ranges(model: onnx.ModelProto, values: dict[str, np.ndarray]) -> dict[str, tuple[float, float]]:
    watched = _copy(model)
    expose_value_ranges(watched)
    least, greatest = session(watched, "watched").run_graph(values, ["least", "greatest"])
    return {name: (float(low), float(high)) for name, low, high in zip(list_observed_tensors(model.graph), least, greatest, strict=True)}


def test_every_run_that_calibrates_widens_the_ranges(tmp_path: Path) -> None:
    """A loud run before a quiet one counts as one after it does, and as much as alone."""
    quiet, loud = ({"z": np.random.default_rng(1).standard_normal((1, 16, 1, 40), dtype=np.float32) * scale} for scale in (1, 9))
    graphs = []
    for number, inputs in enumerate(([quiet, loud], [loud, quiet], [loud], [quiet])):
        folder = tmp_path / str(number)
        folder.mkdir()
        name = quantise_graph(_chain(bias=True).SerializeToString(), "decoder", inputs, folder)
        assert name is not None
        graphs.append(b"".join(file.read_bytes() for file in sorted(folder.iterdir())))
    assert graphs[0] == graphs[1] == graphs[2] != graphs[3]


@pytest.mark.parametrize("bias", [True, False])
def test_a_chain_of_convolutions_is_as_right_as_7_bits_can_be(bias: bool) -> None:
    exact = _chain(bias)
    z = np.random.default_rng(1).standard_normal((1, 16, 1, 300), dtype=np.float32)
    made = _copy(exact)
    quantise_convolutions(made, _ranges(exact, {"z": z}))
    kinds = [node.op_type for node in made.graph.node]
    assert (kinds.count("QLinearConv"), kinds.count("Conv")) == (3, 2)
    assert kinds.count("QLinearLeakyRelu") == 2  # between integer convolutions nothing becomes a float
    assert (kinds.count("QuantizeLinear"), kinds.count("DequantizeLinear")) == (1, 1)
    right, other = (session(model, "chain").run_graph({"z": z}, ["audio"])[0].reshape(-1) for model in (exact, made))
    assert 28 < compute_snr_db([right], [other]) < 60


@pytest.mark.parametrize("sign", [1, -1])
def test_no_processor_cuts_off_the_largest_sums(sign: int) -> None:
    exact = _chain(bias=False)
    for item in exact.graph.initializer:
        item.CopyFrom(numpy_helper.from_array(np.full((16, 16, 1, 3), sign / 48, np.float32), item.name))
    z = np.full((1, 16, 1, 300), 1, np.float32)
    made = _copy(exact)
    quantise_convolutions(made, _ranges(exact, {"z": z}))
    right, other = (session(model, "chain").run_graph({"z": z}, ["audio"])[0].reshape(-1) for model in (exact, made))
    assert compute_snr_db([right], [other]) > 40


def _feed_forward(rank: int) -> onnx.ModelProto:
    """Residual blocks of two convolutions with a ReLU between, as a flow has them, and a normalisation around each."""
    rng, nodes, weights, value = np.random.default_rng(0), [], [], "x"
    middle = [1] * (rank - 3)
    for index in range(2):
        for part, (outputs, inputs) in enumerate(((32, 8), (8, 32))):
            weights.append(
                numpy_helper.from_array(rng.standard_normal((outputs, inputs, *middle, 3), dtype=np.float32) / 8, f"w{index}{part}")
            )
            weights.append(numpy_helper.from_array(rng.standard_normal(outputs, dtype=np.float32), f"b{index}{part}"))
        pads = [0] * len(middle) + [1]
        nodes.append(helper.make_node("Conv", [value, f"w{index}0", f"b{index}0"], [f"up{index}"], pads=pads * 2))
        nodes.append(helper.make_node("Relu", [f"up{index}"], [f"relu{index}"]))
        nodes.append(helper.make_node("Conv", [f"relu{index}", f"w{index}1", f"b{index}1"], [f"down{index}"], pads=pads * 2))
        nodes.append(helper.make_node("Add", [f"down{index}", value], [f"sum{index}"]))
        nodes.append(helper.make_node("Tanh", [f"sum{index}"], [f"tanh{index}"]))
        value = f"tanh{index}"
    nodes.append(helper.make_node("Identity", [value], ["z"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, *middle, "F"]) for name in ("x", "z")]
    model = helper.make_model(helper.make_graph(nodes, "flow", ends[:1], ends[1:], weights), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    return model


@pytest.mark.parametrize("rank", [3, 4])
def test_a_relu_is_part_of_an_integer_convolution(rank: int) -> None:
    exact = _feed_forward(rank)
    x = np.random.default_rng(1).standard_normal((1, 8, *[1] * (rank - 3), 200), dtype=np.float32)
    made = _copy(exact)
    quantise_convolutions(made, _ranges(exact, {"x": x}))
    kinds = [node.op_type for node in made.graph.node]
    assert (kinds.count("QLinearConv"), kinds.count("Relu")) == (4, 0)
    assert (kinds.count("QuantizeLinear"), kinds.count("DequantizeLinear")) == (2, 2), "nothing between the two becomes a float"
    right, other = (session(model, "flow").run_graph({"x": x}, ["z"])[0].reshape(-1) for model in (exact, made))
    assert 30 < compute_snr_db([right], [other]) < 60


@pytest.mark.parametrize("model", [_chain(bias=True), _feed_forward(3), _feed_forward(4)], ids=["decoder", "flow", "flow in four axes"])
def test_turned_around_it_computes_the_same_to_the_last_bit(model: onnx.ModelProto) -> None:
    shape = [size.dim_value or 200 for size in model.graph.input[0].type.tensor_type.shape.dim]
    values = {model.graph.input[0].name: np.random.default_rng(1).standard_normal(shape, dtype=np.float32)}
    quantise_convolutions(model, _ranges(model, values))
    turned = _copy(model)
    move_channels_last(turned)
    convolutions = [node for node in turned.graph.node if node.op_type == "QLinearConv"]
    assert {node.domain for node in convolutions} == {"com.microsoft"}
    between = sum(node.op_type == "Transpose" for node in turned.graph.node)
    assert between <= 2 * sum(node.op_type == "Conv" for node in model.graph.node) + 4, "only where other operators begin"
    names = [item.name for item in model.graph.output]
    for right, other in zip(*(session(item, "turned").run_graph(values, names) for item in (model, turned)), strict=True):
        assert np.array_equal(right, other)


def test_what_was_watched_is_what_the_tensors_hold() -> None:
    exact = _chain(bias=True)
    z = np.random.default_rng(2).standard_normal((1, 16, 1, 50), dtype=np.float32)
    ranges = _ranges(exact, {"z": z})
    shown = _copy(exact)
    shown.graph.output.append(helper.make_empty_tensor_value_info("conv2"))
    (values,) = session(shown, "shown").run_graph({"z": z}, ["conv2"])
    assert ranges["conv2"] == pytest.approx((values.min(), values.max()), rel=1e-5)


def test_a_silent_tensor_does_no_harm() -> None:
    exact = _chain(bias=True)
    made = _copy(exact)
    quantise_convolutions(made, dict.fromkeys(list_observed_tensors(exact.graph), (0.0, 0.0)))
    (samples,) = session(made, "chain").run_graph({"z": np.ones((1, 16, 1, 20), np.float32)}, ["audio"])
    assert np.isfinite(samples).all()


def test_the_first_and_the_last_convolution_of_a_voice_stay_exact(tiny_models: Path) -> None:
    path = tiny_models / "jp-extra-tiny" / "model.onnx"
    graph = cut_voice_graph(onnx.load(str(path))).decoder.graph
    chosen = {node.output[0] for node in find_quantisable_convolutions(graph)}
    convolutions = [node.output[0] for node in graph.node if node.op_type == "Conv"]
    assert len(chosen) == 5 * 3 * 6  # stages, blocks, convolutions of a block
    assert not chosen & {convolutions[0], convolutions[-1]}
