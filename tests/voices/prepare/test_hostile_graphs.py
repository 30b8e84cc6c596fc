"""Graphs that are damaged or made to do harm: cutting ends soon, in little memory, with a voice or with UnknownGraphError."""

import random
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.graph_walk import MAX_GRAPH_NODES, GraphLinks, UnknownGraphError
from app.voices.prepare.simplify.known_tensors import NotSimplifiedError
from app.voices.prepare.simplify.subgraph import SubgraphPort, SubgraphSpec, simplify_subgraph
from app.voices.prepare.simplify.symbolic_sizes import FREE_SIZE
from app.voices.prepare.source_graphs import expose_noise_inputs, find_baked_noise_scales

SIZES = [0, 1, -1, 2, 7, -5, 100, 10**6, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63)]
OPERATORS = ["Tile", "Expand", "Range", "ConstantOfShape", "Pad", "Loop", "If", "Einsum", "OneHot", "Resize", "Pow", "Conv", "Split", "Foo"]
CASES, QUICK_CASES = 4, 1  # of each kind: half a second each
LONGEST_S = 60.0  # of processor time; such a graph takes half a second
MOST_BYTES = 1 << 30


@pytest.fixture(scope="module")
def model(tiny_models: Path) -> onnx.ModelProto:
    """A JP-Extra voice."""
    path = tiny_models / "jp-extra-tiny-2spk" / "model.onnx"
    return onnx.load(str(path))


def _copy(model: onnx.ModelProto) -> onnx.ModelProto:
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


def _attribute(graph: onnx.GraphProto, rng: random.Random) -> None:
    node = rng.choice([item for item in graph.node if item.attribute])
    attribute = rng.choice(node.attribute)
    if attribute.ints:
        attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(SIZES)
    elif attribute.type == onnx.AttributeProto.INT:
        attribute.i = rng.choice(SIZES)
    else:
        node.attribute.remove(attribute)


def _number(graph: onnx.GraphProto, rng: random.Random) -> None:
    weight = rng.choice([item for item in graph.initializer if item.data_type == TensorProto.INT64 and item.raw_data])
    values = np.frombuffer(weight.raw_data, np.int64).copy()
    if values.size:
        values[rng.randrange(values.size)] = rng.choice(SIZES)
        weight.raw_data = values.tobytes()


def _shape(graph: onnx.GraphProto, rng: random.Random) -> None:
    rng.choice(graph.initializer).dims.append(rng.choice(SIZES))


def _wire(graph: onnx.GraphProto, rng: random.Random) -> None:
    node = rng.choice([item for item in graph.node if item.input])
    node.input[rng.randrange(len(node.input))] = rng.choice(graph.node).output[0]


def _operator(graph: onnx.GraphProto, rng: random.Random) -> None:
    rng.choice(graph.node).op_type = rng.choice(OPERATORS)


def _type(graph: onnx.GraphProto, rng: random.Random) -> None:
    rng.choice(graph.initializer).data_type = rng.randrange(24)


DAMAGES: list[Callable[[onnx.GraphProto, random.Random], None]] = [_attribute, _number, _shape, _wire, _operator, _type]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_graphs_are_cut_or_refused(
    model: onnx.ModelProto, damage: Callable[[onnx.GraphProto, random.Random], None], at_length: bool
) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(CASES if at_length else QUICK_CASES):
        rng, broken = random.Random(seed), _copy(model)
        for _ in range(rng.choice([1, 1, 2, 5])):
            damage(broken.graph, rng)
        started = time.process_time()
        try:
            cut_voice_graph(broken)
            expose_noise_inputs(broken)
            outcomes["cut"] += 1
        except UnknownGraphError:
            outcomes["refused"] += 1
        assert time.process_time() - started < LONGEST_S
    print(damage.__name__, dict(outcomes))
    assert outcomes["refused"] > 0


# --------------------------------------------------------------------------------------------- made to do harm


def _piece(nodes: list[onnx.NodeProto], weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    """Simplifies a graph x [size] → y; refused or small."""
    graph = helper.make_graph(
        nodes,
        "harm",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None])],
        initializer=[numpy_helper.from_array(values, name) for name, values in weights.items()],
    )
    source = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    return simplify_subgraph(
        source, SubgraphSpec("harm", "S", [SubgraphPort("x", "x", (FREE_SIZE,), (FREE_SIZE,))], [SubgraphPort("y", "y", (FREE_SIZE,))], {})
    )


def _sum(*names: str) -> list[onnx.NodeProto]:
    """Adds the total of the last named tensor to x."""
    return [
        helper.make_node("ReduceSum", [names[-1]], ["total"], keepdims=0),
        helper.make_node("Cast", ["total"], ["float_total"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["x", "float_total"], ["y"]),
    ]


HUGE = np.array([2**40], np.int64)
HARM: dict[str, tuple[list[onnx.NodeProto], dict[str, np.ndarray]]] = {
    "a constant of a trillion zeros": ([helper.make_node("ConstantOfShape", ["n"], ["big"])], {"n": HUGE}),
    "a range of a trillion": (
        [helper.make_node("Range", ["zero", "n", "one"], ["big"])],
        {"zero": np.array(0, np.int64), "n": np.array(2**40, np.int64), "one": np.array(1, np.int64)},
    ),
    "a number spread": ([helper.make_node("Expand", ["one", "n"], ["big"])], {"one": np.ones(1, np.float32), "n": HUGE}),
    "tiles": ([helper.make_node("Tile", ["one", "n"], ["big"])], {"one": np.ones(1, np.float32), "n": HUGE}),
    "an outer product": (
        [helper.make_node("Mul", ["row", "column"], ["big"])],
        {"row": np.ones((1, 1 << 18), np.float32), "column": np.ones((1 << 18, 1), np.float32)},
    ),
    "padding": ([helper.make_node("Pad", ["one", "pads"], ["big"])], {"one": np.ones(1, np.float32), "pads": np.array([0, 2**40])}),
    "many large constants": (
        [helper.make_node("Exp", ["big0" if not index else f"e{index - 1}"], [f"e{index}"]) for index in range(100)]
        + [helper.make_node("Identity", ["e99"], ["big"])],
        {"big0": np.zeros(1 << 22, np.float32)},
    ),
    "a size raised again and again": (
        [helper.make_node("Shape", ["x"], ["s0"])]
        + [helper.make_node("Mul", [f"s{index}", f"s{index}"], [f"s{index + 1}"]) for index in range(60)]
        + [helper.make_node("Identity", ["s60"], ["big"])],
        {},
    ),
}


@pytest.mark.parametrize("name", HARM)
def test_constants_do_not_fill_the_memory(name: str) -> None:
    nodes, weights = HARM[name]
    started = time.process_time()
    tracemalloc.start()
    try:
        small = _piece([*nodes, *_sum("big")], weights).ByteSize()
        print(name, "kept:", small)
        assert small < (32 << 20)
    except NotSimplifiedError as exc:
        print(name, "refused:", exc)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MOST_BYTES + (256 << 20)
    assert time.process_time() - started < LONGEST_S


def test_a_product_of_a_product_is_walked_once(model: onnx.ModelProto) -> None:
    """Sixty nodes x · x would be 2^60 ways."""
    broken = _copy(model)
    ceil = next(node for node in broken.graph.node if node.op_type == "Ceil")
    place = list(broken.graph.node).index(ceil)
    chain = [helper.make_node("Sigmoid", [ceil.input[0]], ["p0"])]
    chain += [helper.make_node("Mul", [f"p{index}", f"p{index}"], [f"p{index + 1}"]) for index in range(60)]
    ceil.input[0] = "p60"
    nodes = [*broken.graph.node[:place], *chain, *broken.graph.node[place:]]
    del broken.graph.node[:]
    broken.graph.node.extend(nodes)
    with pytest.raises(UnknownGraphError, match="exponential"):
        cut_voice_graph(broken)


def test_a_tensor_made_twice_is_refused() -> None:
    nodes = [helper.make_node("Exp", ["x"], ["a"]), helper.make_node("Exp", ["a"], ["b"]), helper.make_node("Identity", ["b"], ["a"])]
    with pytest.raises(UnknownGraphError, match="twice"):
        GraphLinks(nodes)


def test_a_graph_of_countless_nodes_is_refused() -> None:
    graph = onnx.GraphProto()
    for _ in range(MAX_GRAPH_NODES + 1):
        graph.node.add(op_type="Identity")
    with pytest.raises(UnknownGraphError, match="nodes"):
        GraphLinks(graph.node)


# ------------------------------------------------------------------------------------------------------- noise


@pytest.mark.parametrize(
    ("name", "scales"),
    [
        ("jp-extra-tiny-2spk", {}),
        ("variant-no-noise-inputs", {"noise_scale": 0.677, "noise_scale_w": 0.8}),
        ("variant-int32-rank1-single", {}),
    ],
)
def test_baked_scales_are_read(tiny_models: Path, name: str, scales: dict[str, float]) -> None:
    path = tiny_models / name / "model.onnx"
    assert find_baked_noise_scales(onnx.load(str(path))) == pytest.approx(scales)
