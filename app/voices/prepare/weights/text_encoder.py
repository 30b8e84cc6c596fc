"""Text encoder: phones, tones, language, BERT features and style → what each symbol is to sound like."""

from __future__ import annotations

import numpy as np

from app.core.types import BERT_WIDTH, STYLE_WIDTH
from app.voices.prepare.weights.architecture import Architecture
from app.voices.prepare.weights.attention import Band, encoder
from app.voices.prepare.weights.layers import Layers

TONES, LANGUAGES = 12, 3  # another size: other ids
ENCODER = "enc_p.encoder"


def text_encoder(layers: Layers, sizes: Architecture, band: Band) -> str:
    """Hidden features [T, hidden] from the graph's text inputs."""
    writer, weights, hidden = layers.writer, layers.weights, sizes.hidden
    scale = np.float32(np.sqrt(hidden))  # everything that is summed here is scaled; the weights carry it
    with writer.scope("enc_p"):
        value = _style(layers, hidden, scale)
        for table, name, size in (("emb", "x_tst", sizes.symbols), ("tone_emb", "tones", TONES), ("language_emb", "language", LANGUAGES)):
            rows = weights.take(f"enc_p.{table}.weight", size, hidden) * scale
            value = writer.op("Add", value, writer.op("Gather", writer.weight(f"enc_p.{table}.weight", rows), name, axis=0))
        for layer, name in sizes.bert_inputs.items():
            matrix = writer.weight(f"enc_p.{layer}.weight", weights.matrix(f"enc_p.{layer}", BERT_WIDTH, hidden) * scale)
            value = writer.op("Gemm", name, matrix, value, transA=1)
    knows_speaker = f"{ENCODER}.spk_emb_linear.weight" in weights
    speaker = layers.speaker(f"{ENCODER}.spk_emb_linear", sizes.gin, hidden) if knows_speaker else None
    return encoder(layers, ENCODER, value, hidden, sizes.heads, band, speaker)


def prior(layers: Layers, sizes: Architecture, value: str) -> tuple[str, str]:
    """Mean and log scale of the prior, [inter, T] each."""
    both = layers.writer.transpose(layers.linear("enc_p.proj", value, sizes.hidden, 2 * sizes.inter), 1, 0)
    mean, log_scale = layers.writer.split(both, [sizes.inter] * 2, axis=0)
    return mean, log_scale


def _style(layers: Layers, hidden: int, scale: np.float32) -> str:
    """What is the same for every symbol: the projected style and the biases of the BERT projections, [1, hidden]."""
    writer, weights = layers.writer, layers.weights
    projections = [f"enc_p.{name}_proj" for name in ("style", "bert", "ja_bert", "en_bert")]
    bias = sum(weights.take(f"{name}.bias", hidden) for name in projections if f"{name}.bias" in weights)
    matrix = writer.weight("enc_p.style_proj.weight", weights.matrix("enc_p.style_proj", STYLE_WIDTH, hidden) * scale)
    return writer.op("Gemm", writer.reshape("style_vec", [1, STYLE_WIDTH]), matrix, writer.weight("enc_p.style_proj.bias", bias * scale))
