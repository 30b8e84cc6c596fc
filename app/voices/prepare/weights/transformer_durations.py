"""The two duration predictors of Nanairo: transformers that know the speaker, in place of JP-Extra's convolutions.

Both also look at the kind of each symbol, where the voice has a table of kinds.
"""

from __future__ import annotations

import onnx

from app.core.symbol_kinds import SYMBOL_KIND_COUNT
from app.voices.prepare.weights.duration_predictors import add_reversed_flows
from app.voices.prepare.weights.relative_transformer import DiagonalBand, add_transformer
from app.voices.prepare.weights.voice_sizes import VoiceSizes
from app.voices.prepare.weights.weight_layers import LayerWriter

KIND_INPUT = "duration_symbol_type_ids"


def add_symbol_kinds(layers: LayerWriter, sizes: VoiceSizes, value: str) -> str:
    """Add the kinds of the symbols, a new input of the graph, to the hidden features [T, hidden]."""
    if sizes.kind_table is None:
        return value
    writer = layers.writer
    kinds = writer.add_input(KIND_INPUT, ["T"], onnx.TensorProto.INT64)
    table = writer.add_weight("kinds", layers.weights.take_tensor(sizes.kind_table, SYMBOL_KIND_COUNT, sizes.hidden))
    return writer.add_node("Add", value, writer.add_node("Gather", table, kinds, axis=0))


def add_duration_transformer(layers: LayerWriter, sizes: VoiceSizes, value: str, band: DiagonalBand) -> str:
    """Log durations [T, 1] from hidden features [T, hidden]."""
    value = _add_transformer(layers, sizes, "dp.transformer_encoder", value, band)
    with layers.writer.enter_scope("dp"):
        return layers.add_linear("dp.output_proj", value, sizes.hidden, 1)


def add_stochastic_duration_transformer(layers: LayerWriter, sizes: VoiceSizes, value: str, noise: str, band: DiagonalBand) -> str:
    """Log durations [T, 1] from hidden features [T, hidden] and noise [2, T]."""
    writer, hidden = layers.writer, sizes.hidden
    with writer.enter_scope("sdp"):
        value = layers.add_linear("sdp.prior_input_proj", value, hidden, hidden)
    value = _add_transformer(layers, sizes, "sdp.prior_cond_encoder", value, band)
    with writer.enter_scope("sdp"):
        value = layers.add_linear("sdp.prior_output_proj", value, hidden, hidden)
        return add_reversed_flows(layers, "sdp.prior_flow_layers", value, noise, hidden)


def _add_transformer(layers: LayerWriter, sizes: VoiceSizes, name: str, value: str, band: DiagonalBand) -> str:
    speaker = layers.add_speaker_projection(f"{name}.spk_emb_linear", sizes.gin, sizes.hidden)
    return add_transformer(layers, name, value, sizes.hidden, sizes.heads, band, speaker)
