"""The two duration predictors of Nanairo: transformers that know the speaker, in place of JP-Extra's convolutions.

Both also look at the kind of each symbol, where the voice has a table of kinds.
"""

from __future__ import annotations

import onnx

from app.core.symbol_kinds import KIND_COUNT
from app.voices.prepare.weights.architecture import Architecture
from app.voices.prepare.weights.attention import Band, encoder
from app.voices.prepare.weights.duration_predictors import flows_in_reverse
from app.voices.prepare.weights.layers import Layers

KIND_INPUT = "duration_symbol_type_ids"


def with_kinds(layers: Layers, sizes: Architecture, value: str) -> str:
    """Hidden features [T, hidden] with the kinds of the symbols added, which become an input of the graph."""
    if sizes.kinds is None:
        return value
    writer = layers.writer
    kinds = writer.input(KIND_INPUT, ["T"], onnx.TensorProto.INT64)
    table = writer.weight("kinds", layers.weights.take(sizes.kinds, KIND_COUNT, sizes.hidden))
    return writer.op("Add", value, writer.op("Gather", table, kinds, axis=0))


def duration_transformer(layers: Layers, sizes: Architecture, value: str, band: Band) -> str:
    """Log durations [T, 1] from hidden features [T, hidden]."""
    value = _transformer(layers, sizes, "dp.transformer_encoder", value, band)
    with layers.writer.scope("dp"):
        return layers.linear("dp.output_proj", value, sizes.hidden, 1)


def stochastic_duration_transformer(layers: Layers, sizes: Architecture, value: str, noise: str, band: Band) -> str:
    """Log durations [T, 1] from hidden features [T, hidden] and noise [2, T]."""
    writer, hidden = layers.writer, sizes.hidden
    with writer.scope("sdp"):
        value = layers.linear("sdp.prior_input_proj", value, hidden, hidden)
    value = _transformer(layers, sizes, "sdp.prior_cond_encoder", value, band)
    with writer.scope("sdp"):
        value = layers.linear("sdp.prior_output_proj", value, hidden, hidden)
        return flows_in_reverse(layers, "sdp.prior_flow_layers", value, noise, hidden)


def _transformer(layers: Layers, sizes: Architecture, name: str, value: str, band: Band) -> str:
    speaker = layers.speaker(f"{name}.spk_emb_linear", sizes.gin, sizes.hidden)
    return encoder(layers, name, value, sizes.hidden, sizes.heads, band, speaker)
