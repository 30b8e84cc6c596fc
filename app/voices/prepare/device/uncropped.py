"""Takes out the cuts of `app.voices.prepare.faster.crop`: a device would compute their bounds, hand them back and wait, ten times a window."""

from __future__ import annotations

import onnx

from app.voices.prepare.faster.crop import FIRST, LAST
from app.voices.prepare.links import Links


def keep_context(decoder: onnx.ModelProto) -> None:
    """Rewrites a decoder in place: it gives the samples of all frames of its window; one that cuts nothing stays as it is."""
    graph = decoder.graph
    bounds = {item.name for item in graph.input} & {FIRST, LAST}
    if not bounds:
        return
    links = Links(graph.node)
    after: set[str] = set()
    for name in bounds:
        for reader in links.readers[name]:
            after |= links.after(reader)
    outputs = {item.name for item in graph.output}
    uncut: dict[str, str] = {}
    for node in graph.node:
        if node.op_type == "Slice" and after & set(node.input[1:]):
            uncut[node.output[0]] = uncut.get(node.input[0], node.input[0])
    nodes = [node for node in graph.node if node.output[0] not in uncut]
    for node in nodes:
        for place, name in enumerate(node.input):
            node.input[place] = uncut.get(name, name)
    del graph.node[:]
    graph.node.extend(nodes)
    for name in outputs & uncut.keys():
        graph.node.append(onnx.helper.make_node("Identity", [uncut[name]], [name], name=f"{name}/uncut/all"))
    kept = [item for item in graph.input if item.name not in bounds]
    del graph.input[:]
    graph.input.extend(kept)
    drop_unread(graph)


def drop_unread(graph: onnx.GraphProto) -> None:
    """Removes nodes and weights that no output needs."""
    wanted = {item.name for item in graph.output}
    nodes = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(reversed(nodes))
    kept = [item for item in graph.initializer if item.name in wanted]
    del graph.initializer[:]
    graph.initializer.extend(kept)
