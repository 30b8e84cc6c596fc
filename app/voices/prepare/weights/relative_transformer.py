"""The transformer that text encoder and flow share: self-attention with relative positions (Shaw et al. 2018) and convolutions.

Relative positions reach a few symbols to each side, so they touch few diagonals of the T×T scores. Only those are read and
written, by index; the usual shifted T×(2T−1) products would be most of the work in long sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx

from app.core.synthesis_types import Float32
from app.voices.prepare.weights.checked_weights import ANY_SIZE, VoiceWeights
from app.voices.prepare.weights.weight_layers import LayerWriter

# SBV2 gives its encoders the speaker before their third layer.
SPEAKER_LAYER = 2


@dataclass(frozen=True, slots=True)
class DiagonalBand:
    """The diagonals near the main one, the same for every layer of a graph.

    Attributes:
        columns: int64 [heads, T, diagonals], clipped to the matrix.
        inside: float32 [T, diagonals], 0 where the column was clipped.
        diagonals: how many there are.
    """

    columns: str
    inside: str
    diagonals: int


def add_diagonal_band(layers: LayerWriter, name: str, value: str, heads: int) -> DiagonalBand:
    """Add the band of an encoder for sequences as long as `value`, [T] or [T, C]."""
    writer = layers.writer
    diagonals = layers.weights.take_tensor(f"{name}.attn_layers.0.emb_rel_k", ANY_SIZE, ANY_SIZE, ANY_SIZE).shape[1]
    zero, one = writer.add_constant(0, np.int64), writer.add_constant(1, np.int64)
    length = writer.add_reshape(writer.add_node("Shape", value, end=1), [])
    rows = writer.add_reshape(writer.add_node("Range", zero, length, one), [-1, 1])
    columns = writer.add_node("Add", rows, writer.add_constant(np.arange(diagonals) - diagonals // 2, np.int64))
    clipped = writer.add_node("Clip", columns, zero, writer.add_node("Sub", length, one))
    inside = writer.add_node("Cast", writer.add_node("Equal", columns, clipped), to=onnx.TensorProto.FLOAT)
    tiled = writer.add_node("Tile", writer.add_reshape(clipped, [1, -1, diagonals]), writer.add_constant([heads, 1, 1], np.int64))
    return DiagonalBand(
        writer.set_value_shape(tiled, [heads, writer.length, diagonals], onnx.TensorProto.INT64),
        writer.set_value_shape(inside, [writer.length, diagonals]),
        diagonals,
    )


def add_transformer(layers: LayerWriter, name: str, value: str, channels: int, heads: int, band: DiagonalBand, speaker: str | None) -> str:
    """Add a transformer from [T, channels] to the same shape.

    Args:
        speaker: [1, channels], what the speaker adds; None for an encoder that does not know the speaker.
    """
    writer = layers.writer
    for number in range(layers.weights.count_layers(f"{name}.attn_layers")):
        with writer.enter_scope(f"{name}.{number}"):
            if speaker is not None and number == SPEAKER_LAYER:
                value = writer.add_node("Add", value, speaker)
            attended = _add_attention(layers, f"{name}.attn_layers.{number}", value, channels, heads, band)
            value = layers.add_layer_norm(f"{name}.norm_layers_1.{number}", writer.add_node("Add", value, attended), channels)
            convolved = _add_feed_forward(layers, f"{name}.ffn_layers.{number}", value, channels)
            value = layers.add_layer_norm(f"{name}.norm_layers_2.{number}", writer.add_node("Add", value, convolved), channels)
    return value


def _add_attention(layers: LayerWriter, name: str, value: str, channels: int, heads: int, band: DiagonalBand) -> str:
    """Add self-attention over [T, channels]; queries, keys and values come out of one product."""
    writer, weights, width = layers.writer, layers.weights, channels // heads
    matrix, bias = _merge_query_key_value(weights, name, channels, heads)
    mixed = writer.add_linear(value, writer.add_weight(f"{name}.qkv.weight", matrix), writer.add_weight(f"{name}.qkv.bias", bias))
    by_head = writer.add_transpose(writer.add_reshape(mixed, [0, 3 * heads, width]), 1, 0, 2)
    query, key, values = writer.add_split(by_head, [heads] * 3, axis=0)  # [heads, T, width] each

    near_keys = writer.add_weight(
        f"{name}.emb_rel_k", weights.take_tensor(f"{name}.emb_rel_k", ANY_SIZE, band.diagonals, width).transpose(0, 2, 1)
    )
    near = writer.add_node(
        "Mul", writer.add_node("MatMul", query, near_keys), band.inside
    )  # a clipped column is there twice: it adds nothing
    scores = writer.add_node("MatMul", query, writer.add_transpose(key, 0, 2, 1))
    scores = writer.add_node("ScatterElements", scores, band.columns, near, axis=2, reduction="add")
    shares = writer.add_node("Softmax", scores, axis=-1)

    near_values = writer.add_weight(f"{name}.emb_rel_v", weights.take_tensor(f"{name}.emb_rel_v", ANY_SIZE, band.diagonals, width))
    near = writer.add_node("Mul", writer.add_node("GatherElements", shares, band.columns, axis=2), band.inside)
    result = writer.add_node("Add", writer.add_node("MatMul", shares, values), writer.add_node("MatMul", near, near_values))
    joined = writer.add_reshape(writer.add_transpose(result, 1, 0, 2), [0, channels])
    return layers.add_linear(f"{name}.conv_o", joined, channels, channels)


def _merge_query_key_value(weights: VoiceWeights, name: str, channels: int, heads: int) -> tuple[Float32, Float32]:
    """Return one matrix (C, 3C) and bias (3C,) for queries, keys and values; the queries already include the scale 1/√width of the scores."""
    scale = np.float32(1 / np.sqrt(channels // heads))
    matrices = [weights.read_matrix(f"{name}.conv_{part}", channels, channels) for part in "qkv"]
    biases = [weights.take_tensor(f"{name}.conv_{part}.bias", channels) for part in "qkv"]
    return np.hstack([matrices[0] * scale, *matrices[1:]]), np.hstack([biases[0] * scale, *biases[1:]])


def _add_feed_forward(layers: LayerWriter, name: str, value: str, channels: int) -> str:
    """Add two convolutions with a ReLU between them, from [T, channels] to the same shape."""
    writer = layers.writer
    inner = layers.weights.take_tensor(f"{name}.conv_1.bias", ANY_SIZE).shape[0]
    wide = writer.add_node("Relu", layers.add_conv(f"{name}.conv_1", writer.convert_to_image(value), channels, inner))
    return writer.convert_to_rows(layers.add_conv(f"{name}.conv_2", wide, inner, channels))
