"""Operators by module: the paths of a graph's nodes, cut to a depth at which they say something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.adapters.ort.profiled_session import OperatorRun
from app.bench.multiply_adds import STAGE_OF_GRAPH

# Names that ONNX Runtime puts behind that of the node it made one from.
MAX_ADDED_NAMES = 8
# Of the nodes that have a module: one that holds so many says nothing, those inside it do.
MIN_SHARED_NODES = 0.7
STAGE_OF_MODULE = {"enc_p": "prosody", "emb_g": "prosody", "dp": "prosody", "sdp": "prosody", "flow": "flow", "dec": "decode"}
"""In a graph that is a voice in one piece, by the names of the public architecture."""


class OperatorModules:
    """The modules of one graph.

    Args:
        graph: its name, which stands for the module of nodes that have none.
        paths: node → path.
        depth: how many names of a path, after those that nearly all nodes share.
    """

    def __init__(self, graph: str, paths: Mapping[str, str], depth: int) -> None:
        self.graph = graph
        self._paths, self._depth = paths, depth
        known = [path.split("/") for path in paths.values() if path]
        self._lead, self._tops = _find_common_lead(known), {path[0] for path in known}
        labels = dict.fromkeys(map(self._shorten_path, paths.values()))
        self._places = {label: place for place, label in enumerate(labels)}

    def name_modules(self, operators: Sequence[OperatorRun]) -> list[str]:
        """Return the module of each operator of a run; operators that ONNX Runtime has made count to the module of the operator before them."""
        found: list[str] = []
        path = ""
        for item in operators:
            path = self._find_path(item.name, path)
            found.append(self._shorten_path(path))
        return found

    def find_module_order(self, module: str) -> int:
        """Return the position of a module in the graph as it is written: ONNX Runtime runs what nothing waits for in any order."""
        return self._places.get(module, len(self._places))

    def find_stage(self, module: str) -> str | None:
        """Return the stage that a module belongs to; None if its name does not show it."""
        if self.graph == "whole":
            return STAGE_OF_MODULE.get(module.split("/")[0])
        return STAGE_OF_GRAPH.get(self.graph, self.graph)

    def _find_path(self, name: str, before: str) -> str:
        """Return the path of a node of the graph, or of one that ONNX Runtime has made and named after it with a suffix."""
        # Onnx is slow to import.
        from app.voices.prepare.graph_facts import parse_module_path

        base = name
        for _ in range(MAX_ADDED_NAMES):
            if base in self._paths:
                return self._paths[base]
            base = base.rpartition("/")[0]
        path = parse_module_path(name)
        return path if path.split("/")[0] in self._tops else before

    def _shorten_path(self, path: str) -> str:
        parts = path.split("/")
        inside = parts[: len(self._lead)] == self._lead
        return "/".join(parts[: self._depth + (len(self._lead) if inside else 0)]) or self.graph


def read_modules(graph: str, model: Path | bytes, depth: int) -> OperatorModules:
    """Return the modules of a graph; raise VoiceError if it cannot be read."""
    # Onnx is slow to import.
    from app.voices.prepare.graph_facts import read_module_paths

    return OperatorModules(graph, read_module_paths(model), depth)


def _find_common_lead(paths: Sequence[Sequence[str]]) -> list[str]:
    """Return the names that most paths begin with."""
    lead: list[str] = []
    inside = list(paths)
    while deeper := Counter(path[len(lead)] for path in inside if len(path) > len(lead)).most_common(1):
        name, count = deeper[0]
        if count < MIN_SHARED_NODES * len(paths):
            break
        inside = [path for path in inside if len(path) > len(lead) and path[len(lead)] == name]
        lead.append(name)
    return lead
