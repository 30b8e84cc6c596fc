"""Ways through a graph, up and down from a node and into the graphs inside nodes, and what is changed on the way."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

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
    """The producer and the consumers of each tensor of a graph; raise UnknownGraphError if it is far too long, or out of order, or a tensor is made twice."""

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


def iterate_graphs(graph: Any) -> Iterator[Any]:
    """Yield a graph of ONNX, and after it those inside its nodes."""
    yield graph
    for node in graph.node:
        for inner in iterate_inner_graphs(node):
            yield from iterate_graphs(inner)


def iterate_inner_graphs(node: Any) -> Iterator[Any]:
    """Yield the graphs that the attributes of a node of ONNX hold."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def replace_items(field: Any, items: Iterable[Any]) -> None:
    """Replace the content of a repeated field."""
    content = list(items)
    del field[:]
    field.extend(content)


def rename_inputs(nodes: Iterable[Any], names: Mapping[str, str]) -> None:
    """Let nodes read other tensors: `names` maps what each is called to what it is called now."""
    for node in nodes:
        for index, name in enumerate(node.input):
            node.input[index] = names.get(name, name)


def collect_needed_nodes(graph: Any, outputs: Iterable[str], available: Iterable[str] = ()) -> list[Any]:
    """Return the nodes that make `outputs` from the tensors in `available`, in order."""
    there = set(available)
    needed, nodes = set(outputs) - there, []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            nodes.append(node)
            needed.update(name for name in node.input if name not in there)
    return nodes[::-1]
