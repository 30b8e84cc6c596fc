"""Turns convolutions of a graph into integer ones: 8 bits for what they see (one scale), 7 for their weights (one scale per channel)."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from app.voices.prepare.int8.observe import Range, passed_on, quantisable, readers_of

LEVELS = 255
LARGEST_WEIGHT = 64
"""Processors with AVX2 and without VNNI add two products in 16 bits: 2 · 255 · 64 fits, 2 · 255 · 127 is cut off."""
LEAST_STEP = 1e-8  # of a tensor that is always 0
MICROSOFT = "com.microsoft"


def quantise(model: onnx.ModelProto, ranges: Mapping[str, Range], only: Container[str] | None = None) -> None:
    """Rewrites a graph in place.

    Args:
        ranges: of each tensor of `app.voices.prepare.int8.observe.observed`.
        only: results of the convolutions that are rewritten, to see what some of them cost; None: all that 8 bits are enough for.
    """
    chosen = {node.output[0] for node in quantisable(model.graph) if only is None or node.output[0] in only}
    _Quantiser(model.graph, ranges, chosen).rewrite()
    model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))


class _Quantiser:
    def __init__(self, graph: onnx.GraphProto, ranges: Mapping[str, Range], chosen: set[str]) -> None:
        self._graph, self._chosen = graph, chosen
        self._relus = {name: result for name, result in passed_on(graph).items() if name in chosen}
        self._ranges = ranges
        self._weights = {item.name: item for item in graph.initializer}
        self._constants: dict[tuple[Any, ...], str] = {}
        self._nodes: list[onnx.NodeProto] = []
        self._bytes: dict[str, str] = {}  # tensor → the same in 8 bits

    def rewrite(self) -> None:
        graph, chosen, relus = self._graph, self._chosen, self._relus
        inside = self._between()
        for node in list(graph.node):
            if node.output[0] in chosen:
                result = relus.get(node.output[0], node.output[0])
                self._convolution(node, result, keep_bytes=result in inside)
            elif node.op_type == "Relu" and node.input[0] in relus:
                continue
            elif node.op_type == "LeakyRelu" and node.input[0] in inside:
                self._leaky_relu(node)
            else:
                self._nodes.append(node)
        del graph.node[:]
        graph.node.extend(self._nodes)
        read = {name for node in graph.node for name in node.input}
        kept = [item for item in graph.initializer if item.name in read]
        del graph.initializer[:]
        graph.initializer.extend(kept)

    def _between(self) -> set[str]:
        """Results of a convolution, or of its ReLU, that only other convolutions read, at most through a leaky ReLU: they need never become floats."""
        readers, chosen, relus, inside = readers_of(self._graph), self._chosen, self._relus, set()
        for name in chosen:
            result = relus.get(name, name)
            first = readers.get(result, [])
            if len(first) == 1 and first[0].op_type == "LeakyRelu":
                first = readers.get(first[0].output[0], [])
            elif name not in relus:
                continue
            if first and all(node.output[0] in chosen for node in first):
                inside.add(result)
        return inside

    def _convolution(self, node: onnx.NodeProto, result: str, *, keep_bytes: bool) -> None:
        source = node.input[0]
        if source not in self._bytes:
            self._bytes[source] = f"{source}/bytes"
            self._add("QuantizeLinear", [source, *self._scale(source)], self._bytes[source])
        weight, steps = self._kernel(node.input[1])
        given = [self._bytes[source], *self._scale(source), weight, self._constant(steps), self._constant(np.zeros(len(steps), np.int8))]
        given += self._scale(result)
        if len(node.input) > 2:
            given.append(self._bias(node.input[2], steps * self._step(source)))
        self._bytes[result] = f"{result}/bytes"
        attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        self._add("QLinearConv", given, self._bytes[result], **attributes)
        if not keep_bytes:
            self._add("DequantizeLinear", [self._bytes[result], *self._scale(result)], result)

    def _leaky_relu(self, node: onnx.NodeProto) -> None:
        """A table of 256 values."""
        source, result = node.input[0], node.output[0]
        alpha = next((item.f for item in node.attribute if item.name == "alpha"), 0.01)
        self._bytes[result] = f"{result}/bytes"
        given = [self._bytes[source], *self._scale(source), *self._scale(result)]
        self._add("QLinearLeakyRelu", given, self._bytes[result], domain=MICROSOFT, alpha=alpha)

    def _kernel(self, name: str) -> tuple[str, np.ndarray]:
        """A weight in 8 bits and the step of each output channel."""
        values = numpy_helper.to_array(self._weights[name])
        steps = np.maximum(np.abs(values).reshape(len(values), -1).max(axis=1) / LARGEST_WEIGHT, LEAST_STEP).astype(np.float32)
        whole = np.rint(values / steps.reshape(-1, *(1 for _ in values.shape[1:]))).astype(np.int8)
        return self._constant(whole, f"{name}/bytes"), steps

    def _bias(self, name: str, steps: np.ndarray) -> str:
        values = numpy_helper.to_array(self._weights[name]) / steps
        return self._constant(np.rint(np.clip(values, -(2.0**31), 2.0**31 - 129)).astype(np.int32), f"{name}/whole")

    def _step(self, name: str) -> np.float32:
        least, greatest = self._ranges[name]
        return np.float32(max((max(greatest, 0.0) - min(least, 0.0)) / LEVELS, LEAST_STEP))

    def _scale(self, name: str) -> list[str]:
        """Step and zero point of a tensor; 0 is always a level, for that is what convolutions pad with."""
        step = self._step(name)
        zero = np.clip(np.rint(-min(self._ranges[name][0], 0.0) / step), 0, LEVELS)
        return [self._constant(np.asarray(step)), self._constant(np.asarray(zero, np.uint8))]

    def _constant(self, array: np.ndarray, name: str = "") -> str:
        key = (name,) if name else (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = name or f"int8/{len(self._constants)}"
            self._graph.initializer.append(numpy_helper.from_array(array, self._constants[key]))
        return self._constants[key]

    def _add(self, op: str, inputs: list[str], result: str, domain: str = "", **attributes: Any) -> None:
        self._nodes.append(helper.make_node(op, inputs, [result], name=f"{result}/{op}", domain=domain, **attributes))
