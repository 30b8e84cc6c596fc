"""What each input of an SBV2 graph is for, whatever an exporter called it: the graph itself shows it by what it does with it.

    x_tst, tones, language    look up a row of a table (of 112, 12 and 3 rows), and the rows are added up
    sid                       looks up a row of a table, which goes into layers of its own
    x_tst_lengths             is compared with positions
    bert, style_vec           go into a layer of 1024 and of 256 inputs
    noise_scale(_w)           is multiplied with noise that is drawn after (before) the durations are known
    length_scale              is multiplied with the durations before they are rounded up
    sdp_ratio                 is multiplied with one value, and 1 - sdp_ratio with another

Names count where the graph does something else with an input, and distinguish the languages of features.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from app.core.symbols import SYMBOLS
from app.core.types import BERT_WIDTH, STYLE_WIDTH
from app.voices.prepare.input_spellings import feature_language, spelled_role
from app.voices.prepare.links import Links
from app.voices.untrusted.onnx_nodes import FREE, OnnxNode, OnnxNodes, OnnxValue

Form = Literal["as it is", "rows", "inverse"]
"""How an input differs from the usual one: not at all, its last two axes change places, or it is one divided by it."""

TABLES = {len(SYMBOLS): "x_tst", 12: "tones", 3: "language"}
WIDTHS = {BERT_WIDTH: "bert", STYLE_WIDTH: "style_vec"}
WHOLE_NUMBERS, NUMBERS = {5, 6, 7, 12, 13}, {0, 1, 10, 11, 16}  # types of ONNX; 0 where none is stated
PASSING = {
    "Identity", "Cast", "CastLike", "Dropout", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Transpose", "Expand",
    "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear",
}  # fmt: skip
COMPARISONS = {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}
CONVOLUTIONS, PRODUCTS = {"Conv", "ConvInteger", "FusedConv"}, {"MatMul", "MatMulInteger", "FusedMatMul"}
UPSAMPLING = "ConvTranspose"
MOST_INPUTS, MOST_OUTPUTS, MOST_ROUNDINGS = 32, 32, 64  # voices have up to 13, 7 and 2; each of them takes a walk through the graph
LONGEST_CONSTANT = 8  # operators between stored numbers and what they are used for


@dataclass(frozen=True, slots=True)
class TakenInput:
    """An input of a graph that stands for a usual one.

    Attributes:
        name: what the graph calls it.
    """

    name: str
    form: Form = "as it is"


@dataclass(slots=True)
class InputRoles:
    """What was found.

    Attributes:
        taken: inputs by their usual name.
        unread: inputs that no node reads.
        unclear: inputs whose purpose is not known, or that are two for one purpose.
        audio: the output that carries the sound; None where the graph has no decoder.
        speakers: rows of the table of speakers; None where there is none.
    """

    taken: dict[str, TakenInput] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    audio: str | None = None
    speakers: int | None = None

    @property
    def reads_text(self) -> bool:
        """It takes symbols, tones and features, as all of Bert-VITS2 does."""
        return {"x_tst", "tones"} <= self.taken.keys() and not self.taken.keys().isdisjoint(("bert", "ja_bert"))

    @property
    def voice(self) -> bool:
        """It takes what an SBV2 voice takes."""
        return self.reads_text and "style_vec" in self.taken


def find_roles(graph: OnnxNodes) -> InputRoles:
    """The roles of a graph's inputs; UnknownGraphError for nodes out of order, and for far too many."""
    roles = InputRoles()
    if len(graph.input) > MOST_INPUTS:
        return roles
    finder = _Finder(graph)
    for value in graph.input:
        if not finder.links.readers[value.name]:
            roles.unread.append(value.name)
            continue
        usual, form = finder.role_of(value)
        if not usual or usual in roles.taken:
            roles.unclear += [value.name] + ([roles.taken[usual].name] if usual else [])
        else:
            roles.taken[usual] = TakenInput(value.name, form)
    roles.audio, roles.speakers = finder.audio(), finder.speakers
    return roles


class _Finder:
    """One graph that is looked through.

    Attributes:
        speakers: rows of the table of speakers, once its input was met.
    """

    def __init__(self, graph: OnnxNodes) -> None:
        self.graph, self.links = graph, Links(graph.node)
        self.speakers: int | None = None

    def role_of(self, value: OnnxValue) -> tuple[str, Form]:
        """The usual name of an input, empty where it is not clear, and how it differs."""
        if value.dtype in WHOLE_NUMBERS:
            return self._index(value), "as it is"
        if value.dtype not in NUMBERS:
            return "", "as it is"
        width = self._width(value)
        if width:
            by_row = width == BERT_WIDTH and value.shape is not None and value.shape[-1:] == (width,) and value.shape[-2:-1] != (width,)
            return self._features(value) if width == BERT_WIDTH else "style_vec", "rows" if by_row else "as it is"
        return self._number(value) if _is_number(value) else (spelled_role(value.name, "vector"), "as it is")

    def audio(self) -> str | None:
        """The output above which most of the graph lies, of those behind an upsampling."""
        ups = {node.output[0] for node in self.links.nodes if node.op_type == UPSAMPLING and node.output}
        made = [item.name for item in self.graph.output[:MOST_OUTPUTS] if item.name in self.links.maker]
        above = {name: self.links.before(self.links.maker[name]) for name in made}
        found = {name: len(names) for name, names in above.items() if not ups.isdisjoint(names)}
        return max(found, key=found.__getitem__, default=None)

    def _uses(self, name: str) -> Iterator[tuple[OnnxNode, int]]:
        """The nodes that compute with a tensor, and where it is among their inputs."""
        waiting, seen = [name], {name}
        while waiting:
            current = waiting.pop()
            for node in self.links.readers[current]:
                if node.op_type in PASSING and node.input[0] == current and node.output:
                    waiting += {node.output[0]} - seen
                    seen.add(node.output[0])
                else:
                    yield node, node.input.index(current)

    def _constant(self, name: str) -> tuple[int, ...] | None:
        """Sizes of a tensor that is a constant; None for others."""
        turned = False
        for _ in range(LONGEST_CONSTANT):
            sizes, node = self.graph.constants.get(name), self.links.maker.get(name)
            if sizes is not None:
                return sizes[::-1] if turned else sizes
            if node is None or node.op_type not in PASSING or not node.input:
                break
            turned ^= node.op_type == "Transpose"
            name = node.input[0]
        return None

    def _index(self, value: OnnxValue) -> str:
        uses = list(self._uses(value.name))
        found = {self._looked_up(node) for node, place in uses if node.op_type == "Gather" and place == 1} - {None}
        if found:
            return (found.pop() if len(found) == 1 else "") or ""
        if any(node.op_type in COMPARISONS for node, _ in uses):
            return "x_tst_lengths"
        return spelled_role(value.name, "index")

    def _looked_up(self, gather: OnnxNode) -> str | None:
        """What looks up rows in a table, empty for a table that no voice has; None where there is no table."""
        table = self._constant(gather.input[0])
        if table is None or len(table) != 2 or gather.numbers.get("axis", 0) or not gather.output:
            return None
        if any(node.op_type in ("Add", "Sum") for node, _ in self._uses(gather.output[0])):
            return TABLES.get(table[0], "")
        self.speakers = table[0]
        return "sid"

    def _width(self, value: OnnxValue) -> int:
        """Inputs of the layer that a tensor goes into, one of WIDTHS; 0 for another one."""
        layers = {self._layer_inputs(node, place) for node, place in self._uses(value.name)}
        widths = layers & WIDTHS.keys() or WIDTHS.keys() & (value.shape or ())
        return widths.pop() if len(widths) == 1 else 0

    def _layer_inputs(self, node: OnnxNode, place: int) -> int:
        if node.op_type not in CONVOLUTIONS | PRODUCTS | {"Gemm"} or place > 1 or len(node.input) < 2:
            return 0
        weight = self._constant(node.input[1 - place])
        if weight is None or len(weight) < 2:
            return 0
        if node.op_type in CONVOLUTIONS or (node.op_type == "Gemm" and node.numbers.get("transB")):
            return weight[1]
        return weight[0] if node.op_type == "Gemm" else weight[-2 if place == 0 else -1]

    def _features(self, value: OnnxValue) -> str:
        """`bert`, or in a multilingual voice that of a language: as the layer is called, else as the input is."""
        layers = [node for node, place in self._uses(value.name) if self._layer_inputs(node, place)]
        names = [name for node in layers for name in (node.name, *node.input[1:2])]
        several = sum(self._width(item) == BERT_WIDTH for item in self.graph.input if item.dtype in NUMBERS) > 1
        own = feature_language(value.name) if several else "bert"
        return next((f"{match[1]}_bert" for name in names if (match := re.search(r"(ja|en)_bert", name))), own)

    def _number(self, value: OnnxValue) -> tuple[str, Form]:
        factors, ends, first = self._product(value.name)
        noise = {name for node in factors if node.op_type.startswith("RandomNormal") for name in node.output}
        if noise:
            return ("noise_scale" if noise & self._after_durations else "noise_scale_w"), "as it is"
        if any(node in self._roundings for node, _ in ends):
            return "length_scale", "inverse" if first == ("Div", 1) else "as it is"
        if any(node.op_type == "Sub" and place == 1 for node, place in ends) or any(node.op_type == "Sub" for node in factors):
            return "sdp_ratio", "as it is"
        return spelled_role(value.name, "number"), "as it is"

    def _product(self, name: str) -> tuple[list[OnnxNode], list[tuple[OnnxNode, int]], tuple[str, int]]:
        """What a number is multiplied with, what reads the products, and the first operator with the place of the number in it."""
        others, ends, first = list[str](), [], ("", 0)
        waiting, seen = [name], {name}
        while waiting:
            for node, place in self._uses(waiting.pop()):
                first = first if first[0] else (node.op_type, place)
                if node.op_type not in ("Mul", "Div") or len(node.input) != 2 or not node.output:
                    ends.append((node, place))
                elif node.output[0] not in seen:
                    seen.add(node.output[0])
                    waiting.append(node.output[0])
                    others.append(node.input[1 - place])
        return self._factors(others), ends, first

    def _factors(self, names: Iterable[str]) -> list[OnnxNode]:
        """The nodes that make the factors of products."""
        found, waiting = [], list(names)
        seen = set(waiting)
        while waiting:
            node = self.links.maker.get(waiting.pop())
            if node is None:
                continue
            above = node.input if node.op_type in ("Mul", "Div") else node.input[:1] if node.op_type in PASSING else ()
            if not above:
                found.append(node)
            waiting += {*above} - seen
            seen.update(above)
        return found

    @cached_property
    def _roundings(self) -> list[OnnxNode]:
        """Where durations become whole numbers: an exponential is rounded up."""
        ceils = [node for node in self.links.nodes if node.op_type == "Ceil" and node.input][:MOST_ROUNDINGS]
        return [node for node in ceils if any(factor.op_type == "Exp" for factor in self._factors(node.input))]

    @cached_property
    def _after_durations(self) -> set[str]:
        return {name for node in self._roundings for name in self.links.after(node)}


def _is_number(value: OnnxValue) -> bool:
    """Whether an input may be a single number."""
    return value.shape is None or (
        len(value.shape) <= 2 and all(size in (FREE, 1) for size in value.shape) and value.shape.count(FREE) <= 1
    )
