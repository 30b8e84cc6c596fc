"""Writes a graph so that OpenVINO opens it too: paddings name no axes, and every tensor has a stated number of axes. Results stay the same.

OpenVINO (2025.4, through ONNX Runtime 1.24) reads a padding as one of all axes, and refuses tensors whose number of axes it cannot infer,
which are those behind a loop.

Usage: `python plain_shapes.py GRAPH.onnx…` rewrites graphs in place; `export.py` does so by itself.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

LENGTH = 20  # of inputs whose size is open, for a run that shows how many axes there are


def rewrite(path: Path) -> None:
    """Rewrites a graph in place."""
    model = onnx.load(str(path))
    ranks = _inferred(model)
    missing = [name for node in model.graph.node for name in node.output if name and name not in ranks]
    seen = _seen(model, missing)
    _pad_all_axes(model.graph, model.graph, ranks | {name: array.ndim for name, array in seen.items()})
    _flatten_sizes(model.graph)
    outputs = {item.name for item in model.graph.output}
    for name, array in seen.items():
        if name not in outputs:
            kind = helper.np_dtype_to_tensor_dtype(array.dtype)
            model.graph.value_info.append(helper.make_tensor_value_info(name, kind, [None] * array.ndim))
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _inferred(model: onnx.ModelProto) -> dict[str, int]:
    """Number of axes by tensor, as far as ONNX knows."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    found = {item.name: len(item.dims) for item in graph.initializer}
    for item in (*graph.input, *graph.value_info, *graph.output):
        if item.type.tensor_type.HasField("shape"):
            found[item.name] = len(item.type.tensor_type.shape.dim)
    return found


def _seen(model: onnx.ModelProto, names: list[str]) -> dict[str, np.ndarray]:
    """Tensors of one run."""
    if not names:
        return {}
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    shown = {item.name for item in copy.graph.output}
    copy.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names if name not in shown)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(copy.SerializeToString(), options, providers=["CPUExecutionProvider"])
    rng, feed = np.random.default_rng(0), {}
    for item in session.get_inputs():
        shape = [size if isinstance(size, int) else LENGTH for size in item.shape]
        small = np.asarray(rng.standard_normal(shape) * 0.1, np.float32)
        feed[item.name] = np.full(shape, item.name != "sid", np.int64) if "int64" in item.type else small
    return dict(zip(names, session.run(names, feed), strict=True))


def _pad_all_axes(graph: onnx.GraphProto, outer: onnx.GraphProto, ranks: dict[str, int]) -> None:
    """Paddings of some axes become paddings of all; bodies of loops, whose constants are those of the graph around, too."""
    known = {item.name: numpy_helper.to_array(item) for item in outer.initializer if item.data_type == TensorProto.INT64}
    for node in graph.node:
        for item in node.attribute:
            if item.type == onnx.AttributeProto.GRAPH:
                states = zip(item.g.input, node.input, strict=True)  # of a loop: its number of rounds and condition, then what it carries
                _pad_all_axes(item.g, outer, ranks | {inner.name: ranks[name] for inner, name in states if name})
        if node.op_type != "Pad" or len(node.input) < 4 or not node.input[3]:
            continue
        pads, axes, rank = known[node.input[1]], known[node.input[3]], ranks[node.input[0]]
        whole = np.zeros((2, rank), np.int64)
        whole[:, axes % rank] = pads.reshape(2, -1)
        name = "pads_" + "_".join(map(str, whole.reshape(-1)))
        if name not in known:
            known[name] = whole.reshape(-1)
            outer.initializer.append(numpy_helper.from_array(known[name], name))
        node.input[1] = name
        del node.input[3]


def _flatten_sizes(graph: onnx.GraphProto) -> None:
    """A size that is cut out of a longer vector is said to be one number."""
    nodes = []
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and not any(made.op_type == "Reshape" and node.input[0] in made.output for made in nodes):
            flat = f"{node.input[0]}_flat"
            nodes.append(helper.make_node("Reshape", [node.input[0], "one_number"], [flat]))
            node.input[0] = flat
        nodes.append(node)
    if len(nodes) > len(graph.node):
        graph.initializer.append(numpy_helper.from_array(np.array([1], np.int64), "one_number"))
    del graph.node[:]
    graph.node.extend(nodes)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        rewrite(Path(argument))
