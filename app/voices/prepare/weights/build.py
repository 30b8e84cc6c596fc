"""From weights to a prepared voice: the entry of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx

from app.core.types import BERT_WIDTH, STYLE_WIDTH, Float32
from app.voices.prepare.faster.crop import crop_context
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.graphs import PreparedGraphs
from app.voices.prepare.margin import margin_frames
from app.voices.prepare.weights.architecture import Architecture, read_architecture
from app.voices.prepare.weights.decoder import decoder_graph
from app.voices.prepare.weights.duration_predictors import duration_predictor, stochastic_duration_predictor
from app.voices.prepare.weights.flow import flow_graph
from app.voices.prepare.weights.layers import Layers
from app.voices.prepare.weights.tensors import Weights
from app.voices.prepare.weights.text_encoder import prior, text_encoder


def graphs_from_weights(config: Mapping[str, Any], tensors: Mapping[str, Float32]) -> PreparedGraphs:
    """The three graphs of a voice.

    Args:
        config: SBV2's `config.json` (an `.aivm` carries it as `aivm_hyper_parameters`).
        tensors: weights by name, such as an `app.voices.safetensors.TensorFile`.

    Raises:
        VoiceError: the weights are no SBV2 voice, or are incomplete.
    """
    weights = Weights(tensors)
    sizes = read_architecture(config, weights)
    decoder = decoder_graph(weights, sizes)
    margin = margin_frames(decoder)
    crop_context(decoder)
    return PreparedGraphs(
        prosody=prosody_graph(weights, sizes),
        flow=flow_graph(weights, sizes),
        decoder=decoder,
        margin_frames=margin,
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

    hidden = text_encoder(layers, sizes)
    mean, log_scale = prior(layers, sizes, hidden)
    drawn = writer.op("Mul", stochastic_duration_predictor(layers, sizes, hidden, noise), ratio)
    plain = writer.op("Mul", duration_predictor(layers, sizes, hidden), writer.op("Sub", writer.constant(1.0), ratio))
    writer.output("logw", writer.reshape(writer.op("Add", drawn, plain), [-1]), ["T"])
    writer.output("m_p", mean, [sizes.inter, "T"])
    writer.output("logs_p", log_scale, [sizes.inter, "T"])
    return writer.model()
