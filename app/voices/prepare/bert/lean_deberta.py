"""The lean DeBERTa: what an exported graph computes, for one text at a time and without padding.

Compared with an exported graph: positions are projected once, here, instead of with every text; only the 2n−1 distances that n
tokens have are looked at; scores by distance become scores by token through a slice of the flat matrix instead of a gather; queries,
keys and values are one product; the scale of the scores is part of the weights; the mask, which is all ones, is gone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from app.common.progress import Report
from app.core.synthesis_types import Float16, Float32, Int64
from app.voices.prepare.bert.deberta_weights import DebertaWeights
from app.voices.prepare.bert.int8_products import add_column_product
from app.voices.prepare.graph_writer import ExternalGraphWriter

MAX_TOKENS = 512  # tokens that a text may have; the models were trained with no more

WEIGHT_SUFFIX = ".weight"

UINT8_ZERO_POINT = 128  # of a byte: the number that means 0
MICROSOFT_DOMAIN = "com.microsoft"
ABSENT_INPUT = ""  # an input that ONNX lets be left out


def build_bucket_table(rows: int) -> Int64:
    """Return the bucket of every distance from −511 to 511 as a row of the position embeddings, twice the number of buckets: int64 (1023,)."""
    distance = np.arange(1 - MAX_TOKENS, MAX_TOKENS)
    span, middle = rows // 2, rows // 4
    steps = np.where(np.abs(distance) < middle, middle - 1, np.abs(distance)).astype(np.float32)
    scale = np.log(np.float32((MAX_TOKENS - 1) / middle))
    far = np.ceil(np.log(steps / np.float32(middle)) / scale * np.float32(middle - 1)) + middle
    bucket = np.where(steps <= middle, distance, np.sign(distance) * far).astype(np.int64)
    return np.asarray(np.clip(bucket + span, 0, rows - 1), np.int64)


def merge_position_tables(key: Float32, query: Float32, heads: int) -> Float32:
    """Return one table for the products of content with position, heads of the queries first: (2·heads, rows, width of a head).

    A query meets keys at distance i − j, and along a row of scores j grows: its positions run backwards. A key meets queries at i − j,
    and along a row of its scores i grows: its positions run forwards. So both find theirs by the same rising list of rows; the key
    table is turned over for that (row r holds the bucket of the opposite distance). Both are (rows, hidden).
    """
    rows, hidden = key.shape
    # The opposite of row r is rows − r, and of row 0 the last one, as it is clipped there.
    backwards = np.concatenate([key[-1:], key[:0:-1]])
    joined = np.stack([backwards, query]).reshape(2, rows, heads, hidden // heads)
    return np.ascontiguousarray(joined.transpose(0, 2, 1, 3).reshape(2 * heads, rows, hidden // heads), np.float32)


NO_OFFSET = np.zeros((), np.float32)
CONVOLUTION_NAME = "encoder.conv"  # a product as well, whose content is not centred
LEAN_SCORE_TERMS = 3  # content with content, content with position, position with content


def write_lean_deberta(source: DebertaWeights, path: Path, report: Report, int8: Int8Options | None = None) -> None:
    """Write a graph and its weights: input_ids int64 [n] → output float32 [n, hidden], 2 ≤ n ≤ 512; raise OSError, VoiceError."""
    with ExternalGraphWriter("lean_deberta", "n", path) as graph:
        LeanDebertaWriter(graph, source, int8).write_graph(report)
        graph.save_graph()


@dataclass(frozen=True, slots=True)
class Int8Options:
    """Options for products that are computed in int8."""

    block: int | None  # how many numbers share a scale, see `add_product`; None: those of a column, and of a token, see `int8_products`
    # Mean of a product's content over many tokens, by name of the product (inputs,). Content is quantised without it, and the bias has its
    # exact part of the product: the tokens of a text differ from each other less than all of them do from zero, so what is rounded is half
    # as large. The shift costs nothing where a bias before the product can take it.
    centres: Mapping[str, Float32]
    # Content of the same tokens by name of the product (tokens, inputs), what `int8_products` needs; empty with blocks.
    contents: Mapping[str, Float16] = field(default_factory=dict)


def add_product(graph: ExternalGraphWriter, block: int | None, name: str, rows: str, matrix: Float32, bias: Float32) -> str:
    """Add the product [n, inputs] · (inputs, outputs) + bias.

    Args:
        block: how many numbers of the matrix, and of the content, share a scale in int8: 16, 32, 64, 128 or 256. The fewer, the more faithful and
            the slower. None: float32.
    """
    if block is None:
        whole = graph.add_node("MatMul", rows, graph.add_weight(f"{name}.weight", matrix))
        return graph.add_node("Add", whole, graph.add_weight(f"{name}.bias", bias))
    values, scale = quantise_blocks(matrix, block)
    graph.add_domain(MICROSOFT_DOMAIN)
    return graph.add_node(
        "MatMulNBits",
        rows,
        graph.add_weight(f"{name}.weight", values, np.uint8),
        graph.add_weight(f"{name}.scale", scale),
        ABSENT_INPUT,
        ABSENT_INPUT,
        graph.add_weight(f"{name}.bias", bias),
        domain=MICROSOFT_DOMAIN,
        K=len(matrix),
        N=len(bias),
        bits=8,
        block_size=block,
        accuracy_level=4,  # the content is quantised to int8, too
    )


def quantise_blocks(matrix: Float32, block: int) -> tuple[Float32, Float32]:
    """Return bytes (outputs, blocks, block) and scales (outputs, blocks) of a matrix (inputs, outputs); the number of a block furthest out becomes −128, and is exact."""
    inputs, outputs = matrix.shape
    padded = np.zeros((outputs, -(-inputs // block) * block), np.float32)
    padded[:, :inputs] = matrix.T
    blocks = padded.reshape(outputs, -1, block)
    furthest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2, keepdims=True), axis=2)
    scale = np.where(np.abs(furthest) < np.finfo(np.float32).tiny, 1, furthest / -UINT8_ZERO_POINT).astype(np.float32)
    return np.clip(np.rint(blocks / scale) + UINT8_ZERO_POINT, 0, 255), scale[..., 0]


class LeanDebertaWriter:
    """Writes one graph, layer by layer."""

    def __init__(self, graph: ExternalGraphWriter, source: DebertaWeights, int8: Int8Options | None) -> None:
        self._graph, self._source = graph, source
        self._block = int8.block if int8 else None
        self._centres, self._contents = (int8.centres, int8.contents) if int8 else ({}, {})
        self._small = np.float16 if int8 else np.float32  # tables, which are looked up and not multiplied through
        self._sizes = source.architecture

    def write_graph(self, report: Report) -> None:
        graph, sizes = self._graph, self._sizes
        ids = graph.add_input("input_ids", ["n"], 7)
        self._prepare_distances(ids)
        words = self._look_up_rows("embeddings", self._source.read_tensor("embeddings.word_embeddings.weight"), ids, 0)
        embedded = self._add_layer_norm(words, "embeddings.LayerNorm")
        x, missing = embedded, NO_OFFSET
        for layer in range(sizes.layers):
            next_missing = self._find_centre(_format_projection_name(layer + 1)) if layer + 1 < sizes.layers else NO_OFFSET
            with graph.enter_scope(f"layer.{layer}"):
                x = self._add_layer(x, layer, missing, next_missing if layer else NO_OFFSET)
            if layer == 0:
                x = self._add_convolution(embedded, x, next_missing)
            missing = next_missing
            report("building", (layer + 1) / sizes.layers)
        graph.add_output("output", x, ["n", sizes.hidden])

    def _prepare_distances(self, ids: str) -> None:
        """Add the nodes that all layers share: the rows of the distances in use, and where the scores by token are in those by distance."""
        graph = self._graph
        one = graph.add_constant([1], np.int64)
        self._count = graph.add_node("Shape", ids)
        before = graph.add_node("Sub", self._count, one)
        narrow = graph.add_node("Add", before, before)
        rows = self._source.read_position_tables(0)[0].shape[0]
        table = graph.add_weight("buckets", build_bucket_table(rows), np.int64)
        first = graph.add_node("Sub", graph.add_constant([MAX_TOKENS], np.int64), self._count)
        last = graph.add_node("Add", graph.add_constant([MAX_TOKENS - 1], np.int64), self._count)
        self._rows = graph.add_node("Slice", table, first, last)
        self._start = before
        self._end = graph.add_node("Add", before, graph.add_node("Mul", self._count, narrow))
        self._square = graph.add_node("Concat", graph.add_constant([2 * self._sizes.heads], np.int64), self._count, narrow, axis=0)

    def _add_layer(self, x: str, layer: int, offset: Float32, next_offset: Float32) -> str:
        """Add one layer [n, hidden] → [n, hidden], whose content lacks `offset` and whose result is to lack `next_offset`."""
        name = f"encoder.layer.{layer}"
        gathered, inner, outer = f"{name}.attention.output.dense", f"{name}.intermediate.dense", f"{name}.output.dense"
        mixed = self._add_attention(x, layer, offset)
        seen = self._add_source_product(mixed, gathered, self._find_centre(gathered), offset)
        x = self._add_layer_norm(self._graph.add_node("Add", seen, x), f"{name}.attention.output.LayerNorm", self._find_centre(inner))
        bent = self._graph.add_gelu(self._add_source_product(x, inner, self._find_centre(inner)))
        if outer in self._centres:  # no bias in between can take it
            bent = self._graph.add_node("Sub", bent, self._graph.add_weight(f"{outer}.centre", self._centres[outer]))
        result = self._add_source_product(bent, outer, self._find_centre(outer), self._find_centre(inner))
        return self._add_layer_norm(self._graph.add_node("Add", result, x), f"{name}.output.LayerNorm", next_offset)

    def _add_attention(self, x: str, layer: int, offset: Float32) -> str:
        """Add attention from content [n, hidden] to the values that each token gathers [n, hidden], less the centre of the product that takes them."""
        graph, sizes = self._graph, self._sizes
        joined = self._add_projections(x, layer, offset)
        by_head = graph.add_transpose(graph.add_reshape(joined, [0, 3 * sizes.heads, sizes.head_width]), 1, 0, 2)
        both, value = graph.add_split(by_head, [2 * sizes.heads, sizes.heads], 0)
        query, key = graph.add_split(both, [sizes.heads, sizes.heads], 0)
        to_place, from_place = graph.add_split(self._add_distance_scores(both, layer), [sizes.heads, sizes.heads], 0)
        scores = graph.add_node("MatMul", query, graph.add_transpose(key, 0, 2, 1))
        scores = graph.add_node("Add", graph.add_node("Add", scores, to_place), graph.add_transpose(from_place, 0, 2, 1))
        mixed = graph.add_node("MatMul", graph.add_node("Softmax", scores, axis=-1), value)
        return graph.add_reshape(graph.add_transpose(mixed, 1, 0, 2), [0, sizes.hidden])

    def _add_projections(self, x: str, layer: int, offset: Float32) -> str:
        """Add queries, keys and values side by side; the queries carry the scale of the scores.

        The values are less by what the gathered is to be less by: weights that sum to one gather that unchanged.
        """
        name = f"encoder.layer.{layer}.attention"
        parts = [self._source.read_matrix(f"{name}.self.{part}_proj") for part in ("query", "key", "value")]
        biases = [self._source.read_tensor(f"{name}.self.{part}_proj.bias") for part in ("query", "key", "value")]
        parts[0], biases[0] = parts[0] * self._score_scale, biases[0] * self._score_scale
        biases[2] = biases[2] - self._find_centre(f"{name}.output.dense")
        return self._add_offset_product(_format_projection_name(layer), x, np.concatenate(parts, 1), np.concatenate(biases), offset)

    def _add_distance_scores(self, queries_and_keys: str, layer: int) -> str:
        """Add the scores of queries with the positions of keys, and of keys with those of queries: (2·heads, n, n).

        A row of scores by distance starts one later than the row above; the flat matrix cut from n−1 on, taken in rows that are one
        shorter, has them aligned.
        """
        graph, heads = self._graph, self._sizes.heads
        key, query = self._source.read_position_tables(layer)
        table = merge_position_tables(key, query * self._score_scale, heads)
        chosen = self._look_up_rows(f"encoder.layer.{layer}.places", table, self._rows, 1)
        flat = graph.add_reshape(graph.add_node("MatMul", queries_and_keys, graph.add_transpose(chosen, 0, 2, 1)), [2 * heads, -1])
        cut = graph.add_node("Slice", flat, self._start, self._end, graph.add_constant([1], np.int64))
        square = graph.add_node("Reshape", cut, self._square)
        return graph.add_node("Slice", square, graph.add_constant([0], np.int64), self._count, graph.add_constant([2], np.int64))

    @property
    def _score_scale(self) -> np.float32:
        return np.float32(1 / math.sqrt(LEAN_SCORE_TERMS * self._sizes.head_width))

    def _add_convolution(self, embedded: str, x: str, next_offset: Float32) -> str:
        """Add the convolution over three neighbouring tokens from before the first layer, as a product of three rows in one."""
        graph, name = self._graph, CONVOLUTION_NAME
        kernel = self._source.read_tensor(f"{name}.conv.weight")  # (outputs, inputs, 3)
        reach = kernel.shape[2] // 2
        padded = graph.add_node("Pad", embedded, graph.add_constant([reach, 0, reach, 0], np.int64))
        rows = [self._shift_rows(padded, offset) for offset in range(kernel.shape[2])]
        matrix = kernel.transpose(2, 1, 0).reshape(-1, len(kernel))
        joined = graph.add_node("Concat", *rows, axis=1)
        beside = self._add_product(name, joined, matrix, self._source.read_tensor(f"{name}.conv.bias"), NO_OFFSET)
        return self._add_layer_norm(graph.add_node("Add", graph.add_gelu(beside), x), f"{name}.LayerNorm", next_offset)

    def _shift_rows(self, padded: str, offset: int) -> str:
        graph = self._graph
        start = graph.add_constant([offset], np.int64)
        return graph.add_node("Slice", padded, start, graph.add_node("Add", self._count, start), graph.add_constant([0], np.int64))

    def _look_up_rows(self, name: str, table: Float32, rows: str, axis: int) -> str:
        chosen = self._graph.add_node("Gather", self._graph.add_weight(name, table, self._small), rows, axis=axis)
        return chosen if self._small is np.float32 else self._graph.add_node("Cast", chosen, to=1)

    def _add_source_product(self, x: str, name: str, offset: Float32, residual_offset: Float32 = NO_OFFSET) -> str:
        """Add a product of the source with content that lacks `offset`; its rows are added to others that lack `residual_offset`."""
        bias = self._source.read_tensor(f"{name}.bias") + residual_offset
        return self._add_offset_product(name, x, self._source.read_matrix(name), bias, offset)

    def _add_offset_product(self, name: str, x: str, matrix: Float32, bias: Float32, offset: Float32) -> str:
        return self._add_product(name, x, matrix, bias + offset @ matrix if offset.ndim else bias, offset)

    def _add_product(self, name: str, x: str, matrix: Float32, bias: Float32, offset: Float32) -> str:
        if name in self._contents:
            return add_column_product(self._graph, name, x, matrix, bias, self._contents[name].astype(np.float32) - offset)
        return add_product(self._graph, self._block, name, x, matrix, bias)

    def _find_centre(self, name: str) -> Float32:
        return self._centres.get(name, NO_OFFSET)

    def _add_layer_norm(self, x: str, name: str, result_offset: Float32 = NO_OFFSET) -> str:
        gamma = self._graph.add_weight(f"{name}.weight", self._source.read_tensor(f"{name}.weight"))
        beta = self._graph.add_weight(f"{name}.bias", self._source.read_tensor(f"{name}.bias") - result_offset)
        return self._graph.add_node("LayerNormalization", x, gamma, beta, axis=-1, epsilon=self._sizes.epsilon)


def _format_projection_name(layer: int) -> str:
    return f"encoder.layer.{layer}.attention.self.joined"


def write_product_content_graph(lean: Path, path: Path) -> None:
    """Write a graph with a lean float32 one's weights, next to it: input_ids [n] → an output [n, inputs] for each product. Raise OSError."""
    model = onnx.load(str(lean), load_external_data=False)
    expose_product_contents(model)
    onnx.save(model, str(path))


def expose_product_contents(model: onnx.ModelProto) -> None:
    """Replace the output of a lean graph by the contents of its products, in place."""
    graph = model.graph
    weights = {item.name: item.dims[0] for item in graph.initializer if item.name.endswith(WEIGHT_SUFFIX)}
    products = [(node.input[0], node.input[1]) for node in graph.node if node.op_type == "MatMul" and node.input[1] in weights]
    del graph.output[:]
    for rows, weight in products:
        name = weight.removesuffix(WEIGHT_SUFFIX)
        graph.node.append(helper.make_node("Identity", [rows], [name], name=f"content/{name}"))
        graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", weights[weight]]))
