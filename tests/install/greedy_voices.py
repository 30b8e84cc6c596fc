"""Voices whose graph takes all the memory or all the time it can get."""

import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

GIGABYTES = 12
crashes = pytest.mark.skipif(sys.platform == "win32", reason="the graph that crashes elsewhere does not on Windows")


def greedy(reference: Path, folder: Path, harm: str) -> Path:
    """A copy of the tiny voice whose sound waits for something that does harm, which only running the graph shows.

    Args:
        harm: one of HARMS.
    """
    folder.mkdir(exist_ok=True)
    for name in ("config.json", "style_vectors.npy"):
        shutil.copyfile(reference / "jp-extra-tiny-2spk" / name, folder / name)
    model = onnx.load(str(reference / "jp-extra-tiny-2spk" / "model.onnx"))
    graph = model.graph
    sound = graph.output[0].name
    last = next(node for node in graph.node if node.output[0] == sound)
    last.output[0] = "plain_sound"
    nodes = HARMS[harm]()
    graph.initializer.append(numpy_helper.from_array(np.zeros((), np.float32), "nothing"))
    graph.node.extend(
        [
            helper.make_node("Ceil", ["sdp_ratio"], ["rounded"], name="/Ceil_1"),  # a second one: the graph stays whole
            *nodes,
            helper.make_node("Mul", ["harm", "nothing"], ["silence"]),
            helper.make_node("Add", ["plain_sound", "silence"], [sound]),
        ]
    )
    onnx.save(model, str(folder / "model.onnx"))
    return folder / "model.onnx"


def _memory() -> list[onnx.NodeProto]:
    """A tensor of 12 GB, its size computed from the input so that nothing folds it."""
    return [
        helper.make_node("Constant", [], ["size"], value=numpy_helper.from_array(np.array([GIGABYTES << 28], np.int64))),
        helper.make_node("Abs", ["x_tst_lengths"], ["length"]),
        helper.make_node("Div", ["length", "length"], ["one"]),
        helper.make_node("Mul", ["size", "one"], ["shape"]),
        helper.make_node("ConstantOfShape", ["shape"], ["large"], value=numpy_helper.from_array(np.ones(1, np.float32))),
        helper.make_node("ReduceSum", ["large"], ["harm"], keepdims=0),
    ]


def _time() -> list[onnx.NodeProto]:
    """A loop of 2^62 rounds."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["on"], ["still_on"]), helper.make_node("Add", ["value", "step"], ["next"])],
        "body",
        [
            helper.make_tensor_value_info("round", TensorProto.INT64, []),
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("value", TensorProto.FLOAT, []),
        ],
        [helper.make_tensor_value_info("still_on", TensorProto.BOOL, []), helper.make_tensor_value_info("next", TensorProto.FLOAT, [])],
        initializer=[numpy_helper.from_array(np.ones((), np.float32), "step")],
    )
    return [
        helper.make_node("Constant", [], ["rounds"], value=numpy_helper.from_array(np.array(1 << 62, np.int64))),
        helper.make_node("Constant", [], ["yes"], value=numpy_helper.from_array(np.array(True))),
        helper.make_node("Constant", [], ["start"], value=numpy_helper.from_array(np.zeros((), np.float32))),
        helper.make_node("Loop", ["rounds", "yes", "start"], ["harm"], body=body),
    ]


def _crash() -> list[onnx.NodeProto]:
    """Noise of no width, which ends the process: the C++ library asserts that there is none. Microsoft's bears it."""
    return [
        helper.make_node("RandomNormalLike", ["style_vec"], ["noise"], scale=0.0, dtype=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["noise"], ["harm"], keepdims=0),
    ]


HARMS = {"memory": _memory, "time": _time, "crash": _crash}
