"""Changed copies of a graph: in half precision, and with its products or convolutions in int8, all of them or group by group."""

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import onnx
from onnx import helper, numpy_helper

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.prepare.bert.lean_deberta import ABSENT_INPUT, MICROSOFT_DOMAIN, WEIGHT_SUFFIX, quantise_blocks
from app.voices.prepare.device.half_precision import SINGLE_PRECISION_OPS, convert_array_to_half, convert_to_half
from app.voices.prepare.graph_store import load_graph, store_graph
from app.voices.prepare.graph_walk import UnknownGraphError, iterate_graphs, iterate_inner_graphs, replace_items
from app.voices.prepare.int8.convolution_quantiser import find_quantisable_convolutions

ONNX_SUFFIX = ".onnx"

OPS_WITHOUT_HALF_KERNEL = {"ScatterElements"}
"""What the CPU does not compute in half precision, as far as graphs of voices have it: ScatterElements that adds."""

CONVOLUTION_OP = "Conv"

MIN_PRODUCT_SIZE = 1024  # of a matrix; smaller ones gain nothing


def write_changed_copy(source: Path | bytes, folder: Path, name: str, change: Callable[[onnx.ModelProto], object]) -> Path:
    """Write a copy of a graph that `change` has changed in place; raise VoiceError if the graph is not built as the change needs it."""
    model = load_graph(source)
    try:
        change(model)
    except (UnknownGraphError, ValueError, KeyError, StopIteration) as exc:
        raise VoiceError(
            localize("このグラフには適用できません。", "This does not apply to this graph."),
            localize(f"詳細: {exc}", f"Details: {exc}"),
        ) from exc
    return folder / store_graph(model, folder, name)


def list_weight_files(graph: Path) -> list[Path]:
    """Return the files next to a graph that hold its weights."""
    if graph.suffix != ONNX_SUFFIX:
        return []
    model = onnx.load(str(graph), load_external_data=False)
    names = {entry.value for item in model.graph.initializer for entry in item.external_data if entry.key == "location"}
    return [graph.parent / name for name in sorted(names)]


def convert_graph_to_half(model: onnx.ModelProto) -> None:
    """Convert a model and its weights to half precision in place; raise UnknownGraphError for graphs in nodes, which are not visited."""
    if nesting := {node.op_type for node in model.graph.node if any(iterate_inner_graphs(node))}:
        raise UnknownGraphError(", ".join(sorted(nesting)))
    small = convert_to_half(model, SINGLE_PRECISION_OPS | OPS_WITHOUT_HALF_KERNEL)
    for item in model.graph.initializer:
        if item.name in small:
            item.CopyFrom(numpy_helper.from_array(convert_array_to_half(numpy_helper.to_array(item)), item.name))


def group_convolutions(graph: onnx.GraphProto) -> dict[str, list[str]]:
    """Return the results of the convolutions by the part of the network, or by their sizes if no name states the part."""
    sizes = {item.name: "×".join(map(str, item.dims)) for item in graph.initializer}
    found: dict[str, list[str]] = {}
    for node in find_quantisable_convolutions(graph):
        weight = node.input[1]
        name = ".".join(weight.split(".")[:3]) if weight.count(".") > 2 else f"{CONVOLUTION_OP} {sizes[weight]}"
        found.setdefault(name, []).append(node.output[0])
    return found


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """A product with a constant matrix, an initializer in any float format, by the index of its node."""

    node: int
    weight: str
    group: str  # what it is called together with its likes in other layers
    layer: str  # what it is called together with all of its layer; empty where its name says none


def list_products(graph: onnx.GraphProto) -> list[MatrixProduct]:
    """Return every product of rows with a constant matrix (inputs, outputs), in order."""
    sizes = {item.name: tuple(item.dims) for item in graph.initializer}
    cast = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "Cast"}
    products = []
    for index, node in enumerate(graph.node):
        if node.op_type != "MatMul":
            continue
        weight = cast.get(node.input[1], node.input[1])
        shape = sizes.get(weight, ())
        if len(shape) == 2 and np.prod(shape) >= MIN_PRODUCT_SIZE:
            match = re.search(r"\blayer\.(\d+)\.", weight)
            # `encoder.layer.3.output.dense.weight` is of the group `encoder.layer.output.dense`; a name without dots says nothing.
            named = re.sub(r"\.\d+(?=\.)", "", weight.removesuffix(WEIGHT_SUFFIX))
            group = named if "." in weight else f"MatMul {shape[0]}×{shape[1]}"
            products.append(MatrixProduct(index, weight, group, f"layer {match[1]}" if match else ""))
    return products


def quantise_products(
    model: onnx.ModelProto, block: int, groups: Container[str], centres: Mapping[str, Float32] = MappingProxyType({})
) -> int:
    """Quantise the products of groups or layers in place, matrix and content in int8 with a scale for every `block` numbers; return how many were found.

    Args:
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
    used = set(_iterate_used_tensors(graph))
    replace_items(graph.node, [node for node in graph.node if node.op_type != "Cast" or node.output[0] in used])
    used = set(_iterate_used_tensors(graph))
    replace_items(graph.initializer, [item for item in graph.initializer if item.name in used])


def _iterate_used_tensors(graph: onnx.GraphProto) -> Iterator[str]:
    for inner in iterate_graphs(graph):
        yield from (item.name for item in inner.output)
        for node in inner.node:
            yield from node.input
