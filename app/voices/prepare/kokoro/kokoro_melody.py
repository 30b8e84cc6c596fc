"""The pitch that Kokoro speaks: its own contour, in which the accents are those of the melody that is asked for.

What is slower than accents (how a line declines from phrase to phrase) and what is faster (how consonants move the pitch) stays the
model's own, because it was judged better than any melody from tones alone; between the two lies what the tones say. What a user drew by
hand is added behind all this: the band would lose what is held for longer than an accent.
"""

from __future__ import annotations

import math

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


def add_spoken_pitch(writer: GraphWriter, own: str, melody: str, weight: str, intonation: str, offset: str) -> str:
    """Add the pitch that is spoken and return its name, as an image [1, 1, 1, T].

    Args:
        writer: of the graph.
        own: the model's pitch in Hz, an image; it stays as it is where it is not voiced.
        melody: the pitch asked for in Hz, [T]; the mean over what is voiced becomes its mean.
        weight: of the melody's accents and mean, 0 … 1; a scalar, as the next one.
        intonation: scales how far the model's own pitch leaves its mean.
        offset: semitones [STEPS_PER_FRAME, F] that are added to the result, whatever the two numbers are.
    """
    least = writer.add_constant(LEAST_PITCH_HZ)
    voiced = writer.add_node("Greater", own, _add_voicing_bound(writer, own, least))
    mask = writer.add_node("Cast", voiced, to=onnx.TensorProto.FLOAT)
    own_logs, asked_logs = (
        writer.add_node("Log", writer.add_node("Max", value, least)) for value in (own, writer.add_reshape(melody, [1, 1, 1, -1]))
    )
    mean = _add_mean(writer, own_logs, mask)
    scaled = writer.add_node("Add", mean, writer.add_node("Mul", writer.add_node("Sub", own_logs, mean), intonation))
    difference = writer.add_node("Mul", writer.add_node("Sub", asked_logs, scaled), mask)
    change = writer.add_node("Add", _add_accents(writer, difference, mask), _add_mean(writer, difference, mask))
    logs = writer.add_node("Add", scaled, writer.add_node("Mul", change, weight))
    moved = writer.add_node("Mul", writer.add_reshape(writer.add_transpose(offset, 1, 0), [1, 1, 1, -1]), writer.add_constant(LOG_SEMITONE))
    spoken = writer.add_node("Exp", writer.add_node("Add", logs, moved))
    return writer.add_node("Where", voiced, spoken, _add_moved_ends(writer, own, moved, least))


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
