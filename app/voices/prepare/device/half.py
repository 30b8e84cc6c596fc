"""Half precision inside, single precision at the inputs and outputs: what graphics processors are fast at."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.store import SMALLEST_BYTES

KEPT = {"LayerNormalization", "Softmax", "ReduceMean", "ReduceSum", "Exp", "Log", "Pow", "Sqrt", "CumSum", "Range", "Tanh"}
"""Operators that stay in single precision: they sum many numbers, or stretch small differences."""
LARGEST = float(np.finfo(np.float16).max)


def halve(model: onnx.ModelProto, kept: Set[str] = KEPT) -> set[str]:
    """Rewrites a model in place, but for its weights.

    Args:
        kept: operators that stay in single precision.

    Returns:
        The float32 weights that the graph now takes as float16; `halved` makes one.
    """
    kinds = _kinds(model)
    graph = model.graph
    floats = {name for name, kind in kinds.items() if kind == TensorProto.FLOAT}
    weights = {item.name for item in graph.initializer}
    exact = {name for node in graph.node if node.op_type in kept for name in node.input}
    others = {name for node in graph.node if node.op_type not in kept for name in node.input}
    _Halver(graph, floats, weights & exact - others, kept).rewrite()
    del graph.value_info[:]
    return weights & floats & others


def halved(array: np.ndarray) -> np.ndarray:
    """A weight in half precision."""
    return np.asarray(np.clip(array, -LARGEST, LARGEST), np.float16)


def _kinds(model: onnx.ModelProto) -> dict[str, int]:
    """The type of every tensor. What weights hold has nothing to do with it, and would be copied four times: gigabytes of a real BERT."""
    outline = onnx.ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
    outline.graph.node.extend(model.graph.node)
    outline.graph.input.extend(model.graph.input)
    outline.graph.output.extend(model.graph.output)
    outline.graph.value_info.extend(model.graph.value_info)
    for item in model.graph.initializer:
        if item.ByteSize() <= SMALLEST_BYTES:
            outline.graph.initializer.append(item)
        else:
            outline.graph.input.append(helper.make_tensor_value_info(item.name, item.data_type, item.dims))
    graph = onnx.shape_inference.infer_shapes(outline).graph
    found = {item.name: item.type.tensor_type.elem_type for item in (*graph.input, *graph.value_info, *graph.output)}
    return found | {item.name: item.data_type for item in graph.initializer}


class _Halver:
    """Puts casts where single and half precision meet.

    Args:
        floats: tensors that were float32.
        exact: of the weights those that stay float32.
        kept: operators that do.
    """

    def __init__(self, graph: onnx.GraphProto, floats: set[str], exact: set[str], kept: Set[str]) -> None:
        self._graph, self._kept = graph, kept
        self._floats = floats
        self._single = set(exact)  # what is float32 in the new graph
        self._cast: dict[tuple[str, int], str] = {}
        self._nodes: list[onnx.NodeProto] = []

    def rewrite(self) -> None:
        graph = self._graph
        self._single.update(item.name for item in graph.input if item.name in self._floats)
        outputs = {item.name for item in graph.output if item.name in self._floats}
        for node in list(graph.node):
            kept = node.op_type in self._kept
            for place, name in enumerate(node.input):
                if name in self._floats:
                    node.input[place] = self._as(name, single=kept)
            self._declare(node)
            made = [name for name in node.output if name in self._floats]
            self._nodes.append(node)
            if kept:
                self._single.update(made)
            else:
                for name in outputs.intersection(made):
                    self._output(node, name)
        del graph.node[:]
        graph.node.extend(self._nodes)

    def _output(self, node: onnx.NodeProto, name: str) -> None:
        """A half result under another name, and a cast to what was promised."""
        inner = f"{name}/half"
        node.output[list(node.output).index(name)] = inner
        self._nodes.append(helper.make_node("Cast", [inner], [name], name=f"{name}/single", to=TensorProto.FLOAT))
        self._single.add(name)
        self._cast[name, TensorProto.FLOAT16] = inner

    def _as(self, name: str, *, single: bool) -> str:
        """The tensor in the wanted precision."""
        if single == (name in self._single):
            return name
        kind = TensorProto.FLOAT if single else TensorProto.FLOAT16
        if (name, kind) not in self._cast:
            made = self._cast[name, kind] = f"{name}/as_{'single' if single else 'half'}"
            self._nodes.append(helper.make_node("Cast", [name], [made], name=made, to=kind))
        return self._cast[name, kind]

    def _declare(self, node: onnx.NodeProto) -> None:
        """What a node says itself about the type of its result."""
        for item in node.attribute:
            if node.op_type == "Cast" and item.name == "to" and item.i == TensorProto.FLOAT:
                item.i = TensorProto.FLOAT16
            elif node.op_type in ("Constant", "ConstantOfShape") and item.name == "value" and item.t.data_type == TensorProto.FLOAT:
                item.t.CopyFrom(numpy_helper.from_array(halved(numpy_helper.to_array(item.t))))
