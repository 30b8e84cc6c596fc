"""The flow graph of Kokoro-82M: what each frame holds becomes pitch and energy, then the features that the generator speaks.

A frame is 25 ms; pitch, energy and the features have two steps in each. The pitch that is spoken moves the whole voice: the harmonic source, and the features as well. It
is the melody that is asked for, with what of the model's own contour is faster than morae (how consonants move the pitch). Questions and what a user drew by hand come
behind all this.
"""

import math
from dataclasses import dataclass

import numpy as np
import onnx

from app.core.sound.melody import LEAST_PITCH_HZ, VOICED_SHARE
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_layers import STEP_AXIS, STYLE_HALF, KokoroLayers, KokoroWeights
from app.voices.prepare.kokoro.kokoro_prosody import HIDDEN_SIZE, PREDICTOR_SIZE, PROSODY_SIZE

STEPS_PER_FRAME = 2
DECODER_SIZE, TEXT_RESIDUAL_SIZE = 1024, 64
DECODER_BLOCKS = 4
FEATURE_SIZE = 512
FLOW_ROWS = FEATURE_SIZE + 2  # rows of one step: features, pitch in Hz, and the phase of the fundamental at the step, in turns

QUESTION_AXIS = "questions"
VOICED_HZ = 10.0  # the harmonic source is silent below

STEPS_PER_S = 80
LOG_SEMITONE = math.log(2) / 12
SMALL_MOVEMENT_S = 0.05  # half the width of the window over which the voice's own small movements are smoothed away

SOUNDING_ENERGY = 0.0  # from here on an energy is raised or lowered: silence stays silence
AUDIBLE_ENERGY = 3.5  # the model's energy is between 4 and 9 in speech, and below -1 in silence
QUESTION_RISE = 6.0  # semitones from where the voice is to the end of a question; the voice smooths away a fifth of them
GIVEN_VOICE_SEMITONES = 6.0
"""How much higher a question is that the model left without voice: at its low pitch the generator creaks whatever pitch it is given."""


@dataclass(frozen=True, slots=True)
class AskedPitch:
    """Names of the values that say which pitch is asked for."""

    melody: str  # the pitch in Hz, [T]; the mean over what is voiced becomes its mean
    weight: str  # of the melody's accents and mean, 0 … 1; a scalar, as the next one
    intonation: str  # scales how far the model's own pitch leaves its mean
    questions: str  # where the pitch rises, a row a question, [Q, T]
    offset: str  # semitones [STEPS_PER_FRAME, F] that are added to the result, whatever the two numbers are


def add_spoken_pitch(writer: GraphWriter, own: str, energy: str, asked: AskedPitch) -> str:
    """Add the pitch that is spoken and return its name, an image [1, 1, 1, T], as the model's own pitch in Hz and its energy are; unvoiced steps outside questions stay as they are."""
    least = writer.add_constant(LEAST_PITCH_HZ)
    audible = writer.add_node("Greater", energy, writer.add_constant(AUDIBLE_ENERGY))
    sung = writer.add_node("Greater", own, _add_voicing_bound(writer, own, least))
    voiced = writer.add_node("Or", sung, writer.add_node("And", audible, _add_any_question(writer, asked.questions)))
    mask = writer.add_node("Cast", voiced, to=onnx.TensorProto.FLOAT)
    own_logs, asked_logs = (
        writer.add_node("Log", writer.add_node("Max", value, least)) for value in (own, writer.add_reshape(asked.melody, [1, 1, 1, -1]))
    )
    own_logs = writer.add_node("Where", sung, own_logs, asked_logs)
    mean = _add_mean(writer, own_logs, mask)
    scaled = writer.add_node("Add", mean, writer.add_node("Mul", writer.add_node("Sub", own_logs, mean), asked.intonation))
    difference = writer.add_node("Mul", writer.add_node("Sub", asked_logs, scaled), mask)
    change = _add_slow_part(writer, difference, mask)
    logs = writer.add_node("Add", scaled, writer.add_node("Mul", change, asked.weight))
    sung, audible = (writer.add_node("Cast", item, to=onnx.TensorProto.FLOAT) for item in (sung, audible))
    rise = _add_question_rise(writer, logs, mask, writer.add_node("Sub", mask, sung), audible, asked.questions)
    logs = writer.add_node("Add", logs, writer.add_node("Mul", rise, asked.weight))
    offset = writer.add_reshape(writer.add_transpose(asked.offset, 1, 0), [1, 1, 1, -1])
    moved = writer.add_node("Mul", offset, writer.add_constant(LOG_SEMITONE))
    spoken = writer.add_node("Exp", writer.add_node("Add", logs, moved))
    # The low values at the ends of what is voiced go where their voice goes.
    sounds, moved_own = writer.add_node("Greater", own, least), writer.add_node("Mul", own, writer.add_node("Exp", moved))
    return writer.add_node("Where", voiced, spoken, writer.add_node("Where", sounds, moved_own, own))


def _add_any_question(writer: GraphWriter, questions: str) -> str:
    rising = writer.add_node("ReduceMax", questions, axes=[0], keepdims=0)
    return writer.add_node("Greater", writer.add_reshape(rising, [1, 1, 1, -1]), writer.add_constant(0.0))


def _add_question_rise(writer: GraphWriter, logs: str, mask: str, given: str, audible: str, questions: str) -> str:
    """Add what takes the logarithms of the pitch to a rise that begins with the voice of each question and ends with its sound, an image.

    All of a question is higher whose voice was given to it, in half of what is heard or more.
    """
    row, mask_row, given_row, audible_row = (writer.add_reshape(image, [1, -1]) for image in (logs, mask, given, audible))
    voiced = writer.add_node("Mul", questions, mask_row)
    heard = writer.add_node("Mul", voiced, audible_row)
    along = writer.add_constant(1, np.int64)
    counts, voiced_counts = (writer.add_node("CumSum", item, along) for item in (heard, voiced))
    axis, one = writer.add_constant([1], np.int64), writer.add_constant(1.0)
    total = writer.add_node("Max", writer.add_node("ReduceSum", heard, axis, keepdims=1), one)
    share = writer.add_node("Div", counts, total)
    given_share = writer.add_node("Div", writer.add_node("ReduceSum", writer.add_node("Mul", heard, given_row), axis, keepdims=1), total)
    lift = writer.add_node("Min", writer.add_node("Mul", given_share, writer.add_constant(2.0)), one)
    first = writer.add_node("Mul", voiced, writer.add_node("Cast", writer.add_node("Equal", voiced_counts, one), to=onnx.TensorProto.FLOAT))
    start = writer.add_node("ReduceSum", writer.add_node("Mul", first, row), axis, keepdims=1)
    start = writer.add_node("Add", start, writer.add_node("Mul", lift, writer.add_constant(GIVEN_VOICE_SEMITONES * LOG_SEMITONE)))
    wanted = writer.add_node("Add", start, writer.add_node("Mul", share, writer.add_constant(QUESTION_RISE * LOG_SEMITONE)))
    change = writer.add_node("Mul", voiced, writer.add_node("Sub", wanted, row))
    return writer.add_reshape(writer.add_node("ReduceSum", change, writer.add_constant([0], np.int64), keepdims=0), [1, 1, 1, -1])


def _add_slow_part(writer: GraphWriter, values: str, mask: str) -> str:
    """Add what in the values is not faster than morae; the window sees what is voiced alone."""
    window = np.hanning(2 * round(SMALL_MOVEMENT_S * STEPS_PER_S) + 1)[1:-1]
    both = writer.add_node("Concat", values, mask, axis=0)
    pads = [0, len(window) // 2, 0, len(window) // 2]
    sums = writer.add_node(
        "Conv", both, writer.add_weight("melody.window", window[None, None, None]), kernel_shape=[1, len(window)], pads=pads
    )
    value_sums, mask_sums = writer.add_split(sums, [1, 1], axis=0)
    # A step that is voiced is in its own window; elsewhere the quotient is of no use.
    return writer.add_node("Div", value_sums, writer.add_node("Max", mask_sums, writer.add_constant(1.0)))


def _add_voicing_bound(writer: GraphWriter, own: str, least: str) -> str:
    """Add the pitch from which on a step counts as voiced: a share of the mean over those that are not near silence."""
    sounding = writer.add_node("Cast", writer.add_node("Greater", own, least), to=onnx.TensorProto.FLOAT)
    mean = _add_mean(writer, own, sounding)
    return writer.add_node("Max", writer.add_node("Mul", mean, writer.add_constant(VOICED_SHARE)), least)


def _add_mean(writer: GraphWriter, values: str, mask: str) -> str:
    """Add the mean of the values where the mask is 1, a scalar; 0 where it nowhere is."""
    sums = [writer.add_node("ReduceSum", item, keepdims=0) for item in (writer.add_node("Mul", values, mask), mask)]
    return writer.add_node("Div", sums[0], writer.add_node("Max", sums[1], writer.add_constant(1.0)))


def build_flow_graph(weights: KokoroWeights) -> onnx.ModelProto:
    """Build the graph z_p, style_vec, f0, melody_weight, melody_intonation, questions, energy_offset, pitch_offset → z and pitch, whose columns hold the two steps of a frame one above the other."""
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
    energy_offset = writer.add_input("energy_offset", [])
    style, prosody_style = writer.add_split(both, [STYLE_HALF, STYLE_HALF], axis=1)
    hidden, text = writer.add_split(prior, [PREDICTOR_SIZE, HIDDEN_SIZE], axis=0)
    shared = layers.add_lstm("encoder.shared", writer.add_transpose(hidden, 1, 0), PREDICTOR_SIZE)
    shared = writer.convert_to_image(shared)
    own_pitch = _add_predictor(layers, "F0", shared, prosody_style)
    energy = _add_predictor(layers, "N", shared, prosody_style)
    pitch = add_spoken_pitch(writer, own_pitch, energy, asked)
    energy = _add_energy_offset(writer, energy, energy_offset)
    image = writer.add_node("Unsqueeze", text, writer.add_constant([0, 2], np.int64))
    features = _add_decoder_blocks(layers, image, pitch, energy, style)
    rows = writer.add_node("Concat", _flatten(writer, features), _flatten(writer, pitch), _add_phase(writer, pitch), axis=0)
    # [rows, F, 2] → [2, rows, F]: the decoder's windows are cut between frames
    pairs = writer.add_transpose(writer.add_reshape(rows, [FLOW_ROWS, -1, STEPS_PER_FRAME]), 2, 0, 1)
    writer.add_output("z", writer.add_reshape(pairs, [STEPS_PER_FRAME * FLOW_ROWS, -1]), [STEPS_PER_FRAME * FLOW_ROWS, "F"])
    spoken = writer.add_transpose(writer.add_reshape(pitch, [-1, STEPS_PER_FRAME]), 1, 0)
    writer.add_output("pitch", spoken, [STEPS_PER_FRAME, "F"])
    return writer.build_model()


def _add_energy_offset(writer: GraphWriter, energy: str, offset: str) -> str:
    sounding = writer.add_node("Greater", energy, writer.add_constant(SOUNDING_ENERGY))
    return writer.add_node("Where", sounding, writer.add_node("Add", energy, offset), energy)


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
