"""Copies of a graph that show what it computes inside, and what the graph is made of as plain values."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import onnx

from app.voices.prepare.graph_store import load_graph, store_graph
from app.voices.prepare.graph_walk import collect_needed_nodes, iterate_inner_graphs, replace_items


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node: its name (which may be empty), its operator, and the tensors that it reads and makes; optional ones left out are missing."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def list_nodes(graph: Path) -> list[GraphNode]:
    """Return all nodes in the order of the graph; tensors that graphs inside a node read from outside count as read by the node."""
    model = onnx.load(str(graph), load_external_data=False)
    return [_convert_node(node) for node in model.graph.node]


def list_output_names(graph: Path) -> list[str]:
    """Return the names of the tensors that the graph computes, in order."""
    return [item.name for item in onnx.load(str(graph), load_external_data=False).graph.output]


def expose_graph_tensors(graph: Path, tensors: Iterable[str]) -> bytes:
    """Return the graph with these tensors as further outputs, serialised; its weights stay in the files next to `graph`."""
    model = onnx.load(str(graph), load_external_data=False)
    there = {item.name for item in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(tensors) if name not in there)
    return bytes(model.SerializeToString())


def write_single_output_graph(graph: Path, output: str, name: str) -> Path:
    """Write a graph next to another one, sharing its weights, that computes only one of its outputs."""
    model = onnx.load(str(graph), load_external_data=False)
    replace_items(model.graph.output, [item for item in model.graph.output if item.name == output])
    replace_items(model.graph.node, collect_needed_nodes(model.graph, [output]))
    target = graph.with_name(f"{name}.onnx")
    onnx.save(model, str(target))
    return target


def store_graph_file(graph: Path | bytes, folder: Path, name: str) -> Path:
    """Return a file of the graph with its weights next to it, the file itself if stored so; raise OutputFileError if the disk is full."""
    if isinstance(graph, Path) and graph.suffix == ".onnx" and any(graph.with_suffix(suffix).is_file() for suffix in (".bin", ".data")):
        return graph
    return folder / store_graph(load_graph(graph), folder, name)


def _convert_node(node: onnx.NodeProto) -> GraphNode:
    read = [name for name in node.input if name]
    read += [name for inner in iterate_inner_graphs(node) for item in inner.node for name in _convert_node(item).inputs]
    return GraphNode(node.name, node.op_type, tuple(read), tuple(name for name in node.output if name))
