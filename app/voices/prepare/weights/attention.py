"""The transformer that text encoder and flow share: self-attention with relative positions (Shaw et al. 2018) and convolutions.

Relative positions reach a few symbols to each side, so they touch few diagonals of the T×T scores. Only those are read and
written, by index; the usual shifted T×(2T−1) products would be most of the work in long sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx

from app.core.types import Float32
from app.voices.prepare.weights.layers import Layers
from app.voices.prepare.weights.tensors import ANY, Weights

SPEAKER_LAYER = 2  # SBV2 gives its encoders the speaker before their third layer


@dataclass(frozen=True, slots=True)
class Band:
    """The diagonals near the main one, the same for every layer of a graph.

    Attributes:
        columns: int64 [heads, T, diagonals], clipped to the matrix.
        inside: float32 [T, diagonals], 0 where the column was clipped.
        diagonals: how many there are.
    """

    columns: str
    inside: str
    diagonals: int


def near_diagonals(layers: Layers, name: str, value: str, heads: int) -> Band:
    """The band of an encoder for sequences as long as `value`, [T] or [T, C]."""
    writer = layers.writer
    diagonals = layers.weights.take(f"{name}.attn_layers.0.emb_rel_k", ANY, ANY, ANY).shape[1]
    zero, one = writer.constant(0, np.int64), writer.constant(1, np.int64)
    length = writer.reshape(writer.op("Shape", value, end=1), [])
    rows = writer.reshape(writer.op("Range", zero, length, one), [-1, 1])
    columns = writer.op("Add", rows, writer.constant(np.arange(diagonals) - diagonals // 2, np.int64))
    clipped = writer.op("Clip", columns, zero, writer.op("Sub", length, one))
    inside = writer.op("Cast", writer.op("Equal", columns, clipped), to=onnx.TensorProto.FLOAT)
    tiled = writer.op("Tile", writer.reshape(clipped, [1, -1, diagonals]), writer.constant([heads, 1, 1], np.int64))
    return Band(
        writer.stated(tiled, [heads, writer.length, diagonals], onnx.TensorProto.INT64),
        writer.stated(inside, [writer.length, diagonals]),
        diagonals,
    )


def encoder(layers: Layers, name: str, value: str, channels: int, heads: int, band: Band, speaker: str | None) -> str:
    """A transformer: [T, channels] → the same.

    Args:
        speaker: [1, channels], what the speaker adds; None for an encoder that does not know the speaker.
    """
    writer = layers.writer
    for number in range(layers.weights.count(f"{name}.attn_layers")):
        with writer.scope(f"{name}.{number}"):
            if speaker is not None and number == SPEAKER_LAYER:
                value = writer.op("Add", value, speaker)
            attended = _attention(layers, f"{name}.attn_layers.{number}", value, channels, heads, band)
            value = layers.norm(f"{name}.norm_layers_1.{number}", writer.op("Add", value, attended), channels)
            convolved = _feed_forward(layers, f"{name}.ffn_layers.{number}", value, channels)
            value = layers.norm(f"{name}.norm_layers_2.{number}", writer.op("Add", value, convolved), channels)
    return value


def _attention(layers: Layers, name: str, value: str, channels: int, heads: int, band: Band) -> str:
    """Self-attention of [T, channels]; queries, keys and values come out of one product."""
    writer, weights, width = layers.writer, layers.weights, channels // heads
    matrix, bias = _query_key_value(weights, name, channels, heads)
    mixed = writer.linear(value, writer.weight(f"{name}.qkv.weight", matrix), writer.weight(f"{name}.qkv.bias", bias))
    by_head = writer.transpose(writer.reshape(mixed, [0, 3 * heads, width]), 1, 0, 2)
    query, key, values = writer.split(by_head, [heads] * 3, axis=0)  # [heads, T, width] each

    near_keys = writer.weight(f"{name}.emb_rel_k", weights.take(f"{name}.emb_rel_k", ANY, band.diagonals, width).transpose(0, 2, 1))
    near = writer.op("Mul", writer.op("MatMul", query, near_keys), band.inside)  # a clipped column is there twice: it adds nothing
    scores = writer.op("MatMul", query, writer.transpose(key, 0, 2, 1))
    scores = writer.op("ScatterElements", scores, band.columns, near, axis=2, reduction="add")
    shares = writer.op("Softmax", scores, axis=-1)

    near_values = writer.weight(f"{name}.emb_rel_v", weights.take(f"{name}.emb_rel_v", ANY, band.diagonals, width))
    near = writer.op("Mul", writer.op("GatherElements", shares, band.columns, axis=2), band.inside)
    result = writer.op("Add", writer.op("MatMul", shares, values), writer.op("MatMul", near, near_values))
    joined = writer.reshape(writer.transpose(result, 1, 0, 2), [0, channels])
    return layers.linear(f"{name}.conv_o", joined, channels, channels)


def _query_key_value(weights: Weights, name: str, channels: int, heads: int) -> tuple[Float32, Float32]:
    """One matrix (C, 3C) and bias (3C,) for all three; the scale 1/√width of the scores is in the queries already."""
    scale = np.float32(1 / np.sqrt(channels // heads))
    matrices = [weights.matrix(f"{name}.conv_{part}", channels, channels) for part in "qkv"]
    biases = [weights.take(f"{name}.conv_{part}.bias", channels) for part in "qkv"]
    return np.hstack([matrices[0] * scale, *matrices[1:]]), np.hstack([biases[0] * scale, *biases[1:]])


def _feed_forward(layers: Layers, name: str, value: str, channels: int) -> str:
    """Two convolutions with a ReLU between: [T, channels] → the same."""
    writer = layers.writer
    inner = layers.weights.take(f"{name}.conv_1.bias", ANY).shape[0]
    wide = writer.op("Relu", layers.conv(f"{name}.conv_1", writer.image(value), channels, inner))
    return writer.rows(layers.conv(f"{name}.conv_2", wide, inner, channels))
