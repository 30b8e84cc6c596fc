"""The new graph in the making: every operation is added in its simplest form, and none twice."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from app.voices.prepare.simplify.constant_folding import evaluate_node
from app.voices.prepare.simplify.known_tensors import KnownTensor, MaskIndices, NotSimplifiedError, RewriteNode
from app.voices.prepare.simplify.shape_inference import infer_outputs
from app.voices.prepare.simplify.symbolic_sizes import Size, SymbolicShape, SymbolicSize, build_size_array

MAX_FOLDED_BYTES = 1 << 30  # the weight norms of a real voice take a tenth of this


RewriteRule = Callable[["GraphRewriter", RewriteNode, KnownTensor], "str | None"]
"""Tried on a node and what it would make: the name of a simpler result, or None."""


class GraphRewriter:
    """Gathers the nodes of a new graph; rules, by operator in the order they are tried, see it through `tensors`, `made_by` and the methods."""

    def __init__(self, rules: Mapping[str, Sequence[RewriteRule]]) -> None:
        self._rules = rules
        # What is known of each tensor, by name in the new graph; the empty name stands for an omitted input.
        self.tensors: dict[str, KnownTensor] = {"": KnownTensor()}
        self.made_by: dict[str, RewriteNode] = {}  # node that makes a tensor
        self.nodes: list[RewriteNode] = []  # all nodes in order, dead ones too
        self._same: dict[tuple[Any, ...], list[str]] = {}
        self._names = 0
        self._folded_bytes = 0

    def find_maker(self, name: str, op: str) -> RewriteNode | None:
        """Return the node that makes a tensor if it is of this operator, else None."""
        node = self.made_by.get(name)
        return node if node is not None and node.op == op else None

    def find_shape(self, name: str) -> SymbolicShape | None:
        """Return what is known of the shape of a tensor."""
        return self.tensors[name].shape

    def add_constant(self, values: Any, dtype: Any = None) -> str:
        """Add a constant and return its name."""
        return self.add_known_tensor(KnownTensor.from_array(np.asarray(values, dtype)))

    def add_size_vector(self, sizes: Sequence[Size]) -> str:
        """Add a vector of sizes, which may depend on the free one, and return its name."""
        return self.add_known_tensor(KnownTensor.from_array(build_size_array(sizes)))

    def add_known_tensor(self, tensor: KnownTensor) -> str:
        """Add a tensor whose value is known, the same one for equal values, and return its name."""
        content: Any = tensor.value
        if tensor.array is not None and tensor.array.dtype == object:
            content = tuple(tensor.array.reshape(-1))
        elif tensor.array is not None:
            # A digest, as the content may be large.
            content = hashlib.blake2b(np.ascontiguousarray(tensor.array).tobytes(), digest_size=16).digest()
        key = ("known", tensor.dtype, tensor.shape, content)
        if key not in self._same:
            self._same[key] = [self._create_unique_name("known")]
            self.tensors[self._same[key][0]] = tensor
        return self._same[key][0]

    def add_operation(
        self, op: str, inputs: Sequence[str], attributes: Mapping[str, Any] | None = None, count: int = 1, name: str = ""
    ) -> list[str]:
        """Add an operation with `count` results in its simplest form and return their names; `name` is what the node is called, for profiles."""
        node = RewriteNode(op, inputs, [""] * count, attributes or {}, name)
        operands = [self.tensors[item] for item in inputs]
        results = infer_outputs(node, operands)
        if op == "NonZero":
            return [self.add_known_tensor(replace(results[0], value=MaskIndices(inputs[0], by_row=False)))]
        if count == 1:
            value = evaluate_node(node, operands, results[0])
            if isinstance(value, np.ndarray):
                if value.base is None:  # views of other arrays cost nothing
                    self._folded_bytes += value.nbytes
                if self._folded_bytes > MAX_FOLDED_BYTES:
                    raise NotSimplifiedError("its constants grow too large")
                return [self.add_known_tensor(KnownTensor.from_array(value, results[0].dtype))]
            if value is not None:
                return [self.add_known_tensor(replace(results[0], value=value))]
            for rule in self._rules.get(op, ()):
                result = rule(self, node, results[0])
                if result is not None:
                    return [result]
        return self.append_node(self._make_split_explicit(node, results) if op == "Split" else node, results)

    def add_single(self, op: str, inputs: Sequence[str], **attributes: Any) -> str:
        """Add an operation with one result and return the result."""
        return self.add_operation(op, inputs, attributes)[0]

    def append_node(self, node: RewriteNode, results: Sequence[KnownTensor]) -> list[str]:
        """Add a node as it is, unless an equal one exists, and return its results."""
        key = (node.op, tuple(node.inputs), repr(sorted(node.attributes.items())))
        if key not in self._same:
            node.outputs = [self._create_unique_name(node.name or node.op) for _ in node.outputs]
            self._same[key] = node.outputs
            self.nodes.append(node)
            for name, tensor in zip(node.outputs, results, strict=True):
                self.tensors[name], self.made_by[name] = tensor, node
        return self._same[key]

    def add_reshape(self, name: str, shape: SymbolicShape) -> str:
        """Return the same elements in another shape; a reshape of a reshape becomes one."""
        while self.tensors[name].shape != shape and (maker := self.find_maker(name, "Reshape")) is not None:
            name = maker.inputs[0]
        before = self.tensors[name]
        if before.shape == shape:
            return name
        if before.shape is None:
            raise NotSimplifiedError(f"shape of {name} unknown")
        node = RewriteNode("Reshape", [name, self._add_reshape_argument(before.shape, shape)], [""], {})
        made = KnownTensor(shape, before.dtype)
        value = evaluate_node(node, [before, self.tensors[node.inputs[1]]], made)
        return self.add_known_tensor(replace(made, value=value)) if value is not None else self.append_node(node, [made])[0]

    def _add_reshape_argument(self, before: SymbolicShape, after: SymbolicShape) -> str:
        """Return the shape argument of a reshape, a constant if possible: 0 keeps the size of an axis, -1 stands for the rest."""
        written: list[Size] = list(after)
        for axis, size in enumerate(after):
            if isinstance(size, SymbolicSize) and axis < len(before) and before[axis] == size:
                written[axis] = 0
        left = [axis for axis, size in enumerate(written) if isinstance(size, SymbolicSize)]
        if len(left) == 1:
            written[left[0]] = -1
        return self.add_size_vector(written if len(left) < 2 else after)

    def _make_split_explicit(self, node: RewriteNode, results: Sequence[KnownTensor]) -> RewriteNode:
        """Return a Split that states the sizes of its pieces: which of them may be left out, and how, differs between opsets."""
        axis, shapes = node.get_attribute("axis", 0), [tensor.shape for tensor in results]
        sizes = [shape[axis] for shape in shapes if shape is not None]
        if len(sizes) < len(shapes):
            return node
        return RewriteNode("Split", [node.inputs[0], self.add_size_vector(sizes)], node.outputs, {"axis": axis}, node.name)

    def _create_unique_name(self, base: str) -> str:
        self._names += 1
        return f"{base}_{self._names}"
