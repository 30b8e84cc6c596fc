"""Text encoder: phones, tones, language, BERT features and style → what each symbol is to sound like."""

from __future__ import annotations

import numpy as np

from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH
from app.voices.prepare.weights.relative_transformer import DiagonalBand, add_transformer
from app.voices.prepare.weights.voice_sizes import VoiceSizes
from app.voices.prepare.weights.weight_layers import LayerWriter

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
