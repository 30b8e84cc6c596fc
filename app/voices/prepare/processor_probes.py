"""Graphs that are nothing but one operation, to see what a processor can do."""

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Both are short enough for one of many runs to be undisturbed on a busy machine; the convolution is as in the middle of a decoder.
PROBE_CHANNELS, PROBE_KERNEL_SIZE, PROBE_LENGTH = 256, 3, 512
CONVOLUTION_MULTIPLY_ADDS = PROBE_CHANNELS * PROBE_CHANNELS * PROBE_KERNEL_SIZE * PROBE_LENGTH
PRODUCT_ROWS = PRODUCT_INNER = PRODUCT_COLUMNS = 512
PRODUCT_MULTIPLY_ADDS = PRODUCT_ROWS * PRODUCT_INNER * PRODUCT_COLUMNS


def build_convolution_graph(*, int8: bool) -> bytes:
    """Build a graph from `x` float32 (1, CHANNELS, LENGTH) to `y` of the same size; with `int8` it rounds on the way, as an int8 decoder does."""
    rng, shape = np.random.default_rng(0), (PROBE_CHANNELS, PROBE_CHANNELS, PROBE_KERNEL_SIZE)
    pads = [PROBE_KERNEL_SIZE // 2, PROBE_KERNEL_SIZE // 2]
    if int8:
        weights = {
            "weight": rng.integers(-127, 128, shape, np.int8), "scale": np.array(0.02, np.float32), "zero": np.array(128, np.uint8),
            "weight_zero": np.array(0, np.int8),
        }  # fmt: skip
        inputs = ["bytes", "scale", "zero", "weight", "scale", "weight_zero", "scale", "zero"]
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["bytes"]),
            helper.make_node("QLinearConv", inputs, ["sums"], pads=pads),
            helper.make_node("DequantizeLinear", ["sums", "scale", "zero"], ["y"]),
        ]
    else:
        weights = {"weight": rng.standard_normal(shape, dtype=np.float32)}
        nodes = [helper.make_node("Conv", ["x", "weight"], ["y"], pads=pads)]
    sizes = (1, PROBE_CHANNELS, PROBE_LENGTH)
    return _serialise_probe("convolution", nodes, sizes, sizes, weights)


def build_product_graph(*, int8: bool) -> bytes:
    """Build a graph from `x` float32 (ROWS, INNER) to `y` float32 (ROWS, COLUMNS); with `int8` it rounds on the way, as a lean BERT does."""
    rng = np.random.default_rng(0)
    if int8:
        weight = rng.integers(-127, 128, (PRODUCT_INNER, PRODUCT_COLUMNS), np.int8)
        nodes = [
            helper.make_node("DynamicQuantizeLinear", ["x"], ["bytes", "scale", "zero"]),
            helper.make_node("MatMulInteger", ["bytes", "weight", "zero"], ["sums"]),
            helper.make_node("Cast", ["sums"], ["floats"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["floats", "scale"], ["y"]),
        ]
    else:
        weight = rng.standard_normal((PRODUCT_INNER, PRODUCT_COLUMNS), dtype=np.float32)
        nodes = [helper.make_node("MatMul", ["x", "weight"], ["y"])]
    return _serialise_probe("product", nodes, (PRODUCT_ROWS, PRODUCT_INNER), (PRODUCT_ROWS, PRODUCT_COLUMNS), {"weight": weight})


SUM_PROBE_INNER, SUM_PROBE_COLUMNS = 64, 16
SUM_PROBE_BYTE, SUM_PROBE_WEIGHT = 255, 127  # two products of these do not fit in 16 bits


def build_sum_graph() -> bytes:
    """Build a graph from `x` float32 (1, INNER), all SUM_PROBE_BYTE, to sums `y` float32 (1, COLUMNS), which processors that add in 16 bits cut off."""
    weights: dict[str, np.ndarray] = {
        "weight": np.full((SUM_PROBE_INNER, SUM_PROBE_COLUMNS), SUM_PROBE_WEIGHT, np.int8), "scale": np.array(1, np.float32),
        "zero": np.array(0, np.uint8),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["bytes"]),
        helper.make_node("MatMulInteger", ["bytes", "weight"], ["sums"]),
        helper.make_node("Cast", ["sums"], ["y"], to=TensorProto.FLOAT),
    ]
    return _serialise_probe("sums", nodes, (1, SUM_PROBE_INNER), (1, SUM_PROBE_COLUMNS), weights)


def _serialise_probe(
    name: str, nodes: Sequence[onnx.NodeProto], input_shape: Sequence[int], output_shape: Sequence[int], weights: Mapping[str, np.ndarray]
) -> bytes:
    x, y = (helper.make_tensor_value_info(end, TensorProto.FLOAT, shape) for end, shape in (("x", input_shape), ("y", output_shape)))
    graph = helper.make_graph(nodes, name, [x], [y], [numpy_helper.from_array(weight, key) for key, weight in weights.items()])
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString())
