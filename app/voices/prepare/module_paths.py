"""Finds the module of a network to which each node belongs, as far as names show it: exporters and our writer put the path before the operator."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from app.voices.prepare.graph_store import load_graph

MODULE_SEPARATOR = "/"
SUBMODULE_DOT_PATTERN = re.compile(r"\.(?!\d)")  # a module inside a module; a number counts modules of one kind
ModulePaths = dict[str, str]


def read_module_paths(graph: Path | bytes) -> ModulePaths:
    """Return the module path of each node (`enc_p/encoder/attn_layers.0`), empty if nothing states it; raise VoiceError if the graph cannot
    be read.

    Nodes that were rewritten have lost their path and take that of a neighbour: of what they read, else of what reads them. Nodes without
    a name are called as ONNX Runtime calls them, `KIND_NUMBER`.
    """
    nodes = list(load_graph(graph, with_external_weights=False).graph.node)
    names = [node.name or f"{node.op_type}_{number}" for number, node in enumerate(nodes)]
    paths = [parse_module_path(node.name) for node in nodes]
    written = {value: index for index, node in enumerate(nodes) for value in node.output}
    readers: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        sources = [written[value] for value in node.input if value in written]
        for source in sources:
            readers.setdefault(source, []).append(index)
        paths[index] = paths[index] or _find_first_path(paths[source] for source in reversed(sources))
    for index in reversed(range(len(nodes))):
        paths[index] = paths[index] or _find_first_path(paths[reader] for reader in readers.get(index, ()))
    return dict(zip(names, paths, strict=True))


def parse_module_path(name: str) -> str:
    """Return the path in a node's name: `/dec/ups.0/ConvTranspose` gives `dec/ups.0`, `flow.flows.6/Add_1` gives `flow/flows.6`; empty if the name has no path."""
    parts = SUBMODULE_DOT_PATTERN.sub(MODULE_SEPARATOR, name).split(MODULE_SEPARATOR)[:-1]
    return MODULE_SEPARATOR.join(part for part, before in zip(parts, ["", *parts], strict=False) if part not in ("", before))


def _find_first_path(found: Iterable[str]) -> str:
    return next(filter(None, found), "")
