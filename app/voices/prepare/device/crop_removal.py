"""Takes out the cuts of `app.voices.prepare.faster.crop_context`: a device would compute their bounds, hand them back and wait, ten times a window."""

from __future__ import annotations

import onnx

from app.voices.prepare.faster.crop_context import FIRST_FRAME_INPUT, LAST_FRAME_INPUT
from app.voices.prepare.graph_walk import GraphLinks


def keep_context(decoder: onnx.ModelProto) -> None:
    """Rewrite a decoder in place so that it gives the samples of all frames of its window; a decoder that cuts nothing stays as it is."""
    graph = decoder.graph
    bounds = {item.name for item in graph.input} & {FIRST_FRAME_INPUT, LAST_FRAME_INPUT}
    if not bounds:
        return
    links = GraphLinks(graph.node)
    after: set[str] = set()
    for name in bounds:
        for reader in links.readers[name]:
            after |= links.collect_downstream(reader)
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
    drop_unread_nodes(graph)


def drop_unread_nodes(graph: onnx.GraphProto) -> None:
    """Remove nodes and weights that no output needs."""
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
