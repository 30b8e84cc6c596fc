"""The decoder of VITS, a HiFi-GAN generator (Kong et al. 2020): upsampling stages with residual blocks of dilated convolutions."""

from __future__ import annotations

import onnx

from app.language import localized
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.architecture import Architecture
from app.voices.prepare.weights.layers import Layers
from app.voices.prepare.weights.tensors import ANY, Weights, misfit

SLOPE, LAST_SLOPE = 0.1, 0.01  # of the leaky ReLUs; the last one keeps PyTorch's default


def decoder_graph(weights: Weights, sizes: Architecture) -> onnx.ModelProto:
    """The graph z, sid → audio.

    The blocks of a stage are averaged; as a leaky ReLU lets a factor through, the next layer's weights divide instead.
    """
    writer = GraphWriter("decoder", "W")
    layers = Layers(weights, writer)
    z = writer.input("z", [sizes.inter, "W"])
    writer.input("sid", [1], onnx.TensorProto.INT64)
    blocks = len(sizes.dilations)
    with writer.scope("dec"):
        channels = weights.take("dec.conv_pre.bias", ANY).shape[0]
        value = layers.conv("dec.conv_pre", writer.reshape(z, [1, sizes.inter, 1, -1]), sizes.inter, channels)
        value = writer.op("Add", value, writer.image(layers.speaker("dec.cond", sizes.gin, channels)))
        for stage, rate in enumerate(sizes.upsample_rates):
            value = writer.op("LeakyRelu", value, alpha=SLOPE)
            writer.length = f"W{stage}"
            value, channels = _upsample(layers, f"ups.{stage}", value, channels, rate, 1 / blocks if stage else 1.0)
            parts = [
                _block(layers, f"resblocks.{stage * blocks + number}", value, channels, dilations)
                for number, dilations in enumerate(sizes.dilations)
            ]
            value = writer.op("Sum", *parts)
        value = writer.op("LeakyRelu", value, alpha=LAST_SLOPE)
        kernel = weights.folded("dec.conv_post", 1, channels, ANY)[:, :, None] / blocks
        value = writer.op("Tanh", writer.conv(value, writer.weight("dec.conv_post.weight", kernel), None))
    writer.output("audio", writer.reshape(value, [-1]), ["N"])
    return writer.model()


def _upsample(layers: Layers, part: str, value: str, channels: int, rate: int, gain: float) -> tuple[str, int]:
    """A transposed convolution that makes `rate` steps of one; also says how many channels come out."""
    writer, weights, name = layers.writer, layers.weights, f"dec.{part}"
    outputs = weights.take(f"{name}.bias", ANY).shape[0]
    kernel = weights.folded(name, channels, outputs, ANY)[:, :, None] * gain
    if kernel.shape[3] < rate or (kernel.shape[3] - rate) % 2:
        raise misfit(localized(f"{name} の幅が合いません。", f"The width of {name} does not match its rate."))
    stored = writer.weight(f"{name}.weight", kernel)
    with writer.scope(part):
        return writer.upsample(value, stored, layers.bias(name, outputs), rate), outputs


def _block(layers: Layers, part: str, value: str, channels: int, dilations: tuple[int, ...]) -> str:
    """A residual block: pairs of convolutions, the first of each dilated, each pair added to what it was given."""
    writer, name = layers.writer, f"dec.{part}"
    if layers.weights.count(f"{name}.convs1") != len(dilations):
        raise misfit(localized(f"{name} の層の数が合いません。", f"The number of layers in {name} does not match."))
    with writer.scope(part):
        for number, dilation in enumerate(dilations):
            inner = writer.op("LeakyRelu", value, alpha=SLOPE)
            inner = layers.conv(f"{name}.convs1.{number}", inner, channels, channels, dilation=dilation)
            inner = writer.op("LeakyRelu", inner, alpha=SLOPE)
            value = writer.op("Add", layers.conv(f"{name}.convs2.{number}", inner, channels, channels), value)
    return value
