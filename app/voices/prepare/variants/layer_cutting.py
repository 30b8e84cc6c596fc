"""A lean BERT that ends some layers earlier, or with the layers that voices do not read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from app.common.progress import ignore_report
from app.voices.prepare.bert.deberta_safetensors import SafetensorsDebertaWeights
from app.voices.prepare.bert.deberta_sizes import UNUSED_TOP_LAYERS
from app.voices.prepare.bert.lean_deberta import write_lean_deberta
from app.voices.prepare.graph_store import load_graph
from app.voices.prepare.graph_walk import UnknownGraphError
from app.voices.prepare.simplify.subgraph import collect_needed_nodes
from app.voices.prepare.variants.int8_products import drop_unread_weights

LAYER_END_PATTERN = re.compile(r"encoder\.layer\.(\d+)\.output\.LayerNorm\.weight$")
LAST_HIDDEN_OUTPUT = "last_hidden_state"
FIRST_LAYER_END_WEIGHT = "encoder.conv.LayerNorm.weight"  # what ends the first layer


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
    nodes = collect_needed_nodes(graph, [graph.output[0].name], set())
    del graph.node[:]
    graph.node.extend(nodes)
    drop_unread_weights(graph)


def write_all_layers(model: Path, folder: Path, name: str) -> Path:
    """Write a published model with every layer that it has: `output` is the tensor that voices read, `last_hidden_state` the last layer's.

    Raises:
        VoiceError: it is none, or lacks the last layers.
    """
    source = SafetensorsDebertaWeights(model)
    read = source.architecture.layers
    source.architecture = replace(source.architecture, layers=read + UNUSED_TOP_LAYERS)
    path = folder / f"{name}.onnx"
    write_lean_deberta(source, path, ignore_report)
    whole = load_graph(path, with_external_weights=False)
    _expose_features(whole.graph, read)
    path.write_bytes(whole.SerializeToString())
    return path


def _expose_features(graph: onnx.GraphProto, layers: int) -> None:
    features, width = graph.output[0].name, graph.output[0].type.tensor_type.shape.dim[1].dim_value
    maker = next(node for node in graph.node if features in node.output)
    maker.output[list(maker.output).index(features)] = LAST_HIDDEN_OUTPUT
    graph.node.append(helper.make_node("Identity", [_list_layer_outputs(graph)[layers - 1]], [features], name="layer.read"))
    graph.output.append(helper.make_tensor_value_info(LAST_HIDDEN_OUTPUT, TensorProto.FLOAT, ["n", width]))


def _list_layer_outputs(graph: onnx.GraphProto) -> list[str]:
    """Return the result of each layer, from the bottom."""
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
