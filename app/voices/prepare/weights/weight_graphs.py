"""From weights to a prepared voice: the entry of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
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
from app.voices.prepare.weights.relative_transformer import DiagonalBand, add_diagonal_band, add_transformer
from app.voices.prepare.weights.transformer_durations import add_duration_transformer, add_stochastic_duration_transformer, add_symbol_kinds
from app.voices.prepare.weights.voice_sizes import VoiceSizes, read_voice_sizes
from app.voices.prepare.weights.weight_layers import LayerWriter
from app.voices.untrusted.sbv2_config import SBV2_CONFIG_NAME, ConfigSection

TONE_COUNT, LANGUAGE_COUNT = 12, 3  # another size: other ids
ENCODER_MODULE = "enc_p.encoder"


def add_text_encoder(layers: LayerWriter, sizes: VoiceSizes, band: DiagonalBand) -> str:
    """Add the text encoder and return the hidden features [T, hidden] of the graph's text inputs."""
    writer, weights, hidden = layers.writer, layers.weights, sizes.hidden
    # Every summand is scaled by this, so the weights carry the factor.
    scale = np.float32(np.sqrt(hidden))
    with writer.enter_scope("enc_p"):
        value = _add_style(layers, hidden, scale)
        for table, name, size in (
            ("emb", "x_tst", sizes.symbol_count),
            ("tone_emb", "tones", TONE_COUNT),
            ("language_emb", "language", LANGUAGE_COUNT),
        ):
            rows = weights.take_tensor(f"enc_p.{table}.weight", size, hidden) * scale
            value = writer.add_node("Add", value, writer.add_node("Gather", writer.add_weight(f"enc_p.{table}.weight", rows), name, axis=0))
        for layer, name in sizes.bert_inputs.items():
            matrix = writer.add_weight(f"enc_p.{layer}.weight", weights.read_matrix(f"enc_p.{layer}", BERT_WIDTH, hidden) * scale)
            value = writer.add_node("Gemm", name, matrix, value, transA=1)
    knows_speaker = f"{ENCODER_MODULE}.spk_emb_linear.weight" in weights
    speaker = layers.add_speaker_projection(f"{ENCODER_MODULE}.spk_emb_linear", sizes.gin, hidden) if knows_speaker else None
    return add_transformer(layers, ENCODER_MODULE, value, hidden, sizes.heads, band, speaker)


def add_prior(layers: LayerWriter, sizes: VoiceSizes, value: str) -> tuple[str, str]:
    """Add mean and log scale of the prior, [inter, T] each."""
    both = layers.writer.add_transpose(layers.add_linear("enc_p.proj", value, sizes.hidden, 2 * sizes.inter), 1, 0)
    mean, log_scale = layers.writer.add_split(both, [sizes.inter] * 2, axis=0)
    return mean, log_scale


def _add_style(layers: LayerWriter, hidden: int, scale: np.float32) -> str:
    """Add the vector that is the same for every symbol: the projected style and the biases of the BERT projections, [1, hidden]."""
    writer, weights = layers.writer, layers.weights
    projections = [f"enc_p.{name}_proj" for name in ("style", "bert", "ja_bert", "en_bert")]
    bias = sum(weights.take_tensor(f"{name}.bias", hidden) for name in projections if f"{name}.bias" in weights)
    matrix = writer.add_weight("enc_p.style_proj.weight", weights.read_matrix("enc_p.style_proj", STYLE_WIDTH, hidden) * scale)
    return writer.add_node(
        "Gemm", writer.add_reshape("style_vec", [1, STYLE_WIDTH]), matrix, writer.add_weight("enc_p.style_proj.bias", bias * scale)
    )


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
