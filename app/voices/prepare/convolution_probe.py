"""A graph that is nothing but one convolution, to see what a processor can do."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

PROBE_CHANNELS, PROBE_KERNEL_SIZE, PROBE_LENGTH = (
    256,
    3,
    512,
)  # as in the middle of a decoder; short enough for one of many runs to be undisturbed
CONVOLUTION_MULTIPLY_ADDS = PROBE_CHANNELS * PROBE_CHANNELS * PROBE_KERNEL_SIZE * PROBE_LENGTH


def build_convolution_graph(*, int8: bool) -> bytes:
    """Build a graph from `x` float32 (1, CHANNELS, LENGTH) to `y` of the same size; with `int8` it rounds on the way, as an int8 decoder does."""
    rng, shape = np.random.default_rng(0), (PROBE_CHANNELS, PROBE_CHANNELS, PROBE_KERNEL_SIZE)
    pads = [PROBE_KERNEL_SIZE // 2, PROBE_KERNEL_SIZE // 2]
    if int8:
        weights = {
            "weight": rng.integers(-127, 128, shape, np.int8),
            "scale": np.array(0.02, np.float32),
            "zero": np.array(128, np.uint8),
            "weight_zero": np.array(0, np.int8),
        }
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["bytes"]),
            helper.make_node(
                "QLinearConv", ["bytes", "scale", "zero", "weight", "scale", "weight_zero", "scale", "zero"], ["sums"], pads=pads
            ),
            helper.make_node("DequantizeLinear", ["sums", "scale", "zero"], ["y"]),
        ]
    else:
        weights = {"weight": rng.standard_normal(shape, dtype=np.float32)}
        nodes = [helper.make_node("Conv", ["x", "weight"], ["y"], pads=pads)]
    sizes = (1, PROBE_CHANNELS, PROBE_LENGTH)
    graph = helper.make_graph(
        nodes,
        "convolution",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, sizes)],
        [numpy_helper.from_array(weight, name) for name, weight in weights.items()],
    )
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString())
