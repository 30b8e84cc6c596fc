"""Matrix products of any graph in int8: all of them, or group by group to see which one costs what."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import onnx
from onnx import helper, numpy_helper

from app.core.synthesis_types import Float32
from app.voices.prepare.bert.lean_products import ABSENT_INPUT, MICROSOFT_DOMAIN, quantise_blocks
from app.voices.prepare.bert.product_means import WEIGHT_SUFFIX

MIN_PRODUCT_SIZE = 1024  # of a matrix; smaller ones gain nothing


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """A product with a constant matrix.

    Attributes:
        node: its index in the graph.
        weight: initializer that holds the matrix, in any float format.
        group: what it is called together with its likes in other layers.
        layer: what it is called together with all of its layer; empty where its name says none.
    """

    node: int
    weight: str
    group: str
    layer: str


def list_products(graph: onnx.GraphProto) -> list[MatrixProduct]:
    """Return every product of rows with a constant matrix (inputs, outputs), in order."""
    sizes = {item.name: tuple(item.dims) for item in graph.initializer}
    cast = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Cast"}
    found = []
    for index, node in enumerate(graph.node):
        if node.op_type != "MatMul":
            continue
        weight = cast.get(node.input[1], node.input[1])
        shape = sizes.get(weight, ())
        if len(shape) == 2 and np.prod(shape) >= MIN_PRODUCT_SIZE:
            found.append(MatrixProduct(index, weight, _find_group_name(weight, shape), _find_layer_name(weight)))
    return found


def quantise_products(
    model: onnx.ModelProto, block: int, groups: Container[str], centres: Mapping[str, Float32] = MappingProxyType({})
) -> int:
    """Quantise the products of some groups in place, matrix and content in int8 with a scale for every `block` numbers; return how many
    were found.

    Args:
        groups: names of groups and of layers.
        centres: by name of the product, what its content is quantised without, as in a BERT's own int8 graph (`app.voices.prepare.bert.lean_deberta`).
    """
    graph = model.graph
    weights = {item.name: item for item in graph.initializer}
    chosen = [item for item in list_products(graph) if item.group in groups or item.layer in groups]
    # In reverse, as an inserted node moves the indices of those behind it.
    for product in reversed(chosen):
        matrix = np.asarray(numpy_helper.to_array(weights[product.weight]), np.float32)
        values, scale = quantise_blocks(matrix, block)
        name = f"{product.weight}/int8/{product.node}"
        graph.initializer.append(numpy_helper.from_array(values.astype(np.uint8), name))
        graph.initializer.append(numpy_helper.from_array(scale, f"{name}/scale"))
        node = graph.node[product.node]
        inputs = [node.input[0], name, f"{name}/scale"]
        centre = centres.get(product.weight.removesuffix(WEIGHT_SUFFIX))
        if centre is not None:
            graph.initializer.append(numpy_helper.from_array(centre, f"{name}/centre"))
            graph.initializer.append(numpy_helper.from_array(np.asarray(centre @ matrix, np.float32), f"{name}/bias"))
            inputs = [f"{name}/content", *inputs[1:], ABSENT_INPUT, ABSENT_INPUT, f"{name}/bias"]
        made = helper.make_node(
            "MatMulNBits", inputs, list(node.output), name=f"{name}/product", domain=MICROSOFT_DOMAIN,
            K=matrix.shape[0], N=matrix.shape[1], bits=8, block_size=block, accuracy_level=4,
        )  # fmt: skip
        if centre is not None:
            graph.node.insert(product.node, helper.make_node("Sub", [node.input[0], f"{name}/centre"], inputs[:1], name=inputs[0]))
            node = graph.node[product.node + 1]
        node.CopyFrom(made)
    if chosen and all(item.domain != MICROSOFT_DOMAIN for item in model.opset_import):
        model.opset_import.append(helper.make_opsetid(MICROSOFT_DOMAIN, 1))
    drop_unread_weights(graph)
    return len(chosen)


def drop_unread_weights(graph: onnx.GraphProto) -> None:
    """Remove casts whose result no node reads, and weights that no node takes."""
    read = set(_iterate_used_tensors(graph))
    for node in [node for node in graph.node if node.op_type == "Cast" and node.output[0] not in read]:
        graph.node.remove(node)
    read = set(_iterate_used_tensors(graph))
    kept = [item for item in graph.initializer if item.name in read]
    del graph.initializer[:]
    graph.initializer.extend(kept)


def _iterate_used_tensors(graph: onnx.GraphProto) -> Iterator[str]:
    """Yield the tensors that nodes take, with those of graphs inside nodes, and the results of the graph."""
    yield from (item.name for item in graph.output)
    for node in graph.node:
        yield from node.input
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from _iterate_used_tensors(attribute.g)


def _find_group_name(weight: str, shape: tuple[int, ...]) -> str:
    """Return the group of a weight: `encoder.layer.3.output.dense.weight` gives `encoder.layer.output.dense`; the sizes, if the name says nothing."""
    if "." not in weight:
        return f"MatMul {shape[0]}×{shape[1]}"
    return re.sub(r"\.\d+(?=\.)", "", weight.removesuffix(WEIGHT_SUFFIX))


def _find_layer_name(weight: str) -> str:
    """Return the layer of a weight: `encoder.layer.3.output.dense.weight` gives `layer 3`."""
    found = re.search(r"\blayer\.(\d+)\.", weight)
    return f"layer {found[1]}" if found else ""
