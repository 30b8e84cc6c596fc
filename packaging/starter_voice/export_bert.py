"""The starter BERT as a lean graph: batch of one, position tables folded, only the 2n−1 distances in use looked up."""

import math
from pathlib import Path

import numpy as np
import torch
from bert import BUCKET_TABLE, FARTHEST, HEADS, WIDTH, Layer, StarterBert
from graph import Graph
from numpy.typing import NDArray

HEAD_WIDTH = WIDTH // HEADS


def array(parameter: torch.Tensor) -> NDArray[np.float32]:
    """A parameter as a NumPy array."""
    return parameter.detach().float().numpy()


def _by_distance(graph: Graph, content: str, table: torch.Tensor, rows: str, sizes: tuple[str, str]) -> str:
    """Content (HEADS, n, w) against the table's row for every distance: (HEADS, n, n), [i, j] holding column j−i of row i.

    Columns run over distances from −(n−1) to n−1; shifting row i left by n−1−i is a slice and a reshape of the flat matrix.
    """
    chosen = graph.op("Gather", graph.weight(array(table)), rows, axis=1)  # whole rows: number by number takes a fifth of the time
    scores = graph.shape(graph.op("MatMul", content, graph.op("Transpose", chosen, perm=[0, 2, 1])), HEADS, -1)
    count, narrow = sizes
    one = graph.ints(1)
    start = graph.op("Sub", count, one)
    size = graph.op("Mul", count, narrow)
    flat = graph.op("Slice", scores, start, graph.op("Add", start, size), one)
    square = graph.op("Reshape", flat, graph.stack([graph.ints(HEADS), count, narrow], 0))
    return graph.op("Slice", square, graph.ints(0), count, graph.ints(2))


def _layer(graph: Graph, layer: Layer, x: str, places: torch.Tensor, rows: tuple[str, str], sizes: tuple[str, str]) -> str:
    normed = graph.norm(x, array(layer.norm_attention.weight), array(layer.norm_attention.bias))
    joined = graph.shape(graph.linear(normed, array(layer.qkv.weight), array(layer.qkv.bias)), 0, 3, HEADS, HEAD_WIDTH)
    parts = graph.ops("Split", 3, graph.op("Transpose", joined, perm=[1, 2, 0, 3]), graph.ints(1, 1, 1), axis=0)
    query, key, value = (graph.op("Squeeze", part, graph.ints(0)) for part in parts)
    place_query, place_key = layer.tables(places)
    to_place = _by_distance(graph, query, place_key, rows[0], sizes)
    from_place = graph.op("Transpose", _by_distance(graph, key, place_query, rows[1], sizes), perm=[0, 2, 1])
    scores = graph.op("MatMul", query, graph.op("Transpose", key, perm=[0, 2, 1]))
    scores = graph.op("Add", graph.op("Add", scores, to_place), from_place)
    weights = graph.op("Softmax", graph.op("Mul", scores, graph.number(1 / math.sqrt(3 * HEAD_WIDTH))), axis=-1)
    mixed = graph.op("Transpose", graph.op("MatMul", weights, value), perm=[1, 0, 2])
    x = graph.op("Add", x, graph.linear(graph.shape(mixed, 0, WIDTH), array(layer.out.weight), array(layer.out.bias)))
    normed = graph.norm(x, array(layer.norm_inner.weight), array(layer.norm_inner.bias))
    inner = graph.op("Relu", graph.linear(normed, array(layer.inner.weight), array(layer.inner.bias)))
    return graph.op("Add", x, graph.linear(inner, array(layer.back.weight), array(layer.back.bias)))


def export_bert(model: StarterBert, path: Path) -> None:
    """Writes `bert.onnx`: input_ids int64 [n] → output float32 [n, 1024], 2 ≤ n ≤ 512."""
    graph = Graph("starter_bert")
    ids = graph.input("input_ids", "i64", "n")
    one = graph.ints(1)
    count = graph.op("Shape", ids)
    narrow = graph.op("Sub", graph.op("Add", count, count), graph.ints(2))
    centre = graph.ints(FARTHEST)
    first, last = graph.op("Sub", graph.op("Add", centre, one), count), graph.op("Add", centre, count)
    # buckets are of i − j: rows of to_place are i, so its columns run backwards; rows of from_place are j
    rows = tuple(graph.op("Slice", graph.integers(table), first, last) for table in (BUCKET_TABLE.numpy()[::-1], BUCKET_TABLE.numpy()))
    x = graph.op("Gather", graph.weight(array(model.tokens.weight)), ids)
    places = model.norm_places(model.places.weight).detach()
    for layer in model.layers:
        x = _layer(graph, layer, x, places, (rows[0], rows[1]), (count, narrow))
    x = graph.norm(x, array(model.norm.weight), array(model.norm.bias))
    graph.output("output", graph.linear(x, array(model.project.weight), array(model.project.bias)), "n", 1024)
    graph.save(path)
