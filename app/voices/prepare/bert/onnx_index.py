"""A foreign ONNX graph as something to ask: what is constant, who makes a value, who uses it."""

from __future__ import annotations

import mmap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from numpy.typing import NDArray
from onnx import external_data_helper, numpy_helper

from app.common.files.bounded_read import open_regular_file
from app.voices.prepare.bert.deberta_weights import build_not_deberta_error

VALUE_PRESERVING_OPS = ("Cast", "Identity")
RESHAPING_OPS = (*VALUE_PRESERVING_OPS, "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Flatten", "Tile", "Expand", "Div", "Mul", "Slice")
"""Operators whose result is their first input in another shape, order or scale."""


class OnnxGraphIndex:
    """An index over one graph.

    Attributes:
        model: the model itself.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        self._constants = {item.name: item for item in model.graph.initializer}
        self._makers: dict[str, onnx.NodeProto] = {}
        self._users: dict[str, list[onnx.NodeProto]] = defaultdict(list)
        for node in model.graph.node:
            if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
                self._constants[node.output[0]] = node.attribute[0].t
                continue
            for name in node.output:
                self._makers[name] = node
            for name in node.input:
                self._users[name].append(node)

    def list_constant_names(self) -> list[str]:
        """Return the names of all constants."""
        return list(self._constants)

    def find_producer(self, name: str) -> onnx.NodeProto | None:
        """Return the node that makes a value, or None."""
        return self._makers.get(name)

    def iterate_consumers(self, name: str) -> Iterator[onnx.NodeProto]:
        """Yield the nodes that read a value, directly or through casts and the like."""
        for node in self._users[name]:
            if node.op_type in VALUE_PRESERVING_OPS:
                yield from self.iterate_consumers(node.output[0])
            else:
                yield node

    def find_constant(self, name: str) -> NDArray[Any] | None:
        """Return the array that a name stands for, reordered as the nodes on the way reorder it; None if it is computed."""
        if name in self._constants:
            return numpy_helper.to_array(self._constants[name])
        node = self._makers.get(name)
        if node is None or node.op_type not in (*VALUE_PRESERVING_OPS, "Transpose", "Unsqueeze"):
            return None
        array = self.find_constant(node.input[0])
        if array is None or node.op_type in VALUE_PRESERVING_OPS:
            return array
        if node.op_type == "Unsqueeze":
            return array.reshape(-1) if array.ndim == 0 else None
        return array.transpose(read_attributes(node).get("perm"))

    def trace_origin(self, name: str) -> str:
        """Return the origin of a value's numbers: back through every node that only changes shape or order."""
        node = self._makers.get(name)
        # A stranger's graph may be circular, and then a value has no origin.
        seen: set[str] = set()
        while node is not None and node.op_type in RESHAPING_OPS and name not in self._constants and name not in seen:
            seen.add(name)
            name = node.input[0]
            node = self._makers.get(name)
        return name

    def collect_ancestors(self, name: str) -> set[str]:
        """Return every value that `name` depends on, with `name` itself."""
        found, waiting = {name}, [name]
        while waiting:
            node = self._makers.get(waiting.pop())
            for item in node.input if node else ():
                if item not in found:
                    found.add(item)
                    waiting.append(item)
        return found


def read_attributes(node: onnx.NodeProto) -> dict[str, Any]:
    """Return the attributes of a node by name."""
    return {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}


def open_onnx_index(path: Path) -> OnnxGraphIndex:
    """Read a model with its external data; raise VoiceError if there is none.

    The file is mapped, so its bytes are not held beside the model.
    """
    try:
        with open_regular_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            model = onnx.ModelProto()
            model.ParseFromString(memoryview(mapped))
        external_data_helper.load_external_data_for_model(model, str(path.parent))
    except Exception as exc:
        # Protobuf's errors have no common base with those of files.
        raise build_not_deberta_error(f"{path.name}: {type(exc).__name__}") from exc
    if not model.graph.node:
        raise build_not_deberta_error(path.name)
    return OnnxGraphIndex(model)
