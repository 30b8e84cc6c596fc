"""The weights from which the lean graph is built: the tensors of a DeBERTa by the names that Hugging Face's implementation gives them.

What they compute as DeBERTa-v2 is defined is here as well, in NumPy, step by step: what a lean graph is compared with when only weights were
given. Only the projection of the positions is shared with the lean graph: here they are gathered for every pair of tokens, heads stay apart,
nothing is folded.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from app.common.errors import VoiceError
from app.common.language import choose_by_frontend, localize
from app.core.synthesis_types import Float32, Int64

MAX_REASON_LENGTH = 200  # in characters; the reason may quote text from a stranger's file

UNUSED_TOP_LAYERS = 2  # Style-Bert-VITS2 reads `hidden_states[-3]`: what the third layer from the top is given by the one below


@dataclass(frozen=True, slots=True)
class DebertaSizes:
    """Sizes of one model; `layers` counts those that the features depend on, `hidden` is the width of a token between layers, `inner` inside the feed-forward part."""

    layers: int
    heads: int
    hidden: int
    inner: int
    vocabulary: int
    epsilon: float

    @property
    def head_width(self) -> int:
        """Return how many numbers of a token one head works with."""
        return self.hidden // self.heads


def count_needed_layers(layer_count: int) -> int:
    """Return how many layers of a whole model the features depend on; raise ValueError when too few are there."""
    if layer_count <= UNUSED_TOP_LAYERS:
        raise ValueError(f"a model of {layer_count} layers")
    return layer_count - UNUSED_TOP_LAYERS


class DebertaWeights(Protocol):
    """Weights of one model of this `architecture`, read when asked for, so that a gigabyte of them is never held twice."""

    architecture: DebertaSizes

    def read_tensor(self, name: str) -> Float32:
        """Return the tensor called `name` (without `model.deberta.`) as float32; raise VoiceError if there is none."""

    def read_matrix(self, name: str) -> Float32:
        """Return the matrix of the linear layer `name` as (inputs, outputs)."""

    def read_position_tables(self, layer: int) -> tuple[Float32, Float32]:
        """Return the positions as keys and as queries of a layer, projected and with bias: each (rows, hidden)."""


def build_not_deberta_error(reason: str) -> VoiceError:
    """Return the error for a file that holds something else; the reason may quote the file."""
    if len(reason) > MAX_REASON_LENGTH:
        reason = reason[:MAX_REASON_LENGTH] + "…"
    get = choose_by_frontend(
        localize(
            "声のカードの「BERT をダウンロード…」でダウンロードしてください。", "download it with “Download BERT…” on the card of a voice."
        ),
        localize("koebako bert add --hub でダウンロードしてください。", "download it with `koebako bert add --hub`."),
    )
    return VoiceError(
        localize(
            f"この BERT は追加できません。Style-Bert-VITS2 が使う DeBERTa-v2 ではないようです（{reason}）。",
            f"This BERT cannot be used: it is not a DeBERTa-v2 as used by Style-Bert-VITS2 ({reason}).",
        ),
        localize(
            f"deberta-v2-large-japanese-char-wwm の model_fp16.onnx、model.onnx、model.safetensors のいずれかを選ぶか、{get}",
            f"Choose model_fp16.onnx, model.onnx or model.safetensors of deberta-v2-large-japanese-char-wwm, or {get}",
        ),
    )


REFERENCE_MAX_TOKENS, REFERENCE_SCORE_TERMS = 512, 3


def compute_reference_features(source: DebertaWeights, texts: Sequence[Int64]) -> list[Float32]:
    """Return the features (n, hidden) of each text, int64 (n,). All texts pass a layer together, so each weight is read once."""
    borders = np.cumsum([len(ids) for ids in texts])[:-1]
    words = source.read_tensor("embeddings.word_embeddings.weight")[np.concatenate(texts)]
    rows = embedded = _apply_layer_norm(source, "embeddings.LayerNorm", words)
    for layer in range(source.architecture.layers):
        rows = _compute_layer(source, layer, rows, borders)
        if layer == 0:
            beside = np.concatenate([_compute_convolution(source, text) for text in np.split(embedded, borders)])
            rows = _apply_layer_norm(source, "encoder.conv.LayerNorm", rows + beside)
    return np.split(rows, borders)


def _compute_layer(source: DebertaWeights, layer: int, rows: Float32, borders: Int64) -> Float32:
    name = f"encoder.layer.{layer}"
    parts = [_apply_linear(source, f"{name}.attention.self.{part}_proj", rows) for part in ("query", "key", "value")]
    projections = [np.split(part, borders) for part in parts]
    places = source.read_position_tables(layer)
    mixed = np.concatenate([_compute_attention(source, places, *parts) for parts in zip(*projections, strict=True)])
    added = rows + _apply_linear(source, f"{name}.attention.output.dense", mixed)
    rows = _apply_layer_norm(source, f"{name}.attention.output.LayerNorm", added)
    inner = _compute_gelu(_apply_linear(source, f"{name}.intermediate.dense", rows))
    return _apply_layer_norm(source, f"{name}.output.LayerNorm", rows + _apply_linear(source, f"{name}.output.dense", inner))


def _compute_attention(
    source: DebertaWeights, position_tables: tuple[Float32, Float32], query: Float32, key: Float32, value: Float32
) -> Float32:
    rows = len(position_tables[0])
    count, span = len(query), rows // 2
    by_distance = np.array([min(max(_compute_bucket(distance, span) + span, 0), rows - 1) for distance in range(1 - count, count)])
    index = by_distance[np.subtract.outer(np.arange(count), np.arange(count)) + count - 1]
    width, results = source.architecture.head_width, []
    for start in range(0, source.architecture.hidden, width):
        q, k, v, place_k, place_q = (part[:, start : start + width] for part in (query, key, value, *position_tables))
        to_place = np.take_along_axis(q @ place_k.T, index, 1)
        from_place = np.take_along_axis((k @ place_q.T).T, index, 0)
        scores = (q @ k.T + to_place + from_place) / math.sqrt(REFERENCE_SCORE_TERMS * width)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        results.append(weights / weights.sum(axis=1, keepdims=True) @ v)
    return np.concatenate(results, axis=1)


def _compute_bucket(distance: int, span: int) -> int:
    """Return the bucket of a distance: exact up to half the span, then in steps of the logarithm."""
    middle = span // 2
    if abs(distance) <= middle:
        return distance
    steps = math.log(abs(distance) / middle) / math.log((REFERENCE_MAX_TOKENS - 1) / middle) * (middle - 1)
    return int(math.copysign(math.ceil(round(steps, 5)) + middle, distance))


def _compute_convolution(source: DebertaWeights, rows: Float32) -> Float32:
    kernel, bias = source.read_tensor("encoder.conv.conv.weight"), source.read_tensor("encoder.conv.conv.bias")
    reach = kernel.shape[2] // 2
    padded = np.pad(rows, ((reach, reach), (0, 0)))
    return _compute_gelu(sum(padded[offset : offset + len(rows)] @ kernel[:, :, offset].T for offset in range(kernel.shape[2])) + bias)


def _apply_linear(source: DebertaWeights, name: str, rows: Float32) -> Float32:
    return np.asarray(rows @ source.read_matrix(name) + source.read_tensor(f"{name}.bias"), np.float32)


def _apply_layer_norm(source: DebertaWeights, name: str, rows: Float32) -> Float32:
    centred = rows - rows.mean(axis=1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + source.architecture.epsilon)
    return np.asarray(scaled * source.read_tensor(f"{name}.weight") + source.read_tensor(f"{name}.bias"), np.float32)


def _compute_gelu(values: Any) -> Float32:
    return np.asarray(values * 0.5 * (1 + _compute_erf(values / math.sqrt(2))), np.float32)


def _compute_erf(values: Any) -> Any:
    """Return the Gaussian error function, exact to 1.2e-7 everywhere (Numerical Recipes' rational Chebyshev fit of erfc)."""
    t = 1 / (1 + 0.5 * np.abs(values, dtype=np.float64))
    factors = (0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223)
    power: Any = 0.0
    for factor in factors:
        power = power * t + factor
    return np.sign(values) * (1 - t * np.exp(power - values**2))
