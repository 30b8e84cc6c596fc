"""The lean DeBERTa: what an exported graph computes, for one text at a time and without padding.

Compared with an exported graph: positions are projected once, here, instead of with every text; only the 2n−1 distances that n
tokens have are looked at; scores by distance become scores by token through a slice of the flat matrix instead of a gather; queries,
keys and values are one product; the scale of the scores is part of the weights; the mask, which is all ones, is gone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.core.types import Float32
from app.progress import Report
from app.voices.prepare.bert.distances import LONGEST, buckets, by_bucket
from app.voices.prepare.bert.products import add_product
from app.voices.prepare.bert.source import Tensors
from app.voices.prepare.bert.stored_writer import StoredWriter

NOTHING = np.zeros((), np.float32)
CONVOLUTION = "encoder.conv"  # a product as well, whose content is not centred
SCORE_PARTS = 3  # content with content, content with position, position with content


def write_lean(source: Tensors, path: Path, report: Report, int8: Int8 | None = None) -> None:
    """Writes the graph to `path`: input_ids int64 [n] → output float32 [n, hidden], 2 ≤ n ≤ 512.

    Args:
        path: the weights lie beside it.
        int8: how the products are computed in int8; None: they are exact.

    Raises:
        VoiceError: the source lacks a tensor.
        OSError: the disk is full.
    """
    with StoredWriter("lean_deberta", "n", path) as graph:
        LeanDeberta(graph, source, int8).write(report)
        graph.save()


@dataclass(frozen=True, slots=True)
class Int8:
    """How products are computed in int8.

    Attributes:
        block: how many numbers share a scale, see `add_product`.
        centres: mean of a product's content over many tokens, by name of the product (inputs,). Content is quantised without it, and the
            bias has its exact part of the product: the tokens of a text differ from each other less than all of them do from zero, so
            what is rounded is half as large. The shift costs nothing where a bias before the product can take it.
    """

    block: int
    centres: Mapping[str, Float32]


class LeanDeberta:
    """Writes one graph, layer by layer."""

    def __init__(self, graph: StoredWriter, source: Tensors, int8: Int8 | None) -> None:
        self._graph = graph
        self._source = source
        self._block = int8.block if int8 else None
        self._centres = int8.centres if int8 else {}
        self._small = np.float16 if int8 else np.float32  # tables, which are looked up and not multiplied through
        self._sizes = source.architecture

    def write(self, report: Report) -> None:
        """The whole graph."""
        graph, sizes = self._graph, self._sizes
        ids = graph.input("input_ids", ["n"], 7)
        self._prepare_distances(ids)
        embedded = self._norm(
            self._looked_up("embeddings", self._source.tensor("embeddings.word_embeddings.weight"), ids, 0), "embeddings.LayerNorm"
        )
        x, missing = embedded, NOTHING
        for layer in range(sizes.layers):
            next_missing = self._centre(_joined(layer + 1)) if layer + 1 < sizes.layers else NOTHING
            with graph.scope(f"layer.{layer}"):
                x = self._layer(x, layer, missing, next_missing if layer else NOTHING)
            if layer == 0:
                x = self._convolution(embedded, x, next_missing)
            missing = next_missing
            report("building", (layer + 1) / sizes.layers)
        graph.output("output", x, ["n", sizes.hidden])

    def _prepare_distances(self, ids: str) -> None:
        """What the layers share: the rows of the distances in use, and where the scores by token lie in the scores by distance."""
        graph = self._graph
        one = graph.constant([1], np.int64)
        self._count = graph.op("Shape", ids)
        before = graph.op("Sub", self._count, one)
        narrow = graph.op("Add", before, before)
        rows = self._source.places(0)[0].shape[0]
        table = graph.weight("buckets", buckets(rows), np.int64)
        first = graph.op("Sub", graph.constant([LONGEST], np.int64), self._count)
        last = graph.op("Add", graph.constant([LONGEST - 1], np.int64), self._count)
        self._rows = graph.op("Slice", table, first, last)
        self._start = before
        self._end = graph.op("Add", before, graph.op("Mul", self._count, narrow))
        self._square = graph.op("Concat", graph.constant([2 * self._sizes.heads], np.int64), self._count, narrow, axis=0)

    def _layer(self, x: str, layer: int, missing: Float32, next_missing: Float32) -> str:
        """One layer [n, hidden] → [n, hidden].

        Args:
            missing: what the content lacks of its true value.
            next_missing: what the result is to lack.
        """
        name = f"encoder.layer.{layer}"
        gathered, inner, outer = f"{name}.attention.output.dense", f"{name}.intermediate.dense", f"{name}.output.dense"
        mixed = self._attention(x, layer, missing)
        seen = self._product(mixed, gathered, self._centre(gathered), missing)
        x = self._norm(self._graph.op("Add", seen, x), f"{name}.attention.output.LayerNorm", self._centre(inner))
        bent = self._graph.gelu(self._product(x, inner, self._centre(inner)))
        if outer in self._centres:  # no bias stands between to take it
            bent = self._graph.op("Sub", bent, self._graph.weight(f"{outer}.centre", self._centres[outer]))
        result = self._product(bent, outer, self._centre(outer), self._centre(inner))
        return self._norm(self._graph.op("Add", result, x), f"{name}.output.LayerNorm", next_missing)

    def _attention(self, x: str, layer: int, missing: Float32) -> str:
        """Content [n, hidden] → what each token gathers from the others [n, hidden], less the centre of the product that takes it."""
        graph, sizes = self._graph, self._sizes
        joined = self._projected(x, layer, missing)
        by_head = graph.transpose(graph.reshape(joined, [0, 3 * sizes.heads, sizes.head_width]), 1, 0, 2)
        both, value = graph.split(by_head, [2 * sizes.heads, sizes.heads], 0)
        query, key = graph.split(both, [sizes.heads, sizes.heads], 0)
        to_place, from_place = graph.split(self._by_distance(both, layer), [sizes.heads, sizes.heads], 0)
        scores = graph.op("MatMul", query, graph.transpose(key, 0, 2, 1))
        scores = graph.op("Add", graph.op("Add", scores, to_place), graph.transpose(from_place, 0, 2, 1))
        mixed = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
        return graph.reshape(graph.transpose(mixed, 1, 0, 2), [0, sizes.hidden])

    def _projected(self, x: str, layer: int, missing: Float32) -> str:
        """Queries, keys and values side by side; the queries carry the scale of the scores.

        The values are less by what the gathered is to be less by: weights that sum to one gather that unchanged.
        """
        name = f"encoder.layer.{layer}.attention"
        parts = [self._source.product(f"{name}.self.{part}_proj") for part in ("query", "key", "value")]
        biases = [self._source.tensor(f"{name}.self.{part}_proj.bias") for part in ("query", "key", "value")]
        parts[0], biases[0] = parts[0] * self._scale, biases[0] * self._scale
        biases[2] = biases[2] - self._centre(f"{name}.output.dense")
        return self._added(_joined(layer), x, np.concatenate(parts, 1), np.concatenate(biases), missing)

    def _by_distance(self, both: str, layer: int) -> str:
        """Scores of queries with the positions of keys, and of keys with those of queries: (2·heads, n, n).

        A row of scores by distance starts one later than the row above; the flat matrix cut from n−1 on, taken in rows that are one
        shorter, has them aligned.
        """
        graph, heads = self._graph, self._sizes.heads
        key, query = self._source.places(layer)
        chosen = self._looked_up(f"encoder.layer.{layer}.places", by_bucket(key, query * self._scale, heads), self._rows, 1)
        flat = graph.reshape(graph.op("MatMul", both, graph.transpose(chosen, 0, 2, 1)), [2 * heads, -1])
        cut = graph.op("Slice", flat, self._start, self._end, graph.constant([1], np.int64))
        square = graph.op("Reshape", cut, self._square)
        return graph.op("Slice", square, graph.constant([0], np.int64), self._count, graph.constant([2], np.int64))

    @property
    def _scale(self) -> np.float32:
        return np.float32(1 / math.sqrt(SCORE_PARTS * self._sizes.head_width))

    def _convolution(self, embedded: str, x: str, next_missing: Float32) -> str:
        """What stands beside a token, from before the first layer: a convolution over three, as a product of three rows in one."""
        graph, name = self._graph, CONVOLUTION
        kernel = self._source.tensor(f"{name}.conv.weight")  # (outputs, inputs, 3)
        reach = kernel.shape[2] // 2
        padded = graph.op("Pad", embedded, graph.constant([reach, 0, reach, 0], np.int64))
        rows = [self._shifted(padded, offset) for offset in range(kernel.shape[2])]
        matrix = kernel.transpose(2, 1, 0).reshape(-1, len(kernel))
        beside = add_product(graph, self._block, name, graph.op("Concat", *rows, axis=1), matrix, self._source.tensor(f"{name}.conv.bias"))
        return self._norm(graph.op("Add", graph.gelu(beside), x), f"{name}.LayerNorm", next_missing)

    def _shifted(self, padded: str, offset: int) -> str:
        graph = self._graph
        start = graph.constant([offset], np.int64)
        return graph.op("Slice", padded, start, graph.op("Add", self._count, start), graph.constant([0], np.int64))

    def _looked_up(self, name: str, table: Float32, rows: str, axis: int) -> str:
        chosen = self._graph.op("Gather", self._graph.weight(name, table, self._small), rows, axis=axis)
        return chosen if self._small is np.float32 else self._graph.op("Cast", chosen, to=1)

    def _product(self, x: str, name: str, missing: Float32, beside: Float32 = NOTHING) -> str:
        """A product of the source with content that lacks `missing`, and with what the rows it is added to lack."""
        return self._added(name, x, self._source.product(name), self._source.tensor(f"{name}.bias") + beside, missing)

    def _added(self, name: str, x: str, matrix: Float32, bias: Float32, missing: Float32) -> str:
        whole = bias + missing @ matrix if missing.ndim else bias
        return add_product(self._graph, self._block, name, x, matrix, whole)

    def _centre(self, name: str) -> Float32:
        return self._centres.get(name, NOTHING)

    def _norm(self, x: str, name: str, less: Float32 = NOTHING) -> str:
        """A layer norm whose result lacks `less`."""
        gamma = self._graph.weight(f"{name}.weight", self._source.tensor(f"{name}.weight"))
        beta = self._graph.weight(f"{name}.bias", self._source.tensor(f"{name}.bias") - less)
        return self._graph.op("LayerNormalization", x, gamma, beta, axis=-1, epsilon=self._sizes.epsilon)


def _joined(layer: int) -> str:
    return f"encoder.layer.{layer}.attention.self.joined"
