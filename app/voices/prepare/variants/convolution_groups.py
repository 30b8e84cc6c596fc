"""Groups the convolutions of a graph that belong together, so that the cost of each group in int8 can be measured."""

from __future__ import annotations

import onnx

from app.voices.prepare.int8.value_ranges import find_quantisable_convolutions

CONVOLUTION_OP = "Conv"


def group_convolutions(graph: onnx.GraphProto) -> dict[str, list[str]]:
    """Return the results of the convolutions by the part of the network, or by their sizes if no name states the part."""
    sizes = {item.name: "×".join(map(str, item.dims)) for item in graph.initializer}
    found: dict[str, list[str]] = {}
    for node in find_quantisable_convolutions(graph):
        weight = node.input[1]
        name = ".".join(weight.split(".")[:3]) if weight.count(".") > 2 else f"{CONVOLUTION_OP} {sizes[weight]}"
        found.setdefault(name, []).append(node.output[0])
    return found
