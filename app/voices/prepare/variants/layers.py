"""A lean BERT that ends some layers earlier, or with the layers that voices do not read."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from app.progress import unreported
from app.voices.prepare.bert.architecture import LAYERS_LEFT_OUT
from app.voices.prepare.bert.lean import write_lean
from app.voices.prepare.bert.safetensors_source import SafetensorsSource
from app.voices.prepare.links import UnknownGraphError
from app.voices.prepare.simplify.piece import needed
from app.voices.prepare.store import load_graph
from app.voices.prepare.variants.products import drop_unread_weights

END = re.compile(r"encoder\.layer\.(\d+)\.output\.LayerNorm\.weight$")
LAST = "last_hidden_state"
BESIDE = "encoder.conv.LayerNorm.weight"  # what ends the first layer


def layer_count(graph: onnx.GraphProto) -> int:
    """Layers of a lean BERT in float32; 0 where it is none."""
    return len(_ends(graph))


def cut_layers(model: onnx.ModelProto, layers: int) -> None:
    """Rewrites a lean BERT in place: its output becomes that of the layer so many from the bottom. UnknownGraphError where it has not so many."""
    graph, ends = model.graph, _ends(model.graph)
    if not 1 <= layers <= len(ends):
        raise UnknownGraphError(f"{len(ends)} layers")
    last = next(node for node in graph.node if graph.output[0].name in node.output)
    last.input[0] = ends[layers - 1]
    nodes = needed(graph, [graph.output[0].name], set())
    del graph.node[:]
    graph.node.extend(nodes)
    drop_unread_weights(graph)


def write_all_layers(model: Path, folder: Path, name: str) -> Path:
    """Writes a published model with every layer that it has: `output` is what voices read, `last_hidden_state` what the last layer gives.

    Raises:
        VoiceError: it is none, or lacks the last layers.
    """
    source = SafetensorsSource(model)
    read = source.architecture.layers
    source.architecture = replace(source.architecture, layers=read + LAYERS_LEFT_OUT)
    path = folder / f"{name}.onnx"
    write_lean(source, path, unreported)
    whole = load_graph(path, outside=False)
    _show_features(whole.graph, read)
    path.write_bytes(whole.SerializeToString())
    return path


def _show_features(graph: onnx.GraphProto, layers: int) -> None:
    features, width = graph.output[0].name, graph.output[0].type.tensor_type.shape.dim[1].dim_value
    maker = next(node for node in graph.node if features in node.output)
    maker.output[list(maker.output).index(features)] = LAST
    graph.node.append(helper.make_node("Identity", [_ends(graph)[layers - 1]], [features], name="layer.read"))
    graph.output.append(helper.make_tensor_value_info(LAST, TensorProto.FLOAT, ["n", width]))


def _ends(graph: onnx.GraphProto) -> list[str]:
    """Result of each layer, from the bottom."""
    found = {}
    for node in graph.node:
        if node.op_type != "LayerNormalization":
            continue
        match = END.search(node.input[1])
        if match:
            found[int(match[1])] = node.output[0]
        elif node.input[1].endswith(BESIDE):
            found[0] = node.output[0]
    return [found[layer] for layer in sorted(found)]
