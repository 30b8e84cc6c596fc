"""Graphs of two operators that state what no graph has: sizes without end, below zero, of more axes than arrays have, names without end."""

import random
from pathlib import Path

from onnx import TensorProto, helper

SIZES = (0, 1, 2, 61, -1, -5, -(2**62), 2**20, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, "n", "T", "batch", "")
TYPES = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64, TensorProto.BOOL, TensorProto.STRING, TensorProto.BFLOAT16, 0, 99)
KINDS = ("Relu", "Neg", "MatMul", "Add", "Conv", "Identity", "ReduceSum", "NoSuchKind")
NAMES = ("x", "input_ids", "x_tst", "attention_mask", "sid", "length_scale", "")


def stated(shape: list[int | str], weight: list[int] | None = None) -> bytes:
    """A graph `x` float32 of this shape → `y`, with a weight of that one."""
    return _model("x", TensorProto.FLOAT, shape, ("Relu", "Add"), [1] if weight is None else weight)


def odd_graph(rng: random.Random, folder: Path) -> Path:
    """One of countless such graphs, in a folder."""
    axes = rng.choice((0, 1, 1, 2, 3, 8, 9, 65, 300))
    shape = [rng.choice(SIZES) for _ in range(axes)]
    whole = [size for size in SIZES if isinstance(size, int)]
    weight = [rng.choice(whole) for _ in range(rng.choice((1, 2, 8, 70)))] if rng.random() < 0.3 else [1]
    path = folder / "odd.onnx"
    path.write_bytes(_model(rng.choice(NAMES), rng.choice(TYPES), shape, (rng.choice(KINDS), rng.choice(KINDS)), weight, rng))
    return path


def _model(
    name: str, dtype: int, shape: list[int | str], kinds: tuple[str, str], weight: list[int], rng: random.Random | None = None
) -> bytes:
    modules = "/".join(f"m{number}" for number in range(rng.choice((0, 1, 3, 20_000)) if rng else 1))
    nodes = [
        helper.make_node(kinds[0], [name], ["h"], name=f"/{modules}/{kinds[0]}"),
        helper.make_node(kinds[1], ["h", "w"], ["y"], name=f"/{modules}/{kinds[1]}"),
    ]
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, raw_data=bytes(4))
    tensor.dims.extend(weight)
    values = [helper.make_tensor_value_info(name, dtype, shape), helper.make_tensor_value_info("y", dtype, shape if rng else None)]
    graph = helper.make_graph(nodes, "odd", values[:1], values[1:], [tensor])
    return bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString())
