"""What 8 bits cost in which layer: ours and ONNX Runtime's own quantiser with its debugger say the same of a graph that both can take."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantType, qdq_loss_debug, quantize_static

from app.adapters.ort.graph_session import open_unoptimized
from app.core.sound.result_metrics import compute_snr_db
from app.voices.prepare.graph_facts import expose_graph_tensors
from app.voices.prepare.int8.integer_convolutions import expose_value_ranges, list_observed_tensors, quantise_convolutions

INSIDE = ["conv1", "conv2", "conv3"]  # not the first and the last one, which stay exact
Z = np.random.default_rng(1).standard_normal((1, 16, 1, 300), dtype=np.float32)
HARD = 2  # the convolution whose weights have one that is far from all others of its channel


class Once(CalibrationDataReader):
    """One run's inputs."""

    def __init__(self) -> None:
        self._left = iter([{"z": Z}])

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._left, None)


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five convolutions with a leaky ReLU after each."""
    rng, nodes, weights, value = np.random.default_rng(0), [], [], "z"
    for index in range(5):
        kernel = rng.standard_normal((16, 16, 1, 3), dtype=np.float32) / 7
        if index == HARD:
            kernel[:, 0, 0, 0] *= 8
        weights.append(numpy_helper.from_array(kernel, f"weight{index}"))
        nodes.append(helper.make_node("Conv", [value, f"weight{index}"], [f"conv{index}"], f"conv{index}", pads=[0, 1, 0, 1]))
        nodes.append(helper.make_node("LeakyRelu", [f"conv{index}"], [f"leaky{index}"], f"leaky{index}", alpha=0.1))
        value = f"leaky{index}"
    nodes.append(helper.make_node("Identity", [value], ["audio"], "audio"))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 16, 1, 300]) for name in ("z", "audio")]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:], weights)
    path = tmp_path_factory.mktemp("chain") / "exact.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def theirs(exact: Path, folder: Path, only: list[str]) -> Mapping[str, Mapping[str, float]]:
    """By tensor; `xmodel_err` compares it with the exact graph's, in decibels."""
    quantize_static(
        exact, folder / "qdq.onnx", Once(), per_channel=True, reduce_range=True,
        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, nodes_to_quantize=only,
    )  # fmt: skip
    activations = []
    for path in (folder / "qdq.onnx", exact):
        qdq_loss_debug.modify_model_output_intermediate_tensors(str(path), str(folder / "shown.onnx"))
        activations.append(qdq_loss_debug.collect_activations(str(folder / "shown.onnx"), Once()))
    found: Mapping[str, Mapping[str, float]] = qdq_loss_debug.compute_activation_error(
        qdq_loss_debug.create_activation_matching(*activations)
    )
    return found


def ours(exact: Path, folder: Path, only: list[str]) -> dict[str, float]:
    watched = onnx.load(exact)
    names = list_observed_tensors(watched.graph)
    expose_value_ranges(watched)
    least, greatest = open_unoptimized(watched.SerializeToString(), "watched").run_graph({"z": Z}, ["least", "greatest"])
    model = onnx.load(exact)
    quantise_convolutions(model, {name: (float(low), float(high)) for name, low, high in zip(names, least, greatest, strict=True)}, only)
    onnx.save(model, folder / "ours.onnx")
    shown = only[-1:]  # what lies between two of them is never a float
    sides = [
        open_unoptimized(expose_graph_tensors(path, shown), "chain").run_graph({"z": Z}, shown) for path in (exact, folder / "ours.onnx")
    ]
    return {name: compute_snr_db([a], [b]) for name, a, b in zip(shown, *sides, strict=True)}


@pytest.mark.filterwarnings("ignore")
def test_the_cost_of_each_convolution_is_what_onnx_runtimes_own_debugger_says(exact: Path, tmp_path: Path) -> None:
    costs = {}
    for only in ([name] for name in INSIDE):
        costs |= ours(exact, tmp_path, only)
        assert costs[only[0]] == pytest.approx(theirs(exact, tmp_path, only)[only[0]]["xmodel_err"], abs=0.01)
    assert min(costs, key=costs.__getitem__) == f"conv{HARD}"
    assert ours(exact, tmp_path, INSIDE)["conv3"] == pytest.approx(theirs(exact, tmp_path, INSIDE)["conv3"]["xmodel_err"], abs=0.01)
