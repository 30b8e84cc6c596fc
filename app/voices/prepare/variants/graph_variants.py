"""Changed copies of a graph: in half precision, with its products or convolutions in int8, all of them or group by group; BERTs with less in them.

A lean BERT goes without some attention heads or layers, or is projected to another width. What a head adds to a token is its mixture times its rows of the output matrix.
The part that is the same for every token goes into the bias when the head goes, so only what differs from token to token is lost.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.common.errors import VoiceError
from app.common.language import localize
from app.common.progress import ignore_report
from app.core.synthesis_types import Float32
from app.voices.prepare.bert.deberta_weights import UNUSED_TOP_LAYERS
from app.voices.prepare.bert.lean_deberta import ABSENT_INPUT, MICROSOFT_DOMAIN, WEIGHT_SUFFIX, quantise_blocks, write_lean_deberta
from app.voices.prepare.bert.open_weights import SafetensorsDebertaWeights
from app.voices.prepare.device.half_precision import SINGLE_PRECISION_OPS, convert_array_to_half, convert_to_half
from app.voices.prepare.graph_store import load_graph, store_graph
from app.voices.prepare.graph_walk import UnknownGraphError, collect_needed_nodes, iterate_graphs, iterate_inner_graphs, replace_items
from app.voices.prepare.int8.integer_convolutions import find_quantisable_convolutions

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


ATTENTION_OUTPUT_PATTERN = re.compile(r"encoder\.layer\.(\d+)\.attention\.output\.dense\.weight$")

LAYER_END_PATTERN = re.compile(r"encoder\.layer\.(\d+)\.output\.LayerNorm\.weight$")
LAST_HIDDEN_OUTPUT = "last_hidden_state"
FIRST_LAYER_END_WEIGHT = "encoder.conv.LayerNorm.weight"  # what ends the first layer

PROJECTION_MATRIX, PROJECTION_BIAS = "projection.weight", "projection.bias"


@dataclass(frozen=True, slots=True)
class AttentionLayer:
    """One layer."""

    heads: int  # how many it has
    matrix: Float32  # what heads add to a token, (heads, width of a head, hidden)
    mixture_tensor: str  # name of the tensor that holds their mixtures side by side, (n, hidden)
    sum_tensor: str  # name of the tensor that what they add goes into, (n, hidden)


def list_attention_layers(graph: onnx.GraphProto) -> list[AttentionLayer]:
    """Return every attention layer from the bottom; raise UnknownGraphError unless the graph is a lean BERT in float32."""
    weights = {item.name: item for item in graph.initializer}
    norms = {node.input[1]: node.input[0] for node in graph.node if node.op_type == "LayerNormalization"}
    found: dict[int, AttentionLayer] = {}
    for node in graph.node:
        match = ATTENTION_OUTPUT_PATTERN.search(node.input[1]) if node.op_type == "MatMul" else None
        if match:
            layer = int(match[1])
            places = weights.get(f"encoder.layer.{layer}.places")
            summed = norms.get(f"encoder.layer.{layer}.attention.output.LayerNorm.weight")
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
    replace_items(model.graph.output, (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", None]) for name in names))
    return layers


def prune_heads(model: onnx.ModelProto, pruned_heads: Mapping[int, Sequence[int]], means: Sequence[Float32]) -> None:
    """Remove heads, by layer, from a lean BERT in place, one of each layer excepted; `means` are of what each layer mixes over many tokens, (hidden,)."""
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
        self._graph, self._layer, self._attention, self._heads_left = graph, layer, attention, kept_heads
        self._weights = {item.name: item for item in graph.initializer}
        self._nodes = [node for node in graph.node if node.name.startswith(f"layer.{layer}/")]

    def prune_layer(self, mean: Float32) -> None:
        self._prune_weights(mean)
        count = len(self._heads_left)
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
        name, heads, kept = f"encoder.layer.{self._layer}.attention", self._attention.heads, self._heads_left
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
    with suppress(UnknownGraphError):
        first = list_attention_layers(graph)[0]
        return first.heads, first.matrix.shape[2]
    return None


def count_layers(graph: onnx.GraphProto) -> int:
    """Return the number of layers of a lean BERT in float32; 0 for another graph."""
    return len(_list_layer_outputs(graph))


def cut_layers(model: onnx.ModelProto, layers: int) -> None:
    """Make the output of a lean BERT that of the layer so many from the bottom, in place; raise UnknownGraphError if it has fewer layers."""
    graph, ends = model.graph, _list_layer_outputs(model.graph)
    if not 1 <= layers <= len(ends):
        raise UnknownGraphError(f"{len(ends)} layers")
    last = next(node for node in graph.node if graph.output[0].name in node.output)
    last.input[0] = ends[layers - 1]
    replace_items(graph.node, collect_needed_nodes(graph, [graph.output[0].name]))
    drop_unread_weights(graph)


def write_all_layers(model: Path, folder: Path, name: str) -> Path:
    """Write a published model with all layers: `output` is what voices read, `last_hidden_state` the last layer's; raise VoiceError if it is none, or lacks layers."""
    source = SafetensorsDebertaWeights(model)
    read = source.architecture.layers
    source.architecture = replace(source.architecture, layers=read + UNUSED_TOP_LAYERS)
    path = folder / f"{name}.onnx"
    write_lean_deberta(source, path, ignore_report)
    whole = load_graph(path, with_external_weights=False)
    graph = whole.graph
    features, width = graph.output[0].name, graph.output[0].type.tensor_type.shape.dim[1].dim_value
    maker = next(node for node in graph.node if features in node.output)
    maker.output[list(maker.output).index(features)] = LAST_HIDDEN_OUTPUT
    graph.node.append(helper.make_node("Identity", [_list_layer_outputs(graph)[read - 1]], [features], name="layer.read"))
    graph.output.append(helper.make_tensor_value_info(LAST_HIDDEN_OUTPUT, TensorProto.FLOAT, ["n", width]))
    path.write_bytes(whole.SerializeToString())
    return path


def _list_layer_outputs(graph: onnx.GraphProto) -> list[str]:
    found = {}
    for node in graph.node:
        if node.op_type != "LayerNormalization":
            continue
        match = LAYER_END_PATTERN.search(node.input[1])
        if match:
            found[int(match[1])] = node.output[0]
        elif node.input[1].endswith(FIRST_LAYER_END_WEIGHT):
            found[0] = node.output[0]
    return [found[layer] for layer in sorted(found)]


def add_projection(model: onnx.ModelProto, matrix: Float32, bias: Float32) -> None:
    """Add a projection to a lean BERT in place: output (n, hidden) · matrix (hidden, width) + bias (width,)."""
    graph = model.graph
    last = next(node for node in graph.node if graph.output[0].name in node.output)
    graph.node.remove(last)
    for name, values in ((PROJECTION_MATRIX, matrix), (PROJECTION_BIAS, bias)):
        graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name))
    graph.node.append(helper.make_node("MatMul", [last.input[0], PROJECTION_MATRIX], ["projected"], name="projection/MatMul"))
    graph.node.append(helper.make_node("Add", ["projected", PROJECTION_BIAS], [graph.output[0].name], name="projection/Add"))
    graph.output[0].type.tensor_type.shape.dim[-1].dim_value = matrix.shape[1]
