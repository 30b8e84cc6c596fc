"""Half precision inside a graph: what bears it is computed in it, and what does not keeps its float32."""

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.device.half_precision import convert_array_to_half, convert_to_half


def build_upsampling() -> onnx.ModelProto:
    """A convolution and a transposed one, as in every decoder."""
    noise = np.random.default_rng(0)
    weights = {"smooth": noise.standard_normal((4, 3, 5)) / 4, "upsample": noise.standard_normal((4, 2, 8)) / 4}
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["features", "smooth"], ["smoothed"], pads=[2, 2]),
            helper.make_node("ConvTranspose", ["smoothed", "upsample"], ["sound"], strides=[4], pads=[2, 2]),
        ],
        "decoder",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, 3, "frames"])],
        [helper.make_tensor_value_info("sound", TensorProto.FLOAT, [1, 2, "samples"])],
        [numpy_helper.from_array(values.astype(np.float32), name) for name, values in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def test_a_transposed_convolution_stays_in_single_precision() -> None:
    model = build_upsampling()
    features = np.random.default_rng(1).standard_normal((1, 3, 50)).astype(np.float32)
    (exact,) = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"features": features})
    half = convert_to_half(model)
    assert half == {"smooth"}
    for item in model.graph.initializer:
        if item.name in half:
            item.CopyFrom(numpy_helper.from_array(convert_array_to_half(numpy_helper.to_array(item)), item.name))
    (made,) = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"features": features})
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, exact, atol=5e-3)
