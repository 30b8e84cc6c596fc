"""Ways through a graph, up and down from a node."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar

MAX_GRAPH_NODES = 50_000  # exporters leave 5,000 to 10,000


class UnknownGraphError(Exception):
    """The graph is not built like the public ones; it can still be run whole."""


class NodeLike(Protocol):
    """A node of ONNX, loaded with its weights (`onnx.NodeProto`) or without (`app.voices.untrusted.onnx_nodes`)."""

    @property
    def op_type(self) -> str:
        """Return the name of the node's operator."""

    @property
    def input(self) -> Sequence[str]:
        """Return the names of the tensors that the node reads."""

    @property
    def output(self) -> Sequence[str]:
        """Return the names of the tensors that the node makes."""


Node = TypeVar("Node", bound=NodeLike)


class GraphLinks(Generic[Node]):
    """The producer and the consumers of each tensor of a graph.

    Raises:
        UnknownGraphError: it is far too long, a tensor is made twice, or a node reads what only a later one makes.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = list(nodes)
        if len(self.nodes) > MAX_GRAPH_NODES:
            raise UnknownGraphError(f"{len(self.nodes)} nodes")
        self.maker = {name: node for node in self.nodes for name in node.output}
        self.readers: dict[str, list[Node]] = defaultdict(list)
        made: set[str] = set()
        for node in self.nodes:
            for name in node.input:
                self.readers[name].append(node)
                if name in self.maker and name not in made:
                    # ONNX forbids this order, and walks upstream might never end.
                    raise UnknownGraphError("nodes are out of order")
            if not made.isdisjoint(node.output):
                raise UnknownGraphError("a tensor is made twice")
            made.update(name for name in node.output if name)

    def collect_upstream(self, node: Node) -> set[str]:
        """Return the names of all tensors that a node depends on."""
        return self._walk_tensors(node.input, lambda name: self.maker[name].input if name in self.maker else ())

    def collect_downstream(self, node: Node) -> set[str]:
        """Return the names of all tensors that depend on a node."""
        return self._walk_tensors(node.output, lambda name: (result for reader in self.readers[name] for result in reader.output))

    @staticmethod
    def _walk_tensors(start: Iterable[str], step: Callable[[str], Iterable[str]]) -> set[str]:
        seen, waiting = set(start), list(start)
        while waiting:
            for name in step(waiting.pop()):
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)
        return seen

    def skip_operators(self, name: str, operators: set[str]) -> str:
        """Return the first tensor upstream that is not made by one of these operators."""
        while name in self.maker and self.maker[name].op_type in operators:
            name = self.maker[name].input[0]
        return name

    @staticmethod
    def require_single(candidates: Iterable[Node], description: str) -> Node:
        """Return the only node among the candidates; raise UnknownGraphError unless there is exactly one."""
        nodes = list(candidates)
        if len(nodes) != 1:
            raise UnknownGraphError(f"{len(nodes)} × {description}")
        return nodes[0]
