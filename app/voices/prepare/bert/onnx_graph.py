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

from app.small_file import open_regular
from app.voices.prepare.bert.source import not_deberta

SAME_VALUES = ("Cast", "Identity")
ANOTHER_SHAPE = (*SAME_VALUES, "Reshape", "Transpose", "Unsqueeze", "Squeeze", "Flatten", "Tile", "Expand", "Div", "Mul", "Slice")
"""Operators whose result is their first input in another shape, order or scale."""


class OnnxGraph:
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

    def names(self) -> list[str]:
        """Names of all constants."""
        return list(self._constants)

    def maker(self, name: str) -> onnx.NodeProto | None:
        """The node that a value comes from."""
        return self._makers.get(name)

    def users(self, name: str) -> Iterator[onnx.NodeProto]:
        """The nodes that a value goes into, casts and the like looked through."""
        for node in self._users[name]:
            if node.op_type in SAME_VALUES:
                yield from self.users(node.output[0])
            else:
                yield node

    def constant(self, name: str) -> NDArray[Any] | None:
        """The array that a name stands for, whatever only reorders it taken into account; None where it is computed."""
        if name in self._constants:
            return numpy_helper.to_array(self._constants[name])
        node = self._makers.get(name)
        if node is None or node.op_type not in (*SAME_VALUES, "Transpose", "Unsqueeze"):
            return None
        array = self.constant(node.input[0])
        if array is None or node.op_type in SAME_VALUES:
            return array
        if node.op_type == "Unsqueeze":
            return array.reshape(-1) if array.ndim == 0 else None
        return array.transpose(attributes(node).get("perm"))

    def origin(self, name: str) -> str:
        """Where a value's numbers come from: back through whatever only changes shape or order."""
        node = self._makers.get(name)
        seen: set[str] = set()  # what a stranger wired in a circle has no origin
        while node is not None and node.op_type in ANOTHER_SHAPE and name not in self._constants and name not in seen:
            seen.add(name)
            name = node.input[0]
            node = self._makers.get(name)
        return name

    def above(self, name: str) -> set[str]:
        """Every value that `name` depends on, itself included."""
        found, waiting = {name}, [name]
        while waiting:
            node = self._makers.get(waiting.pop())
            for item in node.input if node else ():
                if item not in found:
                    found.add(item)
                    waiting.append(item)
        return found


def attributes(node: onnx.NodeProto) -> dict[str, Any]:
    """Attributes of a node by name."""
    return {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}


def open_onnx(path: Path) -> OnnxGraph:
    """Reads a model with its external data; VoiceError where it is none. The file is mapped: its bytes are not held beside the model."""
    try:
        with open_regular(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            model = onnx.ModelProto()
            model.ParseFromString(memoryview(mapped))
        external_data_helper.load_external_data_for_model(model, str(path.parent))
    except Exception as exc:  # protobuf's errors have no common base with those of files
        raise not_deberta(f"{path.name}: {type(exc).__name__}") from exc
    if not model.graph.node:
        raise not_deberta(path.name)
    return OnnxGraph(model)
