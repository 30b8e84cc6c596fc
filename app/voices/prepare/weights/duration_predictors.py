"""The two duration predictors of SBV2, which it blends: a plain one, and the stochastic one of VITS (Kim et al. 2021) in reverse."""

from __future__ import annotations

import numpy as np

from app.language import localized
from app.voices.prepare.weights.architecture import Architecture
from app.voices.prepare.weights.layers import Layers
from app.voices.prepare.weights.spline import BINS, PARAMETERS, inverse_spline
from app.voices.prepare.weights.tensors import ANY, Weights, misfit


def duration_predictor(layers: Layers, sizes: Architecture, value: str) -> str:
    """Log durations [T, 1] from hidden features [T, hidden]."""
    writer = layers.writer
    with writer.scope("dp"):
        inner = layers.weights.take("dp.conv_1.bias", ANY).shape[0]
        value = writer.op("Add", value, layers.speaker("dp.cond", sizes.gin, sizes.hidden))
        for number, inputs in ((1, sizes.hidden), (2, inner)):
            wide = writer.op("Relu", layers.conv(f"dp.conv_{number}", writer.image(value), inputs, inner))
            value = layers.norm(f"dp.norm_{number}", writer.rows(wide), inner)
        return layers.linear("dp.proj", value, inner, 1)


def stochastic_duration_predictor(layers: Layers, sizes: Architecture, value: str, noise: str) -> str:
    """Log durations [T, 1] from hidden features [T, hidden] and noise [2, T]."""
    writer, hidden = layers.writer, sizes.hidden
    with writer.scope("sdp"):
        value = layers.linear("sdp.pre", value, hidden, hidden)
        value = writer.op("Add", value, layers.speaker("sdp.cond", sizes.gin, hidden))
        value = layers.linear("sdp.proj", _separable(layers, "sdp.convs", value, hidden), hidden, hidden)
        return flows_in_reverse(layers, "sdp.flows", value, noise, hidden)


def flows_in_reverse(layers: Layers, name: str, condition: str, noise: str, hidden: int) -> str:
    """Log durations [T, 1] from noise [2, T], conditioned on [T, hidden].

    Every flow changes one of the two channels, knowing the other, and the channels change places in between. The first flow
    of the trained chain is not used in this direction.
    """
    writer, weights = layers.writer, layers.weights
    still, moving = (writer.transpose(part, 1, 0) for part in writer.split(noise, [1, 1], axis=0))
    for number in reversed(_flow_numbers(weights, name)[1:]):
        still, moving = moving, _flow(layers, f"{name}.{number}", moving, still, condition, hidden)
    mean, log_scale = (weights.take(f"{name}.0.{part}", 2, 1)[0, 0] for part in ("m", "logs"))
    return writer.op("Mul", writer.op("Sub", moving, writer.constant(mean)), writer.constant(np.exp(-log_scale)))


def _flow_numbers(weights: Weights, name: str) -> list[int]:
    """Numbers of the spline flows: odd ones, as the names count the exchanges between them, too; 0 is a scale and a shift."""
    numbers = weights.numbers(name)
    if len(numbers) < 3 or numbers != [0, *range(1, 2 * len(numbers) - 2, 2)]:
        raise misfit(localized(f"重み {name} の層が欠けています。", f"Some layers of {name} are missing."))
    return numbers[1:]


def _flow(layers: Layers, name: str, still: str, moving: str, condition: str, hidden: int) -> str:
    """One flow in reverse: the new values of `moving` [T, 1]."""
    writer, weights = layers.writer, layers.weights
    with writer.scope(name):
        value = writer.op("Add", layers.linear(f"{name}.pre", still, 1, hidden), condition)
        value = _separable(layers, f"{name}.convs", value, hidden)
        matrix, bias = weights.matrix(f"{name}.proj", hidden, PARAMETERS), weights.take(f"{name}.proj.bias", PARAMETERS)
        scale = np.ones(PARAMETERS, np.float32)
        scale[: 2 * BINS] = 1 / np.sqrt(hidden)  # VITS divides the logits of widths and heights
        stored = writer.weight(f"{name}.proj.weight", matrix * scale), writer.weight(f"{name}.proj.bias", bias * scale)
        return inverse_spline(writer, moving, writer.linear(value, *stored))


def _separable(layers: Layers, name: str, value: str, hidden: int) -> str:
    """Depth-wise convolutions that reach ever further, each followed by a mix of the channels: [T, hidden] → the same."""
    writer = layers.writer
    for number in range(layers.weights.count(f"{name}.convs_sep")):
        kernel = layers.weights.take(f"{name}.convs_sep.{number}.weight", hidden, 1, ANY).shape[2]
        mixed = layers.conv(f"{name}.convs_sep.{number}", writer.image(value), hidden, hidden, dilation=kernel**number, groups=hidden)
        mixed = writer.gelu(layers.norm(f"{name}.norms_1.{number}", writer.rows(mixed), hidden))
        mixed = layers.linear(f"{name}.convs_1x1.{number}", mixed, hidden, hidden)
        value = writer.op("Add", value, writer.gelu(layers.norm(f"{name}.norms_2.{number}", mixed, hidden)))
    return value
