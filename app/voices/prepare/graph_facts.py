"""The facts that a graph states about itself, read without running it: inputs, outputs, weights, nodes, the modules and kernels of these.

Copies of it show what it computes inside.
"""

import math
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from app.common.errors import VoiceError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.voices.prepare.graph_store import load_graph, store_graph
from app.voices.prepare.graph_walk import collect_needed_nodes, iterate_inner_graphs, replace_items
from app.voices.untrusted.regular_file import describe_incomplete_download
from app.voices.untrusted.voice_limits import MAX_GRAPH_BYTES, MAX_TENSOR_AXES

ONNX_DOMAINS = ("", "ai.onnx")

MODULE_SEPARATOR = "/"
SUBMODULE_DOT_PATTERN = re.compile(r"\.(?!\d)")  # a module inside a module; a number counts modules of one kind
ModulePaths = dict[str, str]

MAX_SIZE_CONSTANT_BYTES = 1024  # shorter tensors may be shapes, which inference reads


@dataclass(frozen=True, slots=True)
class GraphValue:
    """An input or output; its shape has sizes, names of free sizes, "?" where nothing is said, and is None for what is no tensor."""

    name: str
    dtype: str
    shape: tuple[int | str, ...] | None


@dataclass(frozen=True, slots=True)
class GraphWeight:
    """A constant tensor, wherever it is stored."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def element_count(self) -> int:
        """Return how many numbers the weight holds."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A node of the graph, with those of the graphs inside of it."""

    name: str
    operators: tuple[str, ...]
    outputs: tuple[str, ...]
    is_constant: bool = False  # it depends on weights alone, so ONNX Runtime computes it once, when it opens the graph


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """The inputs, outputs, weights and nodes of a graph, ONNX's opset, 0 where none is named, and the versions of other domains by name."""

    opset: int
    domains: dict[str, int]
    inputs: tuple[GraphValue, ...]
    outputs: tuple[GraphValue, ...]
    weights: tuple[GraphWeight, ...]
    steps: tuple[GraphStep, ...]


def collect_graph_facts(model: onnx.ModelProto) -> GraphFacts:
    """Return the facts of a model; weights in another file need not have been read. Raise VoiceError if a weight states an impossible size."""
    graph = model.graph
    versions = {item.domain: item.version for item in model.opset_import}
    # Before IR version 4 initializers were inputs, too.
    constants = {item.name for item in graph.initializer}
    return GraphFacts(
        opset=max((version for domain, version in versions.items() if domain in ONNX_DOMAINS), default=0),
        domains={domain: version for domain, version in versions.items() if domain not in ONNX_DOMAINS},
        inputs=tuple(_describe_value(item) for item in graph.input if item.name not in constants),
        outputs=tuple(map(_describe_value, graph.output)),
        weights=tuple(_iterate_weights(graph)),
        steps=tuple(_iterate_steps(graph, constants)),
    )


def _iterate_steps(graph: onnx.GraphProto, weights: set[str]) -> Iterator[GraphStep]:
    constants = {"", *weights}
    for node in graph.node:
        operators = tuple(_iterate_operators(node))
        # An operator with a graph inside may read anything of this one, and a random one has no inputs at all.
        is_constant = operators == (node.op_type,) and bool(node.input) and constants.issuperset(node.input)
        if is_constant:
            constants.update(node.output)
        yield GraphStep(node.name, operators, tuple(node.output), is_constant)


def rename_nodes_by_number(model: onnx.ModelProto) -> bytes:
    """Return the model, its nodes called n0, n1 …, so that the entries of a profile can be assigned to them; weights outside stay outside."""
    for index, node in enumerate(model.graph.node):
        _rename_node(node, f"n{index}")
    return bytes(model.SerializeToString())


def parse_node_number(name: str) -> int | None:
    """Return the number of the original's node that has this name now; None for nodes that ONNX Runtime added."""
    digits = name[1:].partition("/")[0]
    return int(digits) if name.startswith("n") and digits.isdecimal() else None


def _rename_node(node: onnx.NodeProto, name: str) -> None:
    node.name = name
    for inner in iterate_inner_graphs(node):
        for index, item in enumerate(inner.node):
            _rename_node(item, f"{name}/{index}")


def _iterate_operators(node: onnx.NodeProto) -> Iterator[str]:
    yield f"{node.domain}.{node.op_type}" if node.domain not in ONNX_DOMAINS else node.op_type
    for graph in iterate_inner_graphs(node):
        for inner in graph.node:
            yield from _iterate_operators(inner)


def _iterate_weights(graph: onnx.GraphProto) -> Iterator[GraphWeight]:
    yield from (_describe_weight(item, item.name) for item in graph.initializer)
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            yield _describe_weight(node.attribute[0].t, node.output[0] if node.output else "")
        for inner in iterate_inner_graphs(node):
            yield from _iterate_weights(inner)


def _describe_weight(tensor: onnx.TensorProto, name: str) -> GraphWeight:
    shape = tuple(tensor.dims)
    if min(shape, default=0) < 0 or math.prod(shape) > MAX_GRAPH_BYTES:
        shown = f"{sanitise_short_text(name)[:40]} [{', '.join(map(str, shape[:MAX_TENSOR_AXES]))}]"
        raise VoiceError(
            localize(f"グラフの重みの大きさが正しくありません: {shown}", f"A weight of this graph states an impossible size: {shown}"),
            describe_incomplete_download(),
        )
    return GraphWeight(name, _find_dtype_name(tensor.data_type), shape, math.prod(shape) * _count_bits(tensor.data_type) // 8)


def _describe_value(item: onnx.ValueInfoProto) -> GraphValue:
    if not item.type.HasField("tensor_type"):
        return GraphValue(item.name, item.type.WhichOneof("value") or "?", None)
    tensor = item.type.tensor_type
    sizes = (dim.dim_value if dim.HasField("dim_value") else dim.dim_param or "?" for dim in tensor.shape.dim)
    return GraphValue(item.name, _find_dtype_name(tensor.elem_type), tuple(sizes))


@dataclass(frozen=True, slots=True)
class GraphOperator:
    """One node, those inside loops and branches among them."""

    name: str
    domain: str  # empty for ONNX's own
    kind: str
    version: int  # since which opset it is as it is here; 1 for other domains, and for operators that ONNX does not know
    types: Mapping[str, str]  # of its tensors, by the name of the type in its definition (`T`), as far as they are known: `float`, `int64`
    reads: tuple[str, ...]  # reads, writes: names of values
    writes: tuple[str, ...]
    fixed: bool = False  # what it reads is known before the graph runs, so that it is computed when the graph opens, and placed nowhere
    body: tuple[str, ...] = ()  # the operators that it can be computed by where nothing has a kernel for it


def list_operators(graph: Path | bytes) -> list[GraphOperator]:
    """Return the operators in the order of the graph; raise VoiceError if it cannot be read."""
    model = load_graph(graph, with_external_weights=False)
    for item in model.graph.initializer:
        if len(item.raw_data) > MAX_SIZE_CONSTANT_BYTES:
            item.ClearField("raw_data")  # inference copies the model
    with suppress(onnx.shape_inference.InferenceError, ValueError):  # types stay as far as they are stated
        model = onnx.shape_inference.infer_shapes(model)
    opsets = {"" if item.domain in ONNX_DOMAINS else item.domain: item.version for item in model.opset_import}
    return list(_iterate_graph_operators(model.graph, opsets, ChainMap()))


def _iterate_graph_operators(graph: onnx.GraphProto, opsets: Mapping[str, int], outer: ChainMap[str, str]) -> Iterator[GraphOperator]:
    types: ChainMap[str, str] = ChainMap({}, *outer.maps)
    known = {item.name for item in graph.initializer}
    numbers = {item.name: item.data_type for item in graph.initializer}
    numbers |= {item.name: item.type.tensor_type.elem_type for item in (*graph.input, *graph.value_info, *graph.output)}
    types.update({name: find_type_name(number) if number else "" for name, number in numbers.items()})
    for number, node in enumerate(graph.node):
        fixed = all(value in known for value in node.input if value) and not node.op_type.startswith("Random")
        known.update(node.output if fixed else ())
        yield _describe_operator(node, number, opsets, types, fixed=fixed)
        for inner in iterate_inner_graphs(node):
            yield from _iterate_graph_operators(inner, opsets, types)


def _describe_operator(
    node: onnx.NodeProto, number: int, opsets: Mapping[str, int], types: Mapping[str, str], *, fixed: bool
) -> GraphOperator:
    domain = "" if node.domain in ONNX_DOMAINS else node.domain
    name, values = node.name or f"{node.op_type}_{number}", (tuple(filter(None, node.input)), tuple(filter(None, node.output)))
    try:
        schema = onnx.defs.get_schema(node.op_type, opsets.get(domain, 1), domain)
    except onnx.defs.SchemaError:
        return GraphOperator(name, domain, node.op_type, 1, {}, *values, fixed)
    named_types: dict[str, str] = {}
    for formal, actual in ((schema.inputs, node.input), (schema.outputs, node.output)):
        for index, value in enumerate(actual):
            parameter = formal[min(index, len(formal) - 1)]  # the last one may stand for many
            if types.get(value) and not parameter.type_str.startswith("tensor("):
                named_types[parameter.type_str] = types[value]
    body = tuple(item.op_type for item in schema.function_body.node)
    return GraphOperator(name, domain, node.op_type, schema.since_version, named_types, *values, fixed, body)


def find_type_name(data_type: int) -> str:
    """Return what onnx calls a type, such as `float`; empty where it knows none of this number, which a stranger may have written."""
    return TensorProto.DataType.Name(data_type).lower() if data_type in TensorProto.DataType.values() else ""


def _find_dtype_name(number: int) -> str:
    return "float32" if number == TensorProto.FLOAT else find_type_name(number) or "?"


def _count_bits(number: int) -> int:
    """Return the bits of one number; 8 for texts, whose length is not stated."""
    name = _find_dtype_name(number)
    if name.endswith("int4"):
        return 4
    try:
        return int(8 * helper.tensor_dtype_to_np_dtype(number).itemsize) if name != "string" else 8
    except (KeyError, ValueError, TypeError):
        return 8


def read_module_paths(graph: Path | bytes) -> ModulePaths:
    """Return the module path of each node (`enc_p/encoder/attn_layers.0`), empty if nothing states it; raise VoiceError if the graph cannot be read.

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
        paths[index] = next(filter(None, (paths[index], *(paths[source] for source in reversed(sources)))), "")
    for index in reversed(range(len(nodes))):
        paths[index] = next(filter(None, (paths[index], *(paths[reader] for reader in readers.get(index, ())))), "")
    return dict(zip(names, paths, strict=True))


def parse_module_path(name: str) -> str:
    """Return the path in a node's name: `/dec/ups.0/ConvTranspose` gives `dec/ups.0`, `flow.flows.6/Add_1` gives `flow/flows.6`; empty if the name has no path."""
    parts = SUBMODULE_DOT_PATTERN.sub(MODULE_SEPARATOR, name).split(MODULE_SEPARATOR)[:-1]
    return MODULE_SEPARATOR.join(part for part, before in zip(parts, ["", *parts], strict=False) if part not in ("", before))


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
