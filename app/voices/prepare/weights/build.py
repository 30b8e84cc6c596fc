"""From weights to a prepared voice: the entry of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx

from app.core.symbols import NANAIRO_SYMBOLS
from app.core.types import BERT_WIDTH, STYLE_WIDTH, Float32
from app.voices.prepare.faster.crop import crop_context
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.graphs import PreparedGraphs
from app.voices.prepare.margin import margin_frames
from app.voices.prepare.weights.architecture import Architecture, read_architecture
from app.voices.prepare.weights.attention import near_diagonals
from app.voices.prepare.weights.decoder import decoder_graph
from app.voices.prepare.weights.duration_predictors import duration_predictor, stochastic_duration_predictor
from app.voices.prepare.weights.flow import flow_graph
from app.voices.prepare.weights.layers import Layers
from app.voices.prepare.weights.tensors import Weights
from app.voices.prepare.weights.text_encoder import ENCODER, prior, text_encoder
from app.voices.prepare.weights.transformer_durations import duration_transformer, stochastic_duration_transformer, with_kinds
from app.voices.untrusted.settings import CONFIG_NAME, Section


def graphs_from_weights(config: Mapping[str, Any], tensors: Mapping[str, Float32], place: str = CONFIG_NAME) -> PreparedGraphs:
    """The three graphs of a voice.

    Args:
        config: SBV2's `config.json` (an `.aivm` carries it as `aivm_hyper_parameters`).
        place: where that was read.
        tensors: weights by name, such as an `app.voices.untrusted.safetensors.TensorFile`.

    Raises:
        VoiceError: the weights are no SBV2 voice, or are incomplete.
    """
    weights = Weights(tensors)
    sizes = read_architecture(Section(config, place), weights)
    decoder = decoder_graph(weights, sizes)
    margin = margin_frames(decoder)
    crop_context(decoder)
    return PreparedGraphs(
        prosody=prosody_graph(weights, sizes),
        flow=flow_graph(weights, sizes),
        decoder=decoder,
        margin_frames=margin,
        emoji=sizes.symbols == NANAIRO_SYMBOLS,
    )


def prosody_graph(weights: Weights, sizes: Architecture) -> onnx.ModelProto:
    """The graph text, style, speaker, noise → log durations and the prior of each symbol."""
    writer = GraphWriter("prosody", "T")
    layers = Layers(weights, writer)
    for name in ("x_tst", "tones", "language"):
        writer.input(name, ["T"], onnx.TensorProto.INT64)
    writer.input("sid", [1], onnx.TensorProto.INT64)
    for name in sizes.bert_inputs.values():
        writer.input(name, [BERT_WIDTH, "T"])
    writer.input("style_vec", [STYLE_WIDTH])
    ratio, noise = writer.input("sdp_ratio", []), writer.input("sdp_noise", [2, "T"])

    band = near_diagonals(layers, ENCODER, "x_tst", sizes.heads)
    hidden = text_encoder(layers, sizes, band)
    mean, log_scale = prior(layers, sizes, hidden)
    timed = with_kinds(layers, sizes, hidden)
    if sizes.transformer_durations:
        drawn = stochastic_duration_transformer(layers, sizes, timed, noise, band)
        plain = duration_transformer(layers, sizes, timed, band)
    else:
        drawn = stochastic_duration_predictor(layers, sizes, timed, noise)
        plain = duration_predictor(layers, sizes, timed)
    drawn, plain = writer.op("Mul", drawn, ratio), writer.op("Mul", plain, writer.op("Sub", writer.constant(1.0), ratio))
    writer.output("logw", writer.reshape(writer.op("Add", drawn, plain), [-1]), ["T"])
    writer.output("m_p", mean, [sizes.inter, "T"])
    writer.output("logs_p", log_scale, [sizes.inter, "T"])
    return writer.model()
