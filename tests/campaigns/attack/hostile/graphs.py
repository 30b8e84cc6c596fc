"""Graphs that speak, and take all the memory or time there is while they do; or speak nonsense."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from tests.voices.fuzz.archive_cases import beside

INTEGERS = {"x_tst": ("1", "T"), "x_tst_lengths": ("1",), "sid": ("1",), "tones": ("1", "T"), "language": ("1", "T")}
FLOATS = {"bert": (1, 1024, "T"), "style_vec": (1, 256), **dict.fromkeys(("length_scale", "sdp_ratio", "noise_scale", "noise_scale_w"), ())}
HOP = 512
Part = tuple[list[NodeProto], dict[str, np.ndarray]]


def _node(kind: str, inputs: list[str], output: str, **attributes: Any) -> NodeProto:
    return helper.make_node(kind, inputs, [output], **attributes)


def _sized(count: int) -> Part:
    """`n`: a number that is not known before the graph runs."""
    nodes = [
        _node("Shape", ["x_tst"], "s"),
        _node("Gather", ["s", "zero"], "t0"),
        _node("Mul", ["t0", "zero"], "t1"),
        _node("Add", ["t1", "count"], "n"),
    ]
    return nodes, {"zero": np.array([0]), "count": np.array([count])}


def zeros(count: int) -> Part:
    """One tensor of so many numbers."""
    nodes, values = _sized(count)
    return [*nodes, _node("ConstantOfShape", ["n"], "big"), _node("ReduceSum", ["big"], "greed", keepdims=0)], values


def counting(count: int) -> Part:
    """As many numbers, one after the other."""
    nodes, values = _sized(count)
    nodes += [
        _node("Squeeze", ["n"], "end"),
        _node("Range", ["from", "end", "by"], "big"),
        _node("Cast", ["big"], "f", to=1),
        _node("ReduceMax", ["f"], "greed", keepdims=0),
    ]
    return nodes, values | {"from": np.array(0), "by": np.array(1)}


def products(count: int) -> Part:
    """A matrix times itself: count³ steps."""
    nodes, values = _sized(count)
    nodes += [
        _node("Concat", ["n", "n"], "shape", axis=0),
        _node("ConstantOfShape", ["shape"], "a"),
        _node("MatMul", ["a", "a"], "b"),
        _node("ReduceSum", ["b"], "greed", keepdims=0),
    ]
    return nodes, values


def endless(count: int) -> Part:
    """A loop."""
    nodes, values = _sized(count)
    body = helper.make_graph(
        [_node("Identity", ["go"], "on"), _node("Add", ["so_far", "one"], "more")],
        "body",
        [helper.make_tensor_value_info(name, kind, []) for name, kind in (("turn", 7), ("go", 9), ("so_far", 1))],
        [helper.make_tensor_value_info(name, kind, []) for name, kind in (("on", 9), ("more", 1))],
        [numpy_helper.from_array(np.array(1, np.float32), "one")],
    )
    return [*nodes, _node("Squeeze", ["n"], "end"), _node("Loop", ["end", "yes", "begin"], "greed", body=body)], values | {
        "yes": np.array(True),
        "begin": np.array(0, np.float32),
    }


def calm(_count: int) -> Part:
    """Nothing at all."""
    return [_node("ReduceMax", ["length_scale"], "greed", keepdims=0)], {}


GREEDY: tuple[Callable[[int], Part], ...] = (zeros, counting, products, endless, calm)
COUNTS = (1, 1000, 20_000, 100_000_000, 800_000_000, 3_000_000_000, 1 << 40, 1 << 62)
SOUNDS: dict[str, float] = {"sound": 0.3, "silence": 0.0, "no number": float("nan"), "without end": float("inf"), "loud": 1e30}


def graph(greedy: Part, loudness: float, hop: int = HOP) -> GraphProto:
    """T symbols sound T·hop samples."""
    asked, sizes = greedy
    nodes = [
        *asked,
        _node("Cast", ["x_tst"], "x", to=1),
        _node("Unsqueeze", ["x", "axis"], "column"),
        _node("Mul", ["column", "ramp"], "phase"),
        _node("Sin", ["phase"], "wave"),
        _node("Mul", ["wave", "loudness"], "loud"),
        _node("Reshape", ["loud", "flat"], "audio"),
        _node("Mul", ["greed", "nothing"], "little"),
        _node("Add", ["audio", "little"], "output"),
    ]
    values = sizes | {
        "axis": np.array([2]), "ramp": np.linspace(0, 3, hop, dtype=np.float32).reshape(1, 1, hop), "loudness": np.array(loudness, np.float32),
        "flat": np.array([1, 1, -1]), "nothing": np.array(0, np.float32), "emb_g.weight": np.ones((2, 4), np.float32),
    }  # fmt: skip
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [1 if size == "1" else size for size in shape])
        for name, shape in INTEGERS.items()
    ]
    inputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)) for name, shape in FLOATS.items()]
    stored = [numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()]
    return helper.make_graph(nodes, "voice", inputs, [helper.make_tensor_value_info("output", TensorProto.FLOAT, [1, 1, "N"])], stored)


def greedy_voice(draw: random.Random, folder: Path) -> Path:
    """A voice folder around such a graph."""
    sound = draw.choice((0.3, 0.3, *SOUNDS.values()))
    model = helper.make_model(
        graph(draw.choice(GREEDY)(draw.choice(COUNTS)), sound, draw.choice((HOP, HOP, 1, 100))), opset_imports=[helper.make_opsetid("", 18)]
    )
    return beside(folder, model.SerializeToString())
