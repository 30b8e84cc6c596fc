"""Half precision inside, single precision at the inputs and outputs: what graphics processors are fast at."""

from collections.abc import Set

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_store import MIN_EXTERNAL_BYTES
from app.voices.prepare.graph_walk import replace_items

SINGLE_PRECISION_OPS = frozenset(
    (
        *("LayerNormalization", "Softmax", "ReduceMean", "ReduceSum", "Exp", "Log", "Pow", "Sqrt", "CumSum", "Range", "Tanh"),
        # Where half precision is really computed, a decoder with these has 1 dB, and 49 to 54 dB without (tests/benchmarks/half_precision.py).
        "ConvTranspose",
    )
)
"""Operators that stay in single precision: they sum many numbers, or stretch small differences."""
MAX_FLOAT16 = float(np.finfo(np.float16).max)


def convert_to_half(model: onnx.ModelProto, single_precision_ops: Set[str] = SINGLE_PRECISION_OPS) -> set[str]:
    """Convert a model, but not its weights, to half precision in place; return the float32 weights that it takes as float16 now (`convert_array_to_half`)."""
    kinds = _infer_tensor_types(model)
    graph = model.graph
    floats = {name for name, kind in kinds.items() if kind == TensorProto.FLOAT}
    weights = {item.name for item in graph.initializer}
    exact = {name for node in graph.node if node.op_type in single_precision_ops for name in node.input}
    others = {name for node in graph.node if node.op_type not in single_precision_ops for name in node.input}
    _HalfPrecisionRewriter(graph, floats, weights & exact - others, single_precision_ops).rewrite_graph()
    del graph.value_info[:]
    return weights & floats & others


def convert_array_to_half(array: np.ndarray) -> np.ndarray:
    """Return a weight in half precision."""
    return np.asarray(np.clip(array, -MAX_FLOAT16, MAX_FLOAT16), np.float16)


def _infer_tensor_types(model: onnx.ModelProto) -> dict[str, int]:
    """Return the type of every tensor. The content of the weights does not matter for this, and would be copied four times: gigabytes of a real BERT."""
    outline = onnx.ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
    for field in ("node", "input", "output", "value_info"):
        getattr(outline.graph, field).extend(getattr(model.graph, field))
    for item in model.graph.initializer:
        if item.ByteSize() <= MIN_EXTERNAL_BYTES:
            outline.graph.initializer.append(item)
        else:
            outline.graph.input.append(helper.make_tensor_value_info(item.name, item.data_type, item.dims))
    graph = onnx.shape_inference.infer_shapes(outline).graph
    types = {item.name: item.type.tensor_type.elem_type for item in (*graph.input, *graph.value_info, *graph.output)}
    return types | {item.name: item.data_type for item in graph.initializer}


class _HalfPrecisionRewriter:
    """Puts casts where single and half precision meet; `floats` were float32 before, `single_weights` and what some operators compute stay so."""

    def __init__(self, graph: onnx.GraphProto, floats: set[str], single_weights: set[str], single_precision_ops: Set[str]) -> None:
        self._graph, self._single_precision_ops = graph, single_precision_ops
        self._floats = floats
        self._single_names = set(single_weights)  # what is float32 in the new graph
        self._cast_names: dict[tuple[str, int], str] = {}
        self._nodes: list[onnx.NodeProto] = []

    def rewrite_graph(self) -> None:
        graph = self._graph
        self._single_names.update(item.name for item in graph.input if item.name in self._floats)
        outputs = {item.name for item in graph.output if item.name in self._floats}
        for node in list(graph.node):
            kept = node.op_type in self._single_precision_ops
            for place, name in enumerate(node.input):
                if name in self._floats:
                    node.input[place] = self._cast_input(name, is_single=kept)
            for item in node.attribute:
                if node.op_type == "Cast" and item.name == "to" and item.i == TensorProto.FLOAT:
                    item.i = TensorProto.FLOAT16
                elif node.op_type in ("Constant", "ConstantOfShape") and item.name == "value" and item.t.data_type == TensorProto.FLOAT:
                    item.t.CopyFrom(numpy_helper.from_array(convert_array_to_half(numpy_helper.to_array(item.t))))
            made = [name for name in node.output if name in self._floats]
            self._nodes.append(node)
            if kept:
                self._single_names.update(made)
            else:
                for name in outputs.intersection(made):
                    self._cast_output(node, name)
        replace_items(graph.node, self._nodes)

    def _cast_output(self, node: onnx.NodeProto, name: str) -> None:
        inner = f"{name}/half"
        node.output[list(node.output).index(name)] = inner
        self._nodes.append(helper.make_node("Cast", [inner], [name], name=f"{name}/single", to=TensorProto.FLOAT))
        self._single_names.add(name)
        self._cast_names[name, TensorProto.FLOAT16] = inner

    def _cast_input(self, name: str, *, is_single: bool) -> str:
        if is_single == (name in self._single_names):
            return name
        kind = TensorProto.FLOAT if is_single else TensorProto.FLOAT16
        if (name, kind) not in self._cast_names:
            made = self._cast_names[name, kind] = f"{name}/as_{'single' if is_single else 'half'}"
            self._nodes.append(helper.make_node("Cast", [name], [made], name=made, to=kind))
        return self._cast_names[name, kind]
