"""The prosody graph of Kokoro-82M: tokens and a style become log durations, and what the flow graph needs of every token.

A small BERT (an ALBERT: twelve layers with the same weights) reads the tokens; LSTMs predict the durations from it; a second encoder
makes the features that the decoder speaks.
"""

from collections.abc import Sequence

import numpy as np
import onnx

from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_layers import MICROSOFT_DOMAIN, STATE_SIZE, STYLE_HALF, IntegerProduct, KokoroLayers, KokoroWeights

TOKEN_COUNT, POSITION_COUNT = 178, 512
EMBEDDING_SIZE, BERT_SIZE, BERT_HEADS, FEED_FORWARD_SIZE, BERT_LAYERS = 128, 768, 12, 2048, 12
BERT_NORM_EPSILON = 1e-12
HIDDEN_SIZE = 2 * STATE_SIZE
TEXT_CONVOLUTIONS, TEXT_KERNEL, TEXT_SLOPE = 3, 5, 0.2
MAX_TOKEN_FRAMES = 50  # the durations' sum of sigmoids
PREDICTOR_SIZE = HIDDEN_SIZE + STYLE_HALF
PROSODY_SIZE = PREDICTOR_SIZE + HIDDEN_SIZE
"""Channels of the prior: what pitch and energy are predicted from, then the features for the decoder."""

_LAYER = "encoder.bert.encoder.albert_layer_groups.0.albert_layers.0"


def build_prosody_graph(weights: KokoroWeights) -> onnx.ModelProto:
    """Build the graph x_tst, style_vec → logw, m_p, logs_p; the last one has no rows, as no noise is added."""
    writer = GraphWriter("prosody", "T")
    writer.add_domain(MICROSOFT_DOMAIN)
    layers = KokoroLayers(weights, writer)
    tokens = writer.add_input("x_tst", ["T"], onnx.TensorProto.INT64)
    style = writer.add_reshape(writer.add_input("style_vec", [2 * STYLE_HALF]), [1, 2 * STYLE_HALF])
    style = writer.add_split(style, [STYLE_HALF, STYLE_HALF], axis=1)[1]
    hidden = _add_duration_encoder(layers, _add_bert(layers, tokens), style)
    features = _add_text_encoder(layers, tokens)
    mean = writer.add_transpose(writer.add_node("Concat", hidden, features, axis=1), 1, 0)
    writer.add_output("logw", writer.add_node("Log", _add_durations(layers, hidden)), ["T"])
    writer.add_output("m_p", mean, [PROSODY_SIZE, "T"])
    writer.add_output("logs_p", writer.add_split(mean, [0, PROSODY_SIZE], axis=0)[0], [0, "T"])
    return writer.build_model()


def _add_bert(layers: KokoroLayers, tokens: str) -> str:
    """Add the BERT and return [T, HIDDEN_SIZE]."""
    writer, weights, prefix = layers.writer, layers.weights, "encoder.bert.embeddings"
    words = _add_embedding(layers, f"{prefix}.word_embeddings", tokens, TOKEN_COUNT, EMBEDDING_SIZE)
    kinds = weights.take_packed(f"{prefix}.token_type_embeddings", 2, EMBEDDING_SIZE).unpack()[0]
    places = weights.take_packed(f"{prefix}.position_embeddings", POSITION_COUNT, EMBEDDING_SIZE).unpack() + kinds
    size = writer.add_node("Shape", tokens)
    zero, one = writer.add_constant([0], np.int64), writer.add_constant([1], np.int64)
    place = writer.add_node("Slice", writer.add_weight(f"{prefix}.position_embeddings", places), zero, size, zero, one)
    value = writer.add_node("Add", words, place)
    norm = [layers.add_tensor(f"{prefix}.LayerNorm.{part}", EMBEDDING_SIZE) for part in ("weight", "bias")]
    value = writer.add_node("LayerNormalization", value, *norm, axis=-1, epsilon=BERT_NORM_EPSILON)
    value = layers.add_linear("encoder.bert.encoder.embedding_hidden_mapping_in", value, EMBEDDING_SIZE, BERT_SIZE)
    shared = _SharedBertLayer(layers)
    for _ in range(BERT_LAYERS):
        value = shared.add_layer(value)
    return layers.add_linear("encoder.bert_encoder", value, BERT_SIZE, HIDDEN_SIZE)


class _SharedBertLayer:
    """Adds the layer that the BERT runs twelve times; its weights are stored once."""

    def __init__(self, layers: KokoroLayers) -> None:
        self._layers = layers
        self._products = {
            "attention.query": _join_products(layers, [f"attention.{part}" for part in ("query", "key", "value")], BERT_SIZE, BERT_SIZE),
            "attention.dense": _join_products(layers, ["attention.dense"], BERT_SIZE, BERT_SIZE),
            "ffn": _join_products(layers, ["ffn"], BERT_SIZE, FEED_FORWARD_SIZE),
            "ffn_output": _join_products(layers, ["ffn_output"], FEED_FORWARD_SIZE, BERT_SIZE),
        }
        self._norms = {
            name: [layers.add_tensor(f"{_LAYER}.{name}.{part}", BERT_SIZE) for part in ("weight", "bias")]
            for name in ("attention.LayerNorm", "full_layer_layer_norm")
        }

    def add_layer(self, value: str) -> str:
        """Add the layer once more and return [T, BERT_SIZE]."""
        writer = self._layers.writer
        value = self._add_norm("attention.LayerNorm", writer.add_node("Add", value, self._add_attention(value)))
        inner = _add_tanh_gelu(self._layers, self._products["ffn"].add_to(writer, value))
        return self._add_norm("full_layer_layer_norm", writer.add_node("Add", self._products["ffn_output"].add_to(writer, inner), value))

    def _add_attention(self, value: str) -> str:
        writer, width = self._layers.writer, BERT_SIZE // BERT_HEADS
        parts = writer.add_split(self._products["attention.query"].add_to(writer, value), [BERT_SIZE] * 3, axis=1)
        query, key, content = (writer.add_reshape(part, [-1, BERT_HEADS, width]) for part in parts)
        scores = writer.add_node("MatMul", writer.add_transpose(query, 1, 0, 2), writer.add_transpose(key, 1, 2, 0))
        weights = writer.add_node("Softmax", writer.add_node("Mul", scores, writer.add_constant(1 / np.sqrt(width))), axis=-1)
        mixed = writer.add_transpose(writer.add_node("MatMul", weights, writer.add_transpose(content, 1, 0, 2)), 1, 0, 2)
        return self._products["attention.dense"].add_to(writer, writer.add_reshape(mixed, [-1, BERT_SIZE]))

    def _add_norm(self, name: str, value: str) -> str:
        return self._layers.writer.add_node("LayerNormalization", value, *self._norms[name], axis=-1, epsilon=BERT_NORM_EPSILON)


def _join_products(layers: KokoroLayers, names: Sequence[str], inputs: int, outputs: int) -> IntegerProduct:
    """Store the weights of linear layers that read the same as those of one layer."""
    weights = [layers.weights.take_packed(f"{_LAYER}.{name}", inputs, outputs) for name in names]
    biases = [layers.weights.take_tensor(f"{_LAYER}.{name}.bias", outputs) for name in names]
    return layers.store_integer_product(f"{_LAYER}.{names[0]}", weights, biases)


def _add_tanh_gelu(layers: KokoroLayers, value: str) -> str:
    """Add the Gaussian error linear unit by its approximation with a tanh, which this BERT was trained with."""
    writer = layers.writer
    cube = writer.add_node("Mul", writer.add_node("Mul", value, value), value)
    inner = writer.add_node("Add", value, writer.add_node("Mul", cube, writer.add_constant(0.044715)))
    curve = writer.add_node("Tanh", writer.add_node("Mul", inner, writer.add_constant(np.sqrt(2 / np.pi))))
    half = writer.add_node("Mul", value, writer.add_constant(0.5))
    return writer.add_node("Mul", half, writer.add_node("Add", curve, writer.add_constant(1.0)))


def _add_embedding(layers: KokoroLayers, module: str, tokens: str, count: int, size: int) -> str:
    table = layers.store_weight(module, layers.weights.take_packed(module, count, size))
    return layers.writer.add_node("Gather", table, tokens, axis=0)


def _add_duration_encoder(layers: KokoroLayers, value: str, style: str) -> str:
    """Add LSTMs with norms that follow the style and return [T, PREDICTOR_SIZE], the style in the last columns."""
    writer, prefix = layers.writer, "encoder.predictor.text_encoder"
    # [T, 1] · [1, STYLE_HALF]: the style in every row
    ones = writer.add_node("Slice", value, *(writer.add_constant([number], np.int64) for number in (0, 1, 1, 1)))
    ones = writer.add_node("Add", writer.add_node("Mul", ones, writer.add_constant(0.0)), writer.add_constant(1.0))
    rows = writer.add_node("Mul", ones, style)
    value = writer.add_node("Concat", value, rows, axis=1)
    flat = [writer.add_weight(f"{prefix}.{name}", np.full(HIDDEN_SIZE, number)) for name, number in (("ones", 1.0), ("zeros", 0.0))]
    for number in range(0, 6, 2):
        value = writer.add_layer_norm(layers.add_lstm(f"{prefix}.lstms.{number}", value, PREDICTOR_SIZE), *flat)
        module = f"{prefix}.lstms.{number + 1}.fc"
        gain, shift = layers.add_style_affine(module, style, HIDDEN_SIZE)
        value = writer.add_node("Add", writer.add_node("Mul", value, gain), shift)
        value = writer.add_node("Concat", value, rows, axis=1)
    return value


def _add_durations(layers: KokoroLayers, hidden: str) -> str:
    """Add the frames of each token at speed 1, [T]."""
    writer, prefix = layers.writer, "encoder.predictor"
    value = layers.add_lstm(f"{prefix}.lstm", hidden, PREDICTOR_SIZE)
    module = f"{prefix}.duration_proj.linear_layer"
    value = writer.add_node("Sigmoid", layers.add_linear(module, value, HIDDEN_SIZE, MAX_TOKEN_FRAMES))
    return writer.add_node("ReduceSum", value, writer.add_constant([1], np.int64), keepdims=0)


def _add_text_encoder(layers: KokoroLayers, tokens: str) -> str:
    """Add convolutions and an LSTM over the tokens and return [T, HIDDEN_SIZE]."""
    writer, prefix = layers.writer, "encoder.text_encoder"
    value = _add_embedding(layers, f"{prefix}.embedding", tokens, TOKEN_COUNT, HIDDEN_SIZE)
    for number in range(TEXT_CONVOLUTIONS):
        name = f"{prefix}.cnn.{number}"
        image = layers.add_conv(
            f"{name}.cnn.{number}.0", writer.convert_to_image(value), HIDDEN_SIZE, HIDDEN_SIZE, TEXT_KERNEL, bias=f"{name}.0.bias"
        )
        norm = (layers.add_tensor(f"{name}.1.{part}", HIDDEN_SIZE) for part in ("gamma", "beta"))
        value = layers.add_leaky_relu(writer.add_layer_norm(writer.convert_to_rows(image), *norm), TEXT_SLOPE)
    return layers.add_lstm(f"{prefix}.lstm", value, HIDDEN_SIZE)
