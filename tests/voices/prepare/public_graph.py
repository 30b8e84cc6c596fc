"""A graph that is built like the public ones wherever that says what its inputs are for, and nowhere else: a few dozen nodes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN, SPEAKERS = 4, 3
WHOLE, FLOAT = TensorProto.INT64, TensorProto.FLOAT
INPUTS: dict[str, tuple[int, list[int | str]]] = {
    "x_tst": (WHOLE, [1, "T"]),
    "x_tst_lengths": (WHOLE, [1]),
    "sid": (WHOLE, [1]),
    "tones": (WHOLE, [1, "T"]),
    "language": (WHOLE, [1, "T"]),
    "bert": (FLOAT, [1, 1024, "T"]),
    "style_vec": (FLOAT, [1, 256]),
    "length_scale": (FLOAT, []),
    "sdp_ratio": (FLOAT, []),
    "noise_scale": (FLOAT, [1]),
    "noise_scale_w": (FLOAT, [1]),
}
TABLES = {"x_tst": 112, "tones": 12, "language": 3, "sid": SPEAKERS}
LAYERS = {"bert": (HIDDEN, 1024, 1), "to_speaker": (HIDDEN, HIDDEN, 1), "up": (HIDDEN, 1, 4)}


def public_graph(
    names: Mapping[str, str] | None = None, *, by_row: bool = False, speed: bool = False, decoder: bool = True
) -> onnx.ModelProto:
    """The graph; its nodes, tensors and weights bear names that say nothing.

    Args:
        names: of inputs that are called otherwise.
        by_row: features come as [1, T, 1024].
        speed: what divides the durations comes in place of `length_scale`.
        decoder: without one it gives its durations.
    """
    called = {usual: (names or {}).get(usual, usual) for usual in INPUTS}
    made = _Nodes()
    text = made("Add", made.looked_up("x_tst", called), made.looked_up("tones", called))
    text = made("Transpose", made("Add", text, made.looked_up("language", called)), perm=[0, 2, 1])
    features = made("Transpose", called["bert"], perm=[0, 2, 1]) if by_row else called["bert"]
    text = made("Add", text, made("Conv", features, made.weight(*LAYERS["bert"])))
    style = made("MatMul", called["style_vec"], made.weight(256, HIDDEN))
    text = made("Add", text, made("Unsqueeze", style, made.numbers(2)))
    speaker = made("Unsqueeze", made.looked_up("sid", called), made.numbers(2))
    text = made("Add", text, made("Conv", speaker, made.weight(*LAYERS["to_speaker"])))
    positions, length = made.numbers(*range(5)), made("Unsqueeze", called["x_tst_lengths"], made.numbers(1))
    mask = made("Cast", made("Less", positions, length), to=FLOAT)
    drawn = made("Softplus", made("Mul", made("RandomNormalLike", text), called["noise_scale_w"]))
    other = made("Mul", made("Sigmoid", text), made("Sub", made.weight(), called["sdp_ratio"]))
    spoken = made("Mul", made("Exp", made("Add", made("Mul", drawn, called["sdp_ratio"]), other)), mask)
    frames = made("Ceil", made("Div" if speed else "Mul", spoken, called["length_scale"]))
    prior = made("MatMul", text, frames)
    noise = made("Mul", made("Mul", made("RandomNormalLike", prior), made("Exp", prior)), called["noise_scale"])
    sound = made("ConvTranspose", made("Add", prior, noise), made.weight(*LAYERS["up"]))
    declared = [helper.make_tensor_value_info(called[usual], *INPUTS[usual]) for usual in INPUTS]
    if by_row:
        declared[5] = helper.make_tensor_value_info(called["bert"], FLOAT, [1, "T", 1024])
    ends = [frames, *([made("Tanh", sound)] if decoder else [])]
    outputs = [helper.make_tensor_value_info(name, FLOAT, None) for name in ends]
    return helper.make_model(helper.make_graph(made.nodes, "public", declared, outputs, made.weights))


class _Nodes:
    """Nodes in the making; a call adds one and gives the name of its result."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def __call__(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"value {len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def weight(self, *shape: int) -> str:
        return self._stored(np.ones(shape, np.float32))

    def numbers(self, *values: int) -> str:
        return self._stored(np.array(values))

    def looked_up(self, usual: str, called: Mapping[str, str]) -> str:
        return self("Gather", self.weight(TABLES[usual], HIDDEN), called[usual])

    def _stored(self, values: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(values, f"weight {len(self.weights)}"))
        return self.weights[-1].name
