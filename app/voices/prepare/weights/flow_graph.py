"""The flow of SBV2 in reverse: transformer couplings (Kong et al. 2023, VITS2) from the prior to what the decoder speaks."""

from __future__ import annotations

import numpy as np
import onnx

from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.checked_weights import ANY_SIZE, VoiceWeights
from app.voices.prepare.weights.relative_transformer import DiagonalBand, add_diagonal_band, add_transformer
from app.voices.prepare.weights.voice_sizes import VoiceSizes
from app.voices.prepare.weights.weight_layers import LayerWriter

# The numbers in names count the flips between couplings, too.
COUPLING_STEP = 2


def build_flow_graph(weights: VoiceWeights, sizes: VoiceSizes) -> onnx.ModelProto:
    """Build the graph z_p, sid → z.

    The channels turn around before each coupling. Nothing is moved for that: a coupling reads and writes the halves where they
    lie, through weights whose rows are turned.
    """
    writer = GraphWriter("flow", "F")
    layers = LayerWriter(weights, writer)
    z_p = writer.add_input("z_p", [sizes.inter, "F"])
    writer.add_input("sid", [1], onnx.TensorProto.INT64)
    half = sizes.inter // 2
    halves = writer.add_split(writer.add_transpose(z_p, 1, 0), [half, half], axis=1)
    band = add_diagonal_band(layers, "flow.flows.0.enc", halves[0], sizes.heads)
    turned = False
    for number in reversed(range(weights.count_layers("flow.flows", COUPLING_STEP))):
        turned = not turned
        known, changed = (1, 0) if turned else (0, 1)
        shift = _add_coupling(layers, f"flow.flows.{number * COUPLING_STEP}", halves[known], sizes, band, turned)
        halves[changed] = writer.add_node("Sub", halves[changed], shift)
    joined = writer.add_node("Concat", *halves, axis=1)
    if turned:
        joined = writer.add_node("Gather", joined, writer.add_constant(np.arange(sizes.inter)[::-1], np.int64), axis=1)
    writer.add_output("z", writer.add_transpose(joined, 1, 0), [sizes.inter, "F"])
    return writer.build_model()


def _add_coupling(layers: LayerWriter, name: str, known: str, sizes: VoiceSizes, band: DiagonalBand, is_reversed: bool) -> str:
    """Add a coupling: one half [F, inter/2] determines the values that are subtracted from the other."""
    writer, weights = layers.writer, layers.weights
    half, hidden = sizes.inter // 2, weights.take_tensor(f"{name}.pre.bias", ANY_SIZE).shape[0]
    step = -1 if is_reversed else 1
    with writer.enter_scope(name):
        matrix = weights.read_matrix(f"{name}.pre", half, hidden)[::step]
        bias = weights.take_tensor(f"{name}.pre.bias", hidden)
        value = writer.add_linear(known, writer.add_weight(f"{name}.pre.weight", matrix), writer.add_weight(f"{name}.pre.bias", bias))
        speaker = layers.add_speaker_projection(f"{name}.enc.spk_emb_linear", sizes.gin, hidden)
    value = add_transformer(layers, f"{name}.enc", value, hidden, sizes.heads, band, speaker)
    with writer.enter_scope(name):
        matrix = weights.read_matrix(f"{name}.post", hidden, half)[:, ::step]
        bias = weights.take_tensor(f"{name}.post.bias", half)[::step]
        return writer.add_linear(value, writer.add_weight(f"{name}.post.weight", matrix), writer.add_weight(f"{name}.post.bias", bias))
