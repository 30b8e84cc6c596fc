"""Inputs of a chosen size for any graph, and the operations of a run with them: what is counted and timed depends on sizes, not on numbers."""

import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.profiled_session import OperatorRun, measure_operator_runs
from app.bench.multiply_adds import count_multiply_adds, find_operator_kind
from app.common.errors import VoiceError
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.core.sound.ports import STEPS_PER_FRAME
from app.voices.prepare.graph_facts import GraphFacts, GraphValue, parse_node_number, rename_nodes_by_number
from app.voices.untrusted.voice_limits import MAX_TENSOR_AXES

INPUT_DTYPES = {"float32": np.float32, "float16": np.float16, "double": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_}
SINGLE_VALUE_INPUTS = ("x_tst_lengths", "sid")
# A melody in Hz has a logarithm, and is not below what a voice speaks.
INPUT_NUMBERS = {"length_scale": 1.0, "sdp_ratio": 0.2, "noise_scale": 0.0, "noise_scale_w": 0.0, "f0": 200.0, "melody_intonation": 1.0}
MAX_INPUT_NUMBERS = 1 << 28  # of one input: a minute of sound has 3 million, features of a long text 1 million
MAX_SHOWN_SHAPE = 100
KNOWN_PHONE_IDS = range(1, 60)  # ids that every voice knows


@dataclass(frozen=True, slots=True)
class InputSizes:
    """Sizes of a graph's inputs: symbols with blanks, frames of sound, tokens, samples of a frame; a scale stretches durations of one graph."""

    symbols: int = 61
    frames: int = 256
    tokens: int = 20
    hop: int = 1
    length_scale: float = 1.0


def build_inputs(inputs: Sequence[GraphValue], sizes: InputSizes, *, is_prepared: bool) -> dict[str, np.ndarray]:
    """Return an array for every input that is a tensor of a type that graphs of voices have.

    The first of several axes is a batch of one, others that are open are the length.

    Args:
        is_prepared: the graph is one that we prepared, whose open sizes have names that we know.

    Raises:
        VoiceError: an input states sizes that no array has, or more numbers than a graph is ever given.
    """
    length = sizes.tokens if any(item.name == "input_ids" for item in inputs) else sizes.symbols
    named_sizes = {"T": sizes.symbols, "F": sizes.frames, "W": sizes.frames, "N": sizes.frames * sizes.hop, "n": sizes.tokens}
    named_sizes = named_sizes | {"steps": sizes.frames * STEPS_PER_FRAME} if is_prepared else {}
    return {
        item.name: _build_array(item, length, named_sizes, sizes)
        for item in inputs
        if item.shape is not None and item.dtype in INPUT_DTYPES
    }


def _build_array(item: GraphValue, length: int, named_sizes: Mapping[str, int], sizes: InputSizes) -> np.ndarray:
    axes = item.shape or ()

    def resolve_size(axis: int, size: int | str) -> int:
        if isinstance(size, int):
            return size
        if size in named_sizes:
            return named_sizes[size]
        return 1 if "batch" in size or item.name in SINGLE_VALUE_INPUTS or (axis == 0 and len(axes) > 1) else length

    shape = tuple(resolve_size(axis, size) for axis, size in enumerate(axes))
    # NumPy refuses [0, 1 << 62] as well, although it has no number.
    numbers = math.prod(size for size in shape if size)
    if len(shape) > MAX_TENSOR_AXES or min(shape, default=0) < 0 or numbers > MAX_INPUT_NUMBERS:
        raise _create_size_error(item.name, shape)
    return np.asarray(_fill_numbers(item.name, shape, sizes)).astype(INPUT_DTYPES[item.dtype]).reshape(shape)


def _create_size_error(name: str, shape: tuple[int, ...]) -> VoiceError:
    sizes = ", ".join(map(str, shape))
    return VoiceError(
        localize(
            f"入力「{sanitise_short_text(name)}」の大きさ [{sizes[:MAX_SHOWN_SHAPE]}] では計算できません。",
            f"Nothing can be computed with the size [{sizes[:MAX_SHOWN_SHAPE]}] that the input “{sanitise_short_text(name)}” states.",
        ),
        localize(
            f"{MAX_TENSOR_AXES} 次元以内、要素 {MAX_INPUT_NUMBERS:,} 個以内のグラフを選んでください。",
            f"Choose a graph whose inputs have up to {MAX_TENSOR_AXES} axes and {MAX_INPUT_NUMBERS:,} numbers.",
        ),
    )


def _fill_numbers(name: str, shape: tuple[int, ...], sizes: InputSizes) -> np.ndarray:
    rng = np.random.default_rng(0)
    ends = {"x_tst_lengths": sizes.symbols, "first": 0, "last": sizes.frames}
    if name in ends:
        return np.full(shape, ends[name])
    if name in INPUT_NUMBERS:
        return np.full(shape, sizes.length_scale if name == "length_scale" else INPUT_NUMBERS[name])
    if name == "x_tst":
        return rng.integers(KNOWN_PHONE_IDS.start, KNOWN_PHONE_IDS.stop, shape)
    if "mask" in name:
        return np.ones(shape)
    if "ids" in name or name in ("sid", "tones", "language") or not shape:
        return np.zeros(shape)
    return 0.1 * rng.standard_normal(shape, dtype=np.float32)


MAX_LENGTH_SCALE = 64.0


@dataclass(frozen=True, slots=True)
class OperationCounts:
    """The operations counted in a run."""

    kinds: dict[str, int]  # multiply-adds by kind of operator
    by_node: dict[int, int]  # multiply-adds by index of the node; of nodes that ONNX Runtime added, -1
    operators: dict[str, int]  # multiply-adds by operator
    values: dict[str, np.ndarray]  # what it was given
    frames: int | None  # of sound that came out, of a voice in one graph; else None

    @property
    def macs(self) -> int:
        """Return the multiply-adds of floats and of bytes."""
        return sum(self.kinds.values())

    @property
    def int8_macs(self) -> int:
        """Return the multiply-adds of bytes."""
        return sum(count for kind, count in self.kinds.items() if kind.endswith("int8"))


def count_operations(model: Any, facts: GraphFacts, folder: Path, sizes: InputSizes, form: str, name: str) -> OperationCounts:
    """Run a graph and count its operations.

    Args:
        model: its protobuf, weights outside not read; its nodes lose their names.
        folder: where weights outside are.
        form, name: of the graph. Sizes that a prepared one leaves open are ours by name; the durations of a source in one graph are
            stretched until `sizes.frames` are nearly met.
    """
    content = rename_nodes_by_number(model)
    maker = next((index for index, step in enumerate(facts.steps) if facts.outputs and facts.outputs[0].name in step.outputs), -1)
    ours = form == "prepared"
    values = build_inputs(facts.inputs, sizes, is_prepared=ours)
    (nodes,) = measure_operator_runs(content, [values], weights=folder)
    constants = {index for index, step in enumerate(facts.steps) if step.is_constant}
    if name != "whole":
        return _sum_operations(nodes, constants, values, None)
    frames = _count_frames(nodes, maker, sizes.hop)
    if frames and "length_scale" in values and frames != sizes.frames:
        stretched = replace(sizes, length_scale=min(sizes.frames / frames, MAX_LENGTH_SCALE))
        values = build_inputs(facts.inputs, stretched, is_prepared=ours)
        (nodes,) = measure_operator_runs(content, [values], weights=folder)
        frames = _count_frames(nodes, maker, sizes.hop)
    return _sum_operations(nodes, constants, values, frames)


def _sum_operations(
    nodes: Sequence[OperatorRun], constants: Container[int | None], values: dict[str, np.ndarray], frames: int | None
) -> OperationCounts:
    """Sum what is computed in each run: not the products of weights, which are computed once."""
    kinds: Counter[str] = Counter()
    by_node: Counter[int] = Counter()
    operators: Counter[str] = Counter()
    for node in nodes:
        kind, index = find_operator_kind(node.operator), parse_node_number(node.name)
        if kind is not None and index not in constants:
            work = count_multiply_adds(node)
            for counts, key in ((kinds, kind), (by_node, -1 if index is None else index), (operators, node.operator)):
                counts[key] += work.floats + work.bytes  # type: ignore[index]
    return OperationCounts(dict(kinds), dict(by_node), dict(operators), values, frames)


def _count_frames(nodes: Sequence[OperatorRun], maker: int, hop: int) -> int:
    shapes = [node.outputs[0] for node in nodes if parse_node_number(node.name) == maker and node.outputs]
    return math.prod(shapes[-1]) // hop if shapes else 0
