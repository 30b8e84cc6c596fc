"""Puts the residual blocks of a decoder into rows, where their convolutions are computed in tiles; the rest stays in images, as it was."""

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import helper

from app.voices.prepare.decoder_context import find_upsampling_rate
from app.voices.prepare.graph_walk import replace_items
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.tiled_convolution import add_tiled_convolution

_STEPWISE_OPS = {"LeakyRelu", "Add", "Div", "Mul"}
_TIME_AXIS = "tiled steps"


class ConvolutionSize(NamedTuple):
    """The numbers that decide whether tiles pay for convolutions: channels, as many in as out, the length of the kernel, and the steps of a frame there."""

    channels: int
    kernel: int
    steps_per_frame: int


def map_convolution_sizes(graph: onnx.GraphProto) -> dict[str, ConvolutionSize]:
    """Return the size of each convolution of a decoder's stages that could be computed in tiles, by its result; nothing for another graph.

    Those before the first upsampling are none of them: they are few and short.
    """
    shapes = {item.name: tuple(item.dims) for item in graph.initializer}
    sizes: dict[str, ConvolutionSize] = {}
    steps_per_frame = 1
    for node in graph.node:
        if node.op_type == "ConvTranspose":
            steps_per_frame *= find_upsampling_rate(node)
        elif steps_per_frame > 1 and _is_tileable(node, shapes):
            channels, _, _, kernel = shapes[node.input[1]]
            sizes[node.output[0]] = ConvolutionSize(channels, kernel, steps_per_frame)
    return sizes


def rewrite_convolutions(model: onnx.ModelProto, results: Container[str]) -> None:
    """Rewrite a decoder in place so that the convolutions with these results, keys of `map_convolution_sizes`, are computed in tiles.

    Weights and results keep their names.
    """
    _TileRewriter(model, results).rewrite_graph()


def build_trial_graphs(size: ConvolutionSize, frames: int) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """Build x → y, images: two steps of a residual block of such a size over so many frames, with random weights, as ONNX has them and in tiles."""
    channels, kernel, steps_per_frame = size
    writer = GraphWriter("trial", _TIME_AXIS)
    shape = (1, channels, 1, frames * steps_per_frame)
    weights = np.random.default_rng(0).standard_normal((2, channels, channels, 1, kernel)) / np.sqrt(channels * kernel)
    image, results = writer.add_input("x", shape), []
    for index, (weight, dilation) in enumerate(zip(weights, (1, 3), strict=True)):
        active = writer.add_node("LeakyRelu", image, alpha=0.1)
        name, bias = writer.add_weight(f"weight {index}", weight), writer.add_weight(f"bias {index}", np.zeros(channels))
        results.append(writer.add_conv(active, name, bias, dilation))
        image = writer.add_node("Add", results[-1], image)
    writer.add_output("y", image, shape)
    plain, tiled = writer.build_model(), onnx.ModelProto()
    tiled.CopyFrom(plain)
    rewrite_convolutions(tiled, results)
    return plain, tiled


def _is_tileable(node: onnx.NodeProto, shapes: Mapping[str, tuple[int, ...]]) -> bool:
    """Return whether a node is a convolution over time of an image that keeps its length and its channels."""
    shape = shapes.get(node.input[1], ()) if node.op_type == "Conv" else ()
    if len(shape) != 4 or shape[0] != shape[1] or shape[2] != 1 or shape[3] < 3 or shape[3] % 2 == 0:
        return False
    attributes = _read_attributes(node)
    reach = (shape[3] - 1) * _read_dilation(node) // 2
    is_plain = attributes.get("group", 1) == 1 and attributes.get("auto_pad", b"NOTSET") == b"NOTSET"
    return is_plain and list(attributes.get("strides", [1, 1])) == [1, 1] and list(attributes.get("pads", [])) == [0, reach, 0, reach]


def _read_attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {item.name: helper.get_attribute_value(item) for item in node.attribute}


def _read_dilation(node: onnx.NodeProto) -> int:
    return int(next((item.ints[-1] for item in node.attribute if item.name == "dilations"), 1))


class _TileRewriter:
    """Copies a graph node by node; a tensor that is wanted in the other layout is converted once."""

    def __init__(self, model: onnx.ModelProto, chosen: Container[str]) -> None:
        self._graph, self._chosen = model.graph, chosen
        self._shapes = {item.name: tuple(item.dims) for item in model.graph.initializer}
        self._writer = GraphWriter("tiles", _TIME_AXIS)
        self._rows: dict[str, str] = {}  # tensor of the graph → the same as rows
        self._images = {item.name for item in model.graph.input} | self._shapes.keys()
        self._numbers = {name for name, shape in self._shapes.items() if shape in ((), (1,))}

    def rewrite_graph(self) -> None:
        graph, writer = self._graph, self._writer
        before_tiles = self._find_inputs_of_tiles()
        with writer.enter_scope("tiles"):
            for node in graph.node:
                values = [name for name in node.input if name not in self._numbers]
                is_stepwise = node.op_type in _STEPWISE_OPS and bool(values) and self._shapes.keys().isdisjoint(values)
                if node.output[0] in self._chosen:
                    self._rows[node.output[0]] = self._add_tiles(node)
                elif is_stepwise and (all(name in self._rows for name in values) or node.output[0] in before_tiles):
                    self._rows[node.output[0]] = self._add_stepwise(node)
                else:
                    self._add_images(node.input)
                    writer.copy_node(node)
                    self._images.update(node.output)
            self._add_images(item.name for item in graph.output)
        made = writer.build_model().graph
        replace_items(graph.node, list(made.node))
        graph.initializer.extend(made.initializer)
        graph.value_info.extend(made.value_info)

    def _find_inputs_of_tiles(self) -> set[str]:
        """Return the activations that a tiled convolution reads, and the sums that one is part of: they are computed in rows, whatever comes in."""
        wanted = {node.input[0] for node in self._graph.node if node.output[0] in self._chosen}
        return wanted | {
            node.output[0] for node in self._graph.node if node.op_type == "Add" and any(name in self._chosen for name in node.input)
        }

    def _add_tiles(self, node: onnx.NodeProto) -> str:
        writer = self._writer
        outputs, inputs, _, kernel = self._shapes[node.input[1]]
        weight = writer.add_transpose(writer.add_reshape(node.input[1], [outputs, inputs, kernel]), 2, 1, 0)
        rows = self._find_rows(node.input[0])
        shape = (kernel, inputs, outputs)
        rows = add_tiled_convolution(writer, rows, writer.add_reshape(weight, [kernel, -1]), shape, dilation=_read_dilation(node))
        return writer.add_node("Add", rows, node.input[2]) if len(node.input) > 2 else rows

    def _add_stepwise(self, node: onnx.NodeProto) -> str:
        inputs = [name if name in self._numbers else self._find_rows(name) for name in node.input]
        return self._writer.add_node(node.op_type, *inputs, **_read_attributes(node))

    def _find_rows(self, name: str) -> str:
        if name not in self._rows:
            self._rows[name] = self._writer.convert_to_rows(name)
        return self._rows[name]

    def _add_images(self, names: Iterable[str]) -> None:
        """Add the image of each of these tensors that is there in rows alone, under its own name."""
        for name in names:
            if name in self._rows and name not in self._images:
                self._writer.convert_to_image(self._rows[name], name)
                self._images.add(name)
