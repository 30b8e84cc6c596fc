"""The flow of SBV2 in reverse: transformer couplings (Kong et al. 2023, VITS2) from the prior to what the decoder speaks."""

from __future__ import annotations

import numpy as np
import onnx

from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.architecture import Architecture
from app.voices.prepare.weights.attention import Band, encoder, near_diagonals
from app.voices.prepare.weights.layers import Layers
from app.voices.prepare.weights.tensors import ANY, Weights

COUPLING_STEP = 2  # the names count the turns between couplings, too


def flow_graph(weights: Weights, sizes: Architecture) -> onnx.ModelProto:
    """The graph z_p, sid → z.

    The channels turn around before each coupling. Nothing is moved for that: a coupling reads and writes the halves where they
    lie, through weights whose rows are turned.
    """
    writer = GraphWriter("flow", "F")
    layers = Layers(weights, writer)
    z_p = writer.input("z_p", [sizes.inter, "F"])
    writer.input("sid", [1], onnx.TensorProto.INT64)
    half = sizes.inter // 2
    halves = writer.split(writer.transpose(z_p, 1, 0), [half, half], axis=1)
    band = near_diagonals(layers, "flow.flows.0.enc", halves[0], sizes.heads)
    turned = False
    for number in reversed(range(weights.count("flow.flows", COUPLING_STEP))):
        turned = not turned
        known, changed = (1, 0) if turned else (0, 1)
        shift = _coupling(layers, f"flow.flows.{number * COUPLING_STEP}", halves[known], sizes, band, turned)
        halves[changed] = writer.op("Sub", halves[changed], shift)
    joined = writer.op("Concat", *halves, axis=1)
    if turned:
        joined = writer.op("Gather", joined, writer.constant(np.arange(sizes.inter)[::-1], np.int64), axis=1)
    writer.output("z", writer.transpose(joined, 1, 0), [sizes.inter, "F"])
    return writer.model()


def _coupling(layers: Layers, name: str, known: str, sizes: Architecture, band: Band, turned: bool) -> str:
    """What one half [F, inter/2] says is to be taken off the other."""
    writer, weights = layers.writer, layers.weights
    half, hidden = sizes.inter // 2, weights.take(f"{name}.pre.bias", ANY).shape[0]
    step = -1 if turned else 1
    with writer.scope(name):
        matrix = weights.matrix(f"{name}.pre", half, hidden)[::step]
        bias = weights.take(f"{name}.pre.bias", hidden)
        value = writer.linear(known, writer.weight(f"{name}.pre.weight", matrix), writer.weight(f"{name}.pre.bias", bias))
        speaker = layers.speaker(f"{name}.enc.spk_emb_linear", sizes.gin, hidden)
    value = encoder(layers, f"{name}.enc", value, hidden, sizes.heads, band, speaker)
    with writer.scope(name):
        matrix = weights.matrix(f"{name}.post", hidden, half)[:, ::step]
        bias = weights.take(f"{name}.post.bias", half)[::step]
        return writer.linear(value, writer.weight(f"{name}.post.weight", matrix), writer.weight(f"{name}.post.bias", bias))
