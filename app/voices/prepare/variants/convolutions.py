"""Which convolutions of a graph belong together, to see what each group costs in int8."""

from __future__ import annotations

import onnx

from app.voices.prepare.int8.observe import quantisable

CONVOLUTION = "Conv"


def convolution_groups(graph: onnx.GraphProto) -> dict[str, list[str]]:
    """Results of the convolutions, by where they belong: the part of the network, or their sizes where no name says it."""
    sizes = {item.name: "×".join(map(str, item.dims)) for item in graph.initializer}
    found: dict[str, list[str]] = {}
    for node in quantisable(graph):
        weight = node.input[1]
        name = ".".join(weight.split(".")[:3]) if weight.count(".") > 2 else f"{CONVOLUTION} {sizes[weight]}"
        found.setdefault(name, []).append(node.output[0])
    return found
