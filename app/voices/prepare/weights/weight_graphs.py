"""From weights to a prepared voice: the entry of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnx

from app.core.symbols import NANAIRO_SYMBOL_COUNT
from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH, Float32
from app.voices.prepare.context_margin import compute_margin_frames
from app.voices.prepare.faster.crop_context import crop_decoder_context
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.prepared_graphs import PreparedGraphs
from app.voices.prepare.weights.checked_weights import VoiceWeights
from app.voices.prepare.weights.decoder_graph import build_decoder_graph
from app.voices.prepare.weights.duration_predictors import add_duration_predictor, add_stochastic_duration_predictor
from app.voices.prepare.weights.flow_graph import build_flow_graph
from app.voices.prepare.weights.relative_transformer import add_diagonal_band
from app.voices.prepare.weights.text_encoder import ENCODER_MODULE, add_prior, add_text_encoder
from app.voices.prepare.weights.transformer_durations import add_duration_transformer, add_stochastic_duration_transformer, add_symbol_kinds
from app.voices.prepare.weights.voice_sizes import VoiceSizes, read_voice_sizes
from app.voices.prepare.weights.weight_layers import LayerWriter
from app.voices.untrusted.sbv2_config import SBV2_CONFIG_NAME, ConfigSection


def build_voice_graphs(config: Mapping[str, Any], tensors: Mapping[str, Float32], config_source: str = SBV2_CONFIG_NAME) -> PreparedGraphs:
    """Build the three graphs of a voice.

    Args:
        config: SBV2's `config.json` (an `.aivm` carries it as `aivm_hyper_parameters`).
        config_source: where that was read.
        tensors: weights by name, such as an `app.voices.untrusted.safetensors_file.SafetensorsFile`.

    Raises:
        VoiceError: the weights are no SBV2 voice, or are incomplete.
    """
    weights = VoiceWeights(tensors)
    sizes = read_voice_sizes(ConfigSection(config, config_source), weights)
    decoder = build_decoder_graph(weights, sizes)
    margin = compute_margin_frames(decoder)
    crop_decoder_context(decoder)
    return PreparedGraphs(
        prosody=build_prosody_graph(weights, sizes),
        flow=build_flow_graph(weights, sizes),
        decoder=decoder,
        margin_frames=margin,
        emoji=sizes.symbol_count == NANAIRO_SYMBOL_COUNT,
    )


def build_prosody_graph(weights: VoiceWeights, sizes: VoiceSizes) -> onnx.ModelProto:
    """Build the graph from text, style, speaker and noise to log durations and the prior of each symbol."""
    writer = GraphWriter("prosody", "T")
    layers = LayerWriter(weights, writer)
    for name in ("x_tst", "tones", "language"):
        writer.add_input(name, ["T"], onnx.TensorProto.INT64)
    writer.add_input("sid", [1], onnx.TensorProto.INT64)
    for name in sizes.bert_inputs.values():
        writer.add_input(name, [BERT_WIDTH, "T"])
    writer.add_input("style_vec", [STYLE_WIDTH])
    ratio, noise = writer.add_input("sdp_ratio", []), writer.add_input("sdp_noise", [2, "T"])

    band = add_diagonal_band(layers, ENCODER_MODULE, "x_tst", sizes.heads)
    hidden = add_text_encoder(layers, sizes, band)
    mean, log_scale = add_prior(layers, sizes, hidden)
    timed = add_symbol_kinds(layers, sizes, hidden)
    if sizes.has_transformer_durations:
        drawn = add_stochastic_duration_transformer(layers, sizes, timed, noise, band)
        plain = add_duration_transformer(layers, sizes, timed, band)
    else:
        drawn = add_stochastic_duration_predictor(layers, sizes, timed, noise)
        plain = add_duration_predictor(layers, sizes, timed)
    drawn, plain = (
        writer.add_node("Mul", drawn, ratio),
        writer.add_node("Mul", plain, writer.add_node("Sub", writer.add_constant(1.0), ratio)),
    )
    writer.add_output("logw", writer.add_reshape(writer.add_node("Add", drawn, plain), [-1]), ["T"])
    writer.add_output("m_p", mean, [sizes.inter, "T"])
    writer.add_output("logs_p", log_scale, [sizes.inter, "T"])
    return writer.build_model()
