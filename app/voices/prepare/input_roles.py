"""Finds the role of each input of an SBV2 graph, whatever its name, by the operations that the graph applies to it.

    x_tst, tones, language    look up a row of a table (of 112, 12 and 3 rows), and the rows are added up
    sid                       looks up a row of a table, which goes into layers of its own
    x_tst_lengths             is compared with positions
    bert, style_vec           go into a layer of 1024 and of 256 inputs
    noise_scale(_w)           is multiplied with noise that is drawn after (before) the durations are known
    length_scale              is multiplied with the durations before they are rounded up
    sdp_ratio                 is multiplied with one value, and 1 - sdp_ratio with another

Names count where the graph does something else with an input, and distinguish the languages of features.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from app.core.symbols import SYMBOLS
from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH
from app.voices.prepare.graph_walk import GraphLinks
from app.voices.untrusted.onnx_nodes import UNKNOWN_SIZE, OnnxNode, OnnxNodeGraph, OnnxValue

InputForm = Literal["as it is", "rows", "inverse"]
"""How an input differs from the usual one: not at all, its last two axes change places, or it is one divided by it."""

ROLE_BY_TABLE_ROWS = {len(SYMBOLS): "x_tst", 12: "tones", 3: "language"}
ROLE_BY_WIDTH = {BERT_WIDTH: "bert", STYLE_WIDTH: "style_vec"}
INTEGER_TYPES, FLOAT_TYPES = {5, 6, 7, 12, 13}, {0, 1, 10, 11, 16}  # types of ONNX; 0 where none is stated
ROLE_PRESERVING_OPS = {
    "Identity", "Cast", "CastLike", "Dropout", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Transpose", "Expand",
    "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear",
}  # fmt: skip
COMPARISON_OPS = {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}
CONVOLUTION_OPS, PRODUCT_OPS = {"Conv", "ConvInteger", "FusedConv"}, {"MatMul", "MatMulInteger", "FusedMatMul"}
UPSAMPLING_OP = "ConvTranspose"
# Voices have up to 13, 7 and 2; each of them takes a walk through the graph.
MAX_GRAPH_INPUTS, MAX_GRAPH_OUTPUTS, MAX_ROUNDINGS = 32, 32, 64
MAX_CONSTANT_CHAIN = 8  # operators between stored numbers and what they are used for

InputKind = Literal["index", "vector", "number"]

INPUT_SPELLINGS: dict[InputKind, dict[str, tuple[str, ...]]] = {
    "index": {
        "x_tst": ("x", "phone", "phoneme", "symbol", "text", "input"),
        "x_tst_lengths": ("x_tst_length", "x_length", "length", "phone_length", "phoneme_length", "text_length", "input_length"),
        "sid": ("speaker", "spk", "speaker_id", "spk_id"),
        "tones": ("tone",),
        "language": ("lang", "lid", "language_id", "lang_id"),
    },
    "vector": {
        "style_vec": ("style", "style_vector", "style_emb", "style_embedding"),
        "bert": ("bert_feature", "bert_emb", "bert_embedding", "bert_vec"),
    },
    "number": {
        "length_scale": ("length", "length_ratio", "duration_scale"),
        "sdp_ratio": ("sdp", "ratio", "sdp_mix"),
        "noise_scale": ("noise", "noise_level"),
        "noise_scale_w": ("noise_w", "noise_scale_dur", "noise_scale_duration", "noise_width", "sdp_noise_scale"),
    },
}
PUBLIC_INPUT_NAMES = frozenset(("ja_bert", "en_bert", *(usual for table in INPUT_SPELLINGS.values() for usual in table)))
LANGUAGE_SPELLINGS = {"ja_bert": {"ja", "jp", "jpn", "japanese"}, "en_bert": {"en", "eng", "english"}}


@dataclass(frozen=True, slots=True)
class AssignedInput:
    """An input of a graph, by its own name, that stands for a usual one."""

    name: str
    form: InputForm = "as it is"


@dataclass(slots=True)
class InputRoles:
    """The roles that were found for the inputs of a graph."""

    assigned: dict[str, AssignedInput] = field(default_factory=dict)  # inputs by their usual name
    unread: list[str] = field(default_factory=list)  # inputs that no node reads
    unclear: list[str] = field(default_factory=list)  # inputs whose purpose is not known, or that are two for one purpose
    audio: str | None = None  # the output that carries the sound; None where the graph has no decoder
    speakers: int | None = None  # rows of the table of speakers; None where there is none

    @property
    def reads_text(self) -> bool:
        """Return whether the graph takes symbols, tones and features, as every Bert-VITS2 voice does."""
        return {"x_tst", "tones"} <= self.assigned.keys() and not self.assigned.keys().isdisjoint(("bert", "ja_bert"))

    @property
    def is_voice(self) -> bool:
        """Return whether the graph takes the inputs of an SBV2 voice."""
        return self.reads_text and "style_vec" in self.assigned


def guess_role_by_name(name: str, kind: InputKind) -> str:
    """Return the usual name of an input of this kind, guessed by its own name; empty if the name says nothing."""
    words = _split_name(name)
    plain = "_".join(word for word in words if word not in ("ids", "id", "seq", "tensor"))
    spelled = {"_".join(words), plain, *(text.removesuffix("s") for text in ("_".join(words), plain))}
    return next((usual for usual, others in INPUT_SPELLINGS[kind].items() if spelled & {usual, *others}), "")


def guess_feature_input(name: str) -> str:
    """Return `bert`, or `ja_bert` or `en_bert` if the name of the graph's input says so."""
    words = set(_split_name(name))
    return next((usual for usual, languages in LANGUAGE_SPELLINGS.items() if words & languages), "bert")


def _split_name(name: str) -> list[str]:
    """Split a name into lower-case words: `Style-Vec:0` and `styleVec` give style, vec."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.partition(":")[0])
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def find_input_roles(graph: OnnxNodeGraph) -> InputRoles:
    """Return the roles of a graph's inputs; raise UnknownGraphError if nodes are out of order or far too many."""
    roles = InputRoles()
    if len(graph.input) > MAX_GRAPH_INPUTS:
        return roles
    finder = _InputRoleFinder(graph)
    for value in graph.input:
        if not finder.links.readers[value.name]:
            roles.unread.append(value.name)
            continue
        usual, form = finder.find_role(value)
        if not usual or usual in roles.assigned:
            roles.unclear += [value.name] + ([roles.assigned[usual].name] if usual else [])
        else:
            roles.assigned[usual] = AssignedInput(value.name, form)
    roles.audio, roles.speakers = finder.find_audio_output(), finder.speakers
    return roles


class _InputRoleFinder:
    """One graph that is looked through; `speakers` are rows of the table of speakers, once its input was met."""

    def __init__(self, graph: OnnxNodeGraph) -> None:
        self.graph, self.links = graph, GraphLinks(graph.node)
        self.speakers: int | None = None

    def find_role(self, value: OnnxValue) -> tuple[str, InputForm]:
        """Return the usual name of an input, empty if it is not clear, and the form in which the graph takes it."""
        if value.dtype in INTEGER_TYPES:
            return self._find_integer_role(value), "as it is"
        if value.dtype not in FLOAT_TYPES:
            return "", "as it is"
        width = self._find_layer_width(value)
        if width:
            by_row = width == BERT_WIDTH and value.shape is not None and value.shape[-1:] == (width,) and value.shape[-2:-1] != (width,)
            return self._find_feature_role(value) if width == BERT_WIDTH else "style_vec", "rows" if by_row else "as it is"
        sizes = value.shape or ()
        may_be_scalar = len(sizes) <= 2 and {*sizes} <= {UNKNOWN_SIZE, 1} and sizes.count(UNKNOWN_SIZE) <= 1
        return self._find_scalar_role(value) if may_be_scalar else (guess_role_by_name(value.name, "vector"), "as it is")

    def find_audio_output(self) -> str | None:
        """Return the output that most of the graph leads to, among the outputs behind an upsampling."""
        ups = {node.output[0] for node in self.links.nodes if node.op_type == UPSAMPLING_OP and node.output}
        made = [item.name for item in self.graph.output[:MAX_GRAPH_OUTPUTS] if item.name in self.links.maker]
        above = {name: self.links.collect_upstream(self.links.maker[name]) for name in made}
        sizes = {name: len(names) for name, names in above.items() if not ups.isdisjoint(names)}
        return max(sizes, key=sizes.__getitem__, default=None)

    def _iterate_uses(self, name: str) -> Iterator[tuple[OnnxNode, int]]:
        waiting, seen = [name], {name}
        while waiting:
            current = waiting.pop()
            for node in self.links.readers[current]:
                if node.op_type in ROLE_PRESERVING_OPS and node.input[0] == current and node.output:
                    waiting += {node.output[0]} - seen
                    seen.add(node.output[0])
                else:
                    yield node, node.input.index(current)

    def _find_constant_sizes(self, name: str) -> tuple[int, ...] | None:
        turned = False
        for _ in range(MAX_CONSTANT_CHAIN):
            sizes, node = self.graph.constants.get(name), self.links.maker.get(name)
            if sizes is not None:
                return sizes[::-1] if turned else sizes
            if node is None or node.op_type not in ROLE_PRESERVING_OPS or not node.input:
                break
            turned ^= node.op_type == "Transpose"
            name = node.input[0]
        return None

    def _find_integer_role(self, value: OnnxValue) -> str:
        uses = list(self._iterate_uses(value.name))
        roles = {self._find_table_role(node) for node, place in uses if node.op_type == "Gather" and place == 1} - {None}
        if roles:
            return (roles.pop() if len(roles) == 1 else "") or ""
        if any(node.op_type in COMPARISON_OPS for node, _ in uses):
            return "x_tst_lengths"
        return guess_role_by_name(value.name, "index")

    def _find_table_role(self, gather: OnnxNode) -> str | None:
        """Return the role of an input that looks up rows in a table, empty for a table that no voice has; None without a table."""
        table = self._find_constant_sizes(gather.input[0])
        if table is None or len(table) != 2 or gather.numbers.get("axis", 0) or not gather.output:
            return None
        if any(node.op_type in ("Add", "Sum") for node, _ in self._iterate_uses(gather.output[0])):
            return ROLE_BY_TABLE_ROWS.get(table[0], "")
        self.speakers = table[0]
        return "sid"

    def _find_layer_width(self, value: OnnxValue) -> int:
        """Return the input width of the layer that a tensor goes into, if it is one of WIDTHS; else 0."""
        layers = {self._count_layer_inputs(node, place) for node, place in self._iterate_uses(value.name)}
        widths = layers & ROLE_BY_WIDTH.keys() or ROLE_BY_WIDTH.keys() & (value.shape or ())
        return widths.pop() if len(widths) == 1 else 0

    def _count_layer_inputs(self, node: OnnxNode, input_index: int) -> int:
        if node.op_type not in CONVOLUTION_OPS | PRODUCT_OPS | {"Gemm"} or input_index > 1 or len(node.input) < 2:
            return 0
        weight = self._find_constant_sizes(node.input[1 - input_index])
        if weight is None or len(weight) < 2:
            return 0
        if node.op_type in CONVOLUTION_OPS or (node.op_type == "Gemm" and node.numbers.get("transB")):
            return weight[1]
        return weight[0] if node.op_type == "Gemm" else weight[-2 if input_index == 0 else -1]

    def _find_feature_role(self, value: OnnxValue) -> str:
        """Return `bert`, or for a multilingual voice the input of a language: as the layer is called, else as the input is."""
        layers = [node for node, place in self._iterate_uses(value.name) if self._count_layer_inputs(node, place)]
        names = [name for node in layers for name in (node.name, *node.input[1:2])]
        several = sum(self._find_layer_width(item) == BERT_WIDTH for item in self.graph.input if item.dtype in FLOAT_TYPES) > 1
        own = guess_feature_input(value.name) if several else "bert"
        return next((f"{match[1]}_bert" for name in names if (match := re.search(r"(ja|en)_bert", name))), own)

    def _find_scalar_role(self, value: OnnxValue) -> tuple[str, InputForm]:
        factors, ends, first = self._trace_products(value.name)
        noise = {name for node in factors if node.op_type.startswith("RandomNormal") for name in node.output}
        if noise:
            return ("noise_scale" if noise & self._tensors_after_durations else "noise_scale_w"), "as it is"
        if any(node in self._rounding_nodes for node, _ in ends):
            return "length_scale", "inverse" if first == ("Div", 1) else "as it is"
        if any(node.op_type == "Sub" and place == 1 for node, place in ends) or any(node.op_type == "Sub" for node in factors):
            return "sdp_ratio", "as it is"
        return guess_role_by_name(value.name, "number"), "as it is"

    def _trace_products(self, name: str) -> tuple[list[OnnxNode], list[tuple[OnnxNode, int]], tuple[str, int]]:
        """Return the factors of a number, the readers of the products, and the first operator with the place of the number in it."""
        others, ends, first = list[str](), [], ("", 0)
        waiting, seen = [name], {name}
        while waiting:
            for node, place in self._iterate_uses(waiting.pop()):
                first = first if first[0] else (node.op_type, place)
                if node.op_type not in ("Mul", "Div") or len(node.input) != 2 or not node.output:
                    ends.append((node, place))
                elif node.output[0] not in seen:
                    seen.add(node.output[0])
                    waiting.append(node.output[0])
                    others.append(node.input[1 - place])
        return self._find_factor_nodes(others), ends, first

    def _find_factor_nodes(self, names: Iterable[str]) -> list[OnnxNode]:
        factors, waiting = [], list(names)
        seen = set(waiting)
        while waiting:
            node = self.links.maker.get(waiting.pop())
            if node is None:
                continue
            above = node.input if node.op_type in ("Mul", "Div") else node.input[:1] if node.op_type in ROLE_PRESERVING_OPS else ()
            if not above:
                factors.append(node)
            waiting += {*above} - seen
            seen.update(above)
        return factors

    @cached_property
    def _rounding_nodes(self) -> list[OnnxNode]:
        """Return the nodes that make durations whole numbers: an exponential is rounded up."""
        ceils = [node for node in self.links.nodes if node.op_type == "Ceil" and node.input][:MAX_ROUNDINGS]
        return [node for node in ceils if any(factor.op_type == "Exp" for factor in self._find_factor_nodes(node.input))]

    @cached_property
    def _tensors_after_durations(self) -> set[str]:
        return {name for node in self._rounding_nodes for name in self.links.collect_downstream(node)}
