"""Attention heads of a lean BERT: how much each adds, and the graph without some of them.

What a head adds to a token is its mixture times its rows of the output matrix. The part that is the same for every token goes into the
bias when the head goes, so only what differs from token to token is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.core.synthesis_types import Float32
from app.voices.prepare.graph_walk import UnknownGraphError
from app.voices.prepare.variants.int8_products import drop_unread_weights

ATTENTION_OUTPUT_PATTERN = re.compile(r"encoder\.layer\.(\d+)\.attention\.output\.dense\.weight$")


@dataclass(frozen=True, slots=True)
class AttentionLayer:
    """One layer.

    Attributes:
        heads: how many it has.
        matrix: what heads add to a token, (heads, width of a head, hidden).
        mixture_tensor: name of the tensor that holds their mixtures side by side, (n, hidden).
        sum_tensor: name of the tensor that what they add goes into, (n, hidden).
    """

    heads: int
    matrix: Float32
    mixture_tensor: str
    sum_tensor: str


def list_attention_layers(graph: onnx.GraphProto) -> list[AttentionLayer]:
    """Return every attention layer from the bottom; raise UnknownGraphError unless the graph is a lean BERT in float32."""
    weights = {item.name: item for item in graph.initializer}
    norms = {node.input[1]: node.input[0] for node in graph.node if node.op_type == "LayerNormalization"}
    found: dict[int, AttentionLayer] = {}
    for node in graph.node:
        match = ATTENTION_OUTPUT_PATTERN.search(node.input[1]) if node.op_type == "MatMul" else None
        if match:
            layer = int(match[1])
            places, summed = (
                weights.get(f"encoder.layer.{layer}.places"),
                norms.get(f"encoder.layer.{layer}.attention.output.LayerNorm.weight"),
            )
            if places is None or summed is None:
                raise UnknownGraphError(f"layer {layer}")
            matrix = numpy_helper.to_array(weights[node.input[1]])
            heads = places.dims[0] // 2
            found[layer] = AttentionLayer(heads, matrix.reshape(heads, -1, matrix.shape[1]), node.input[0], summed)
    if not found:
        raise UnknownGraphError("attention.output.dense")
    return [found[layer] for layer in sorted(found)]


def expose_mixtures(model: onnx.ModelProto) -> list[AttentionLayer]:
    """Replace the features by new outputs: each layer's mixture, and the tensor that the mixture is added to; return the layers."""
    layers = list_attention_layers(model.graph)
    names = [name for item in layers for name in (item.mixture_tensor, item.sum_tensor)]
    del model.graph.output[:]
    model.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", None]) for name in names)
    return layers


def prune_heads(model: onnx.ModelProto, pruned_heads: Mapping[int, Sequence[int]], means: Sequence[Float32]) -> None:
    """Remove heads from a lean BERT in place.

    Args:
        pruned_heads: heads that go, by layer; one of each layer has to stay.
        means: of what each layer mixes over many tokens, (hidden,).
    """
    layers = list_attention_layers(model.graph)
    for layer, heads in pruned_heads.items():
        kept = [head for head in range(layers[layer].heads) if head not in heads]
        if not kept:
            raise ValueError(f"no head of layer {layer} would be left")
        if heads:
            _HeadPruner(model.graph, layer, layers[layer], kept).prune_layer(means[layer])
    drop_unread_weights(model.graph)


class _HeadPruner:
    """One layer; heads are axes of reshaped weights, and sizes in a few constants."""

    def __init__(self, graph: onnx.GraphProto, layer: int, attention: AttentionLayer, kept_heads: list[int]) -> None:
        self._graph = graph
        self._layer = layer
        self._attention = attention
        self._kept = kept_heads
        self._weights = {item.name: item for item in graph.initializer}
        self._nodes = [node for node in graph.node if node.name.startswith(f"layer.{layer}/")]

    def prune_layer(self, mean: Float32) -> None:
        self._prune_weights(mean)
        count = len(self._kept)
        splits = [node for node in self._nodes if node.op_type == "Split"]
        reshapes = [node for node in self._nodes if node.op_type == "Reshape"]
        if len(splits) != 3 or len(reshapes) != 4:
            raise UnknownGraphError(f"layer {self._layer}")
        for node, sizes in zip(splits, ([2 * count, count], [count, count], [count, count]), strict=True):
            node.input[1] = self._add_constant(f"{node.name}/sizes", sizes)
        joined, flat, square, last = reshapes
        width = self._attention.matrix.shape[1]
        for node, shape in ((joined, [0, 3 * count, width]), (flat, [2 * count, -1]), (last, [0, count * width])):
            node.input[1] = self._add_constant(f"{node.name}/shape", shape)
        self._update_score_shape(square, 2 * count)

    def _prune_weights(self, mean: Float32) -> None:
        name, heads, kept = f"encoder.layer.{self._layer}.attention", self._attention.heads, self._kept
        gone = [head for head in range(heads) if head not in kept]
        means = mean.reshape(heads, -1)
        constant = sum((means[head] @ self._attention.matrix[head] for head in gone), np.zeros(self._attention.matrix.shape[2], np.float32))
        bias = f"{name}.output.dense.bias"
        self._store_weight(bias, self._read_weight(bias) + constant)
        self._store_weight(f"{name}.output.dense.weight", self._attention.matrix[kept].reshape(-1, self._attention.matrix.shape[2]))
        for joined in (f"{name}.self.joined.weight", f"{name}.self.joined.bias"):
            values = self._read_weight(joined)
            by_head = values.reshape(*values.shape[:-1], 3, heads, -1)[..., kept, :]
            self._store_weight(joined, by_head.reshape(*values.shape[:-1], -1))
        places = f"encoder.layer.{self._layer}.places"
        values = self._read_weight(places)
        self._store_weight(places, values.reshape(2, heads, *values.shape[1:])[:, kept].reshape(-1, *values.shape[1:]))

    def _update_score_shape(self, node: onnx.NodeProto, count: int) -> None:
        """Change the number of heads in the shape of scores by token, which all layers share."""
        shared = next(item for item in self._graph.node if node.input[1] in item.output)
        own = onnx.NodeProto()
        own.CopyFrom(shared)
        own.name = own.output[0] = f"{node.name}/square"
        own.input[0] = self._add_constant(f"{own.name}/heads", [count])
        self._graph.node.insert(list(self._graph.node).index(shared) + 1, own)
        node.input[1] = own.output[0]

    def _add_constant(self, name: str, values: list[int]) -> str:
        self._graph.initializer.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def _read_weight(self, name: str) -> Float32:
        if name not in self._weights:
            raise UnknownGraphError(name)
        return np.asarray(numpy_helper.to_array(self._weights[name]), np.float32)

    def _store_weight(self, name: str, values: Float32) -> None:
        self._weights[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name))


def find_head_sizes(graph: onnx.GraphProto) -> tuple[int, int] | None:
    """Return the number and width of the heads of a lean BERT in float32, or None for another graph."""
    try:
        first = list_attention_layers(graph)[0]
    except UnknownGraphError:
        return None
    return first.heads, first.matrix.shape[2]
