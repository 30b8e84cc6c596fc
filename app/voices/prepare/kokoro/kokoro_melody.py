"""The pitch that Kokoro speaks: its own contour, in which the accents are those of the melody that is asked for.

What is slower than accents (how a line declines from phrase to phrase) and what is faster (how consonants move the pitch) stays the
model's own, because it was judged better than any melody from tones alone; between the two lies what the tones say. Questions and what a
user drew by hand come behind all this: the band would lose what is held for longer than an accent, and most of a rise at the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray

from app.voices.prepare.graph_writer import GraphWriter

STEPS_PER_S = 80
LEAST_PITCH_HZ = 40.0
LOG_SEMITONE = math.log(2) / 12
VOICED_SHARE = 0.6
"""The model's own pitch passes through low values where voicing begins and ends; below this share of its mean they stay as they are."""

FASTER_S, SLOWER_S = 0.04, 0.8
"""Half the widths of the windows that smooth away what is faster than accents, and what an accent is measured against."""

AUDIBLE_ENERGY = 3.5
"""The model's energy lies between 4 and 9 in speech, and below -1 in silence."""
QUESTION_RISE = 6.0
"""Semitones from where the voice is to the end of a question; the voice smooths away a fifth of them."""
GIVEN_VOICE_SEMITONES = 6.0
"""How much higher a question is that the model left without voice: at its low pitch the generator creaks whatever pitch it is given."""


@dataclass(frozen=True, slots=True)
class AskedPitch:
    """Names of the values that say which pitch is asked for.

    Attributes:
        melody: the pitch in Hz, [T]; the mean over what is voiced becomes its mean.
        weight: of the melody's accents and mean, 0 … 1; a scalar, as the next one.
        intonation: scales how far the model's own pitch leaves its mean.
        questions: where the pitch rises, a row a question, [Q, T].
        offset: semitones [STEPS_PER_FRAME, F] that are added to the result, whatever the two numbers are.
    """

    melody: str
    weight: str
    intonation: str
    questions: str
    offset: str


def add_spoken_pitch(writer: GraphWriter, own: str, energy: str, asked: AskedPitch) -> str:
    """Add the pitch that is spoken and return its name, as an image [1, 1, 1, T].

    Args:
        writer: of the graph.
        own: the model's pitch in Hz, an image; where it is not voiced it stays as it is, except in a question.
        energy: the model's, an image.
        asked: what the result should be.
    """
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
    change = writer.add_node("Add", _add_accents(writer, difference, mask), _add_mean(writer, difference, mask))
    logs = writer.add_node("Add", scaled, writer.add_node("Mul", change, asked.weight))
    sung, audible = (writer.add_node("Cast", item, to=onnx.TensorProto.FLOAT) for item in (sung, audible))
    rise = _add_question_rise(writer, logs, mask, writer.add_node("Sub", mask, sung), audible, asked.questions)
    logs = writer.add_node("Add", logs, writer.add_node("Mul", rise, asked.weight))
    offset = writer.add_reshape(writer.add_transpose(asked.offset, 1, 0), [1, 1, 1, -1])
    moved = writer.add_node("Mul", offset, writer.add_constant(LOG_SEMITONE))
    spoken = writer.add_node("Exp", writer.add_node("Add", logs, moved))
    return writer.add_node("Where", voiced, spoken, _add_moved_ends(writer, own, moved, least))


def _add_any_question(writer: GraphWriter, questions: str) -> str:
    """Add whether any question rises at each step, an image."""
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


def _add_moved_ends(writer: GraphWriter, own: str, moved: str, least: str) -> str:
    """Add the model's own pitch, moved where it sounds: the low values at the ends of what is voiced go where their voice goes."""
    return writer.add_node("Where", writer.add_node("Greater", own, least), writer.add_node("Mul", own, writer.add_node("Exp", moved)), own)


def _add_accents(writer: GraphWriter, values: str, mask: str) -> str:
    """Add what in the values is neither faster nor slower than accents; both windows see what is voiced alone."""
    width = _count_steps(SLOWER_S)
    kernels = np.stack([_build_window(_count_steps(FASTER_S), width), _build_window(width, width)])[:, None, None]
    both = writer.add_node("Concat", values, mask, axis=0)
    pads = [0, width - 1, 0, width - 1]
    sums = writer.add_node("Conv", both, writer.add_weight("melody.windows", kernels), kernel_shape=kernels.shape[2:], pads=pads)
    value_sums, mask_sums = writer.add_split(sums, [1, 1], axis=0)
    # A step that is voiced is in its own windows; elsewhere the quotient is of no use.
    means = writer.add_node("Div", value_sums, writer.add_node("Max", mask_sums, writer.add_constant(1.0)))
    fast, slow = writer.add_split(means, [1, 1], axis=1)
    return writer.add_node("Sub", fast, slow)


def _add_voicing_bound(writer: GraphWriter, own: str, least: str) -> str:
    """Add the pitch from which on a step counts as voiced: a share of the mean over those that are not near silence."""
    sounding = writer.add_node("Cast", writer.add_node("Greater", own, least), to=onnx.TensorProto.FLOAT)
    mean = _add_mean(writer, own, sounding)
    return writer.add_node("Max", writer.add_node("Mul", mean, writer.add_constant(VOICED_SHARE)), least)


def _add_mean(writer: GraphWriter, values: str, mask: str) -> str:
    """Add the mean of the values where the mask is 1, a scalar; 0 where it nowhere is."""
    sums = [writer.add_node("ReduceSum", item, keepdims=0) for item in (writer.add_node("Mul", values, mask), mask)]
    return writer.add_node("Div", sums[0], writer.add_node("Max", sums[1], writer.add_constant(1.0)))


def _count_steps(seconds: float) -> int:
    return round(seconds * STEPS_PER_S)


def _build_window(width: int, widest: int) -> NDArray[np.float64]:
    """Return a Hann window with so many steps on each side of its centre, in as many taps as the widest has."""
    return np.pad(np.hanning(2 * width + 1)[1:-1], widest - width)
