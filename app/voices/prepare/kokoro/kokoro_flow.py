"""The flow graph of Kokoro-82M: what each frame holds becomes pitch and energy, then the features that the generator speaks.

A frame is 25 ms; pitch, energy and the features have two steps in each. The pitch that is spoken (`kokoro_melody.py`) moves the whole
voice: the harmonic source, and the features as well.
"""

from __future__ import annotations

import numpy as np
import onnx

from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_layers import STEP_AXIS, STYLE_HALF, KokoroLayers
from app.voices.prepare.kokoro.kokoro_melody import STEPS_PER_S, AskedPitch, add_spoken_pitch
from app.voices.prepare.kokoro.kokoro_prosody import HIDDEN_SIZE, PREDICTOR_SIZE, PROSODY_SIZE
from app.voices.prepare.kokoro.kokoro_weights import KokoroWeights

STEPS_PER_FRAME = 2
DECODER_SIZE, TEXT_RESIDUAL_SIZE = 1024, 64
DECODER_BLOCKS = 4
FEATURE_SIZE = 512
FLOW_ROWS = FEATURE_SIZE + 2
"""Rows of one step: features, pitch in Hz, and the phase of the fundamental at the step, in turns."""

QUESTION_AXIS = "questions"
VOICED_HZ = 10.0  # the harmonic source is silent below


def build_flow_graph(weights: KokoroWeights) -> onnx.ModelProto:
    """Build the graph z_p, style_vec, f0, melody_weight, melody_intonation, questions, pitch_offset → z, whose columns hold the two steps of a frame one above the other."""
    writer = GraphWriter("flow", "F")
    layers = KokoroLayers(weights, writer)
    prior = writer.add_input("z_p", [PROSODY_SIZE, "F"])
    both = writer.add_reshape(writer.add_input("style_vec", [2 * STYLE_HALF]), [1, 2 * STYLE_HALF])
    asked = AskedPitch(
        melody=writer.add_input("f0", [STEP_AXIS]),
        weight=writer.add_input("melody_weight", []),
        intonation=writer.add_input("melody_intonation", []),
        questions=writer.add_input("questions", [QUESTION_AXIS, STEP_AXIS]),
        offset=writer.add_input("pitch_offset", [STEPS_PER_FRAME, "F"]),
    )
    style, prosody_style = writer.add_split(both, [STYLE_HALF, STYLE_HALF], axis=1)
    hidden, text = writer.add_split(prior, [PREDICTOR_SIZE, HIDDEN_SIZE], axis=0)
    shared = layers.add_lstm("encoder.shared", writer.add_transpose(hidden, 1, 0), PREDICTOR_SIZE)
    shared = writer.convert_to_image(shared)
    own_pitch = _add_predictor(layers, "F0", shared, prosody_style)
    energy = _add_predictor(layers, "N", shared, prosody_style)
    pitch = add_spoken_pitch(writer, own_pitch, energy, asked)
    image = writer.add_node("Unsqueeze", text, writer.add_constant([0, 2], np.int64))
    features = _add_decoder_blocks(layers, image, pitch, energy, style)
    rows = writer.add_node("Concat", _flatten(writer, features), _flatten(writer, pitch), _add_phase(writer, pitch), axis=0)
    # [rows, F, 2] → [2, rows, F]: the decoder's windows are cut between frames
    pairs = writer.add_transpose(writer.add_reshape(rows, [FLOW_ROWS, -1, STEPS_PER_FRAME]), 2, 0, 1)
    writer.add_output(
        "z",
        writer.add_node("Reshape", pairs, writer.add_constant([STEPS_PER_FRAME * FLOW_ROWS, -1], np.int64)),
        [STEPS_PER_FRAME * FLOW_ROWS, "F"],
    )
    return writer.build_model()


def _add_predictor(layers: KokoroLayers, name: str, shared: str, style: str) -> str:
    """Add the predictor of pitch or energy and return an image of one channel, two steps a frame."""
    half, module, parameters = HIDDEN_SIZE // 2, f"encoder.{name}", f"encoder.predictor.{name}"
    layers.writer.length = "F"
    value = layers.add_residual_block(f"{module}.0", f"{parameters}.0", shared, style, HIDDEN_SIZE, HIDDEN_SIZE)
    value = layers.add_residual_block(f"{module}.1", f"{parameters}.1", value, style, HIDDEN_SIZE, half, is_upsampling=True)
    value = layers.add_residual_block(f"{module}.2", f"{parameters}.2", value, style, half, half)
    return layers.add_conv(f"encoder.{name}_proj", value, half, 1, 1, bias=f"{parameters}_proj.bias")


def _add_decoder_blocks(layers: KokoroLayers, text: str, pitch: str, energy: str, style: str) -> str:
    """Add the residual blocks between the frames' features and the generator, and return [1, FEATURE_SIZE, 1, 2F]."""
    writer, prefix = layers.writer, "decoder.decoder"
    writer.length = "F"
    curves = [
        layers.add_strided_conv(f"{prefix}.{name}_conv", curve, (1, 1, 3), f"{prefix}.{name}_conv.bias", STEPS_PER_FRAME, 1)
        for name, curve in (("F0", pitch), ("N", energy))
    ]
    value = writer.add_node("Concat", text, *curves, axis=1)
    value = layers.add_residual_block(f"{prefix}.encode", f"{prefix}.encode", value, style, HIDDEN_SIZE + 2, DECODER_SIZE)
    residual = layers.add_conv(f"{prefix}.asr_res.asr_res.0", text, HIDDEN_SIZE, TEXT_RESIDUAL_SIZE, 1, bias=f"{prefix}.asr_res.0.bias")
    for number in range(DECODER_BLOCKS):
        is_last = number == DECODER_BLOCKS - 1
        value = writer.add_node("Concat", value, residual, *curves, axis=1)
        name, inputs = f"{prefix}.decode.{number}", DECODER_SIZE + TEXT_RESIDUAL_SIZE + len(curves)
        value = layers.add_residual_block(
            name, name, value, style, inputs, FEATURE_SIZE if is_last else DECODER_SIZE, is_upsampling=is_last
        )
    return value


def _add_phase(writer: GraphWriter, pitch: str) -> str:
    """Add the phase of the fundamental at each step in turns, 0 … 1, as one row: a window of the decoder begins with it."""
    turns = writer.add_node(
        "Mul", writer.add_node("Max", _flatten(writer, pitch), writer.add_constant(0.0)), writer.add_constant(1 / STEPS_PER_S)
    )
    # A sum over a long line leaves float32 too few digits of a turn.
    turns = writer.add_node("Cast", turns, to=onnx.TensorProto.DOUBLE)
    turns = writer.add_node("CumSum", turns, writer.add_constant(1, np.int64))
    return writer.add_node("Cast", writer.add_node("Sub", turns, writer.add_node("Floor", turns)), to=onnx.TensorProto.FLOAT)


def _flatten(writer: GraphWriter, image: str) -> str:
    """Return an image [1, C, 1, T] as [C, T]."""
    return writer.add_node("Squeeze", image, writer.add_constant([0, 2], np.int64))
