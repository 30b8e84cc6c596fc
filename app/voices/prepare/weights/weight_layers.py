"""Layers by the name of their weights: each takes its tensors, checks them, and writes its nodes. The transformer is that of text encoder and flow.

Its relative positions (Shaw et al. 2018) reach a few symbols to each side, so they touch few diagonals of the T×T scores. Only those are read and written, by index; the usual
shifted T×(2T−1) products would be most of the work in long sentences.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.untrusted.regular_file import describe_incomplete_download
from app.voices.untrusted.voice_limits import MAX_WEIGHT_VALUE

ANY_SIZE = -1  # a size that is not known beforehand

SPEAKER_LAYER = 2  # SBV2 gives its encoders the speaker before their third layer


class VoiceWeights:
    """Tensors by the names that the module path gives them, such as `dec.conv_pre.weight`."""

    def __init__(self, tensors: Mapping[str, Float32]) -> None:
        self._tensors = tensors

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def take_tensor(self, name: str, *shape: int) -> Float32:
        """Return a tensor of the given shape, with ANY_SIZE for a size that does not matter; raise VoiceError if it is missing or has another shape."""
        if name not in self._tensors:
            raise build_weight_mismatch_error(localize(f"重み {name} がありません。", f"The tensor {name} is missing."))
        values = self._tensors[name]
        if values.ndim != len(shape) or any(want not in (ANY_SIZE, size) for want, size in zip(shape, values.shape, strict=True)):
            shown = "×".join(map(str, values.shape))
            detail = localize(f"重み {name} の形 {shown} が合いません。", f"The tensor {name} has the unexpected shape {shown}.")
            raise build_weight_mismatch_error(detail)
        # The negation is true for NaN as well, which plain comparisons would let pass.
        if not (values.min(initial=0.0) >= -MAX_WEIGHT_VALUE and values.max(initial=0.0) <= MAX_WEIGHT_VALUE):
            raise _build_damaged_weights_error(localize(f"{name} に無効な値が含まれています", f"{name} contains invalid values"))
        return values

    def read_matrix(self, prefix: str, inputs: int, outputs: int) -> Float32:
        """Return the weights of a linear layer or a convolution of width 1 as (inputs, outputs), to be multiplied from the right."""
        name = f"{prefix}.weight"
        pointwise = name in self._tensors and self._tensors[name].ndim == 3
        values = self.take_tensor(name, outputs, inputs, 1)[:, :, 0] if pointwise else self.take_tensor(name, outputs, inputs)
        return np.ascontiguousarray(values.T)

    def fold_weight_norm(self, prefix: str, *shape: int) -> Float32:
        """Return the weights of a convolution with its weight norm applied: g · v / ‖v‖, with the norm of all but the first axis."""
        if f"{prefix}.weight_v" not in self._tensors:
            return self.take_tensor(f"{prefix}.weight", *shape)
        direction = self.take_tensor(f"{prefix}.weight_v", *shape)
        gain = self.take_tensor(f"{prefix}.weight_g", shape[0], *[1] * (len(shape) - 1))
        norm = np.sqrt(np.square(direction, dtype=np.float64).sum(axis=tuple(range(1, len(shape))), keepdims=True))
        if not norm.all():
            raise _build_damaged_weights_error(localize(f"{prefix} がすべて 0 です", f"those of {prefix} are zero"))
        return np.asarray(direction * (gain / norm), np.float32)

    def list_numbers(self, prefix: str) -> list[int]:
        """Return the numbers that follow a prefix: `flow.flows` gives [0, 2, 4, 6]."""
        pattern = re.compile(re.escape(prefix) + r"\.(\d{1,6})\.")
        return sorted({int(match[1]) for name in self._tensors if (match := pattern.match(name))})

    def count_layers(self, prefix: str, step: int = 1) -> int:
        """Return how many layers are numbered 0, step, 2·step … after a prefix; raise VoiceError when one is missing in between."""
        numbers = self.list_numbers(prefix)
        if numbers != list(range(0, step * len(numbers), step)):
            raise build_weight_mismatch_error(localize(f"重み {prefix} の層が欠けています。", f"Some layers of {prefix} are missing."))
        return len(numbers)


def _build_damaged_weights_error(description: str) -> VoiceError:
    return VoiceError(
        localize(f"この声の重みが壊れています（{description}）。", f"The weights of this voice are damaged: {description}."),
        describe_incomplete_download(),
    )


def build_weight_mismatch_error(detail: str) -> VoiceError:
    message = localize("この声の重みは Style-Bert-VITS2 の構造に合いません。", "The weights of this voice do not match Style-Bert-VITS2.")
    hint = "Style-Bert-VITS2 の声を選ぶか、もう一度ダウンロードしてください。", " Choose a Style-Bert-VITS2 voice, or download it again."
    return VoiceError(message, detail + localize(*hint))


@dataclass(frozen=True, slots=True)
class DiagonalBand:
    """The diagonals near the main one, the same for every layer of a graph: columns int64 [heads, T, diagonals], clipped to the matrix, and 0 where one was clipped, float32 [T, diagonals]."""

    columns: str
    inside: str
    diagonals: int


@dataclass(frozen=True, slots=True)
class LayerWriter:
    """The weights of a voice and the graph they go into. Sizes are given, so that a tensor that does not fit is found out."""

    weights: VoiceWeights
    writer: GraphWriter

    def add_linear(self, name: str, rows: str, inputs: int, outputs: int) -> str:
        """Add a linear layer [T, inputs] → [T, outputs]; a convolution of width 1 is the same."""
        matrix = self.writer.add_weight(f"{name}.weight", self.weights.read_matrix(name, inputs, outputs))
        return self.writer.add_linear(rows, matrix, self.add_bias(name, outputs))

    def add_given_linear(self, name: str, rows: str, matrix: Float32, bias: Float32) -> str:
        """Add a linear layer whose weights were computed, and store them under its name."""
        return self.writer.add_linear(rows, self.writer.add_weight(f"{name}.weight", matrix), self.writer.add_weight(f"{name}.bias", bias))

    def add_conv(self, name: str, image: str, inputs: int, outputs: int, *, dilation: int = 1, groups: int = 1) -> str:
        """Add a convolution [1, inputs, 1, T] → [1, outputs, 1, T], with the weight norm folded in if there is one."""
        kernel = self.weights.fold_weight_norm(name, outputs, inputs // groups, ANY_SIZE)[:, :, None]
        return self.writer.add_conv(image, self.writer.add_weight(f"{name}.weight", kernel), self.add_bias(name, outputs), dilation, groups)

    def add_layer_norm(self, name: str, rows: str, channels: int) -> str:
        """Add a layer norm of [T, channels] over the channels."""
        names = (f"{name}.gamma", f"{name}.beta")
        return self.writer.add_layer_norm(rows, *(self.writer.add_weight(part, self.weights.take_tensor(part, channels)) for part in names))

    def add_bias(self, name: str, outputs: int) -> str:
        """Store the bias of a layer as it is and return its name."""
        return self.writer.add_weight(f"{name}.bias", self.weights.take_tensor(f"{name}.bias", outputs))

    def add_speaker_projection(self, name: str, gin: int, outputs: int) -> str:
        """Add the values that a speaker adds to a layer, [1, outputs]: its embedding goes through linear layers only, so their results are stored, a row per speaker."""
        embeddings = self.weights.take_tensor("emb_g.weight", ANY_SIZE, gin)
        rows = embeddings @ self.weights.read_matrix(name, gin, outputs) + self.weights.take_tensor(f"{name}.bias", outputs)
        return self.writer.add_node("Gather", self.writer.add_weight(f"{name}.speakers", rows), "sid", axis=0)

    def add_diagonal_band(self, name: str, value: str, heads: int) -> DiagonalBand:
        """Add the band of an encoder for sequences as long as `value`, [T] or [T, C]."""
        writer = self.writer
        diagonals = self.weights.take_tensor(f"{name}.attn_layers.0.emb_rel_k", ANY_SIZE, ANY_SIZE, ANY_SIZE).shape[1]
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

    def add_transformer(self, name: str, value: str, channels: int, heads: int, band: DiagonalBand, speaker: str | None) -> str:
        """Add a transformer from [T, channels] to the same shape; `speaker` [1, channels] is None for an encoder that does not know the speaker."""
        writer = self.writer
        for number in range(self.weights.count_layers(f"{name}.attn_layers")):
            with writer.enter_scope(f"{name}.{number}"):
                if speaker is not None and number == SPEAKER_LAYER:
                    value = writer.add_node("Add", value, speaker)
                attended = self._add_attention(f"{name}.attn_layers.{number}", value, channels, heads, band)
                value = self.add_layer_norm(f"{name}.norm_layers_1.{number}", writer.add_node("Add", value, attended), channels)
                convolved = self._add_feed_forward(f"{name}.ffn_layers.{number}", value, channels)
                value = self.add_layer_norm(f"{name}.norm_layers_2.{number}", writer.add_node("Add", value, convolved), channels)
        return value

    def _add_attention(self, name: str, value: str, channels: int, heads: int, band: DiagonalBand) -> str:
        """Add self-attention over [T, channels]; queries, keys and values come out of one product."""
        writer, weights, width = self.writer, self.weights, channels // heads
        mixed = self.add_given_linear(f"{name}.qkv", value, *_merge_query_key_value(weights, name, channels, heads))
        by_head = writer.add_transpose(writer.add_reshape(mixed, [0, 3 * heads, width]), 1, 0, 2)
        query, key, values = writer.add_split(by_head, [heads] * 3, axis=0)  # [heads, T, width] each

        table = weights.take_tensor(f"{name}.emb_rel_k", ANY_SIZE, band.diagonals, width).transpose(0, 2, 1)
        near_keys = writer.add_weight(f"{name}.emb_rel_k", table)
        # A clipped column is there twice: it adds nothing.
        near = writer.add_node("Mul", writer.add_node("MatMul", query, near_keys), band.inside)
        scores = writer.add_node("MatMul", query, writer.add_transpose(key, 0, 2, 1))
        scores = writer.add_node("ScatterElements", scores, band.columns, near, axis=2, reduction="add")
        shares = writer.add_node("Softmax", scores, axis=-1)

        near_values = writer.add_weight(f"{name}.emb_rel_v", weights.take_tensor(f"{name}.emb_rel_v", ANY_SIZE, band.diagonals, width))
        near = writer.add_node("Mul", writer.add_node("GatherElements", shares, band.columns, axis=2), band.inside)
        result = writer.add_node("Add", writer.add_node("MatMul", shares, values), writer.add_node("MatMul", near, near_values))
        joined = writer.add_reshape(writer.add_transpose(result, 1, 0, 2), [0, channels])
        return self.add_linear(f"{name}.conv_o", joined, channels, channels)

    def _add_feed_forward(self, name: str, value: str, channels: int) -> str:
        """Add two convolutions with a ReLU between them, from [T, channels] to the same shape."""
        writer = self.writer
        inner = self.weights.take_tensor(f"{name}.conv_1.bias", ANY_SIZE).shape[0]
        wide = writer.add_node("Relu", self.add_conv(f"{name}.conv_1", writer.convert_to_image(value), channels, inner))
        return writer.convert_to_rows(self.add_conv(f"{name}.conv_2", wide, inner, channels))


def _merge_query_key_value(weights: VoiceWeights, name: str, channels: int, heads: int) -> tuple[Float32, Float32]:
    """Return one matrix (C, 3C) and bias (3C,) for queries, keys and values; the queries already include the scale 1/√width of the scores."""
    scale = np.float32(1 / np.sqrt(channels // heads))
    matrices = [weights.read_matrix(f"{name}.conv_{part}", channels, channels) for part in "qkv"]
    biases = [weights.take_tensor(f"{name}.conv_{part}.bias", channels) for part in "qkv"]
    return np.hstack([matrices[0] * scale, *matrices[1:]]), np.hstack([biases[0] * scale, *biases[1:]])
