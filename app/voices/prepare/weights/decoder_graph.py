"""The decoder of VITS, a HiFi-GAN generator (Kong et al. 2020): upsampling stages with residual blocks of dilated convolutions."""

from __future__ import annotations

import onnx

from app.common.language import localize
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.checked_weights import ANY_SIZE, VoiceWeights, build_weight_mismatch_error
from app.voices.prepare.weights.voice_sizes import VoiceSizes
from app.voices.prepare.weights.weight_layers import LayerWriter

LEAKY_SLOPE, LAST_LEAKY_SLOPE = 0.1, 0.01  # of the leaky ReLUs; the last one keeps PyTorch's default


def build_decoder_graph(weights: VoiceWeights, sizes: VoiceSizes) -> onnx.ModelProto:
    """Build the graph z, sid → audio.

    The blocks of a stage are averaged; as a leaky ReLU lets a factor through, the next layer's weights divide instead.
    """
    writer = GraphWriter("decoder", "W")
    layers = LayerWriter(weights, writer)
    z = writer.add_input("z", [sizes.inter, "W"])
    writer.add_input("sid", [1], onnx.TensorProto.INT64)
    blocks = len(sizes.dilations)
    with writer.enter_scope("dec"):
        channels = weights.take_tensor("dec.conv_pre.bias", ANY_SIZE).shape[0]
        value = layers.add_conv("dec.conv_pre", writer.add_reshape(z, [1, sizes.inter, 1, -1]), sizes.inter, channels)
        value = writer.add_node("Add", value, writer.convert_to_image(layers.add_speaker_projection("dec.cond", sizes.gin, channels)))
        for stage, rate in enumerate(sizes.upsample_rates):
            value = writer.add_node("LeakyRelu", value, alpha=LEAKY_SLOPE)
            writer.length = f"W{stage}"
            value, channels = _add_upsampling(layers, f"ups.{stage}", value, channels, rate, 1 / blocks if stage else 1.0)
            parts = [
                _add_residual_block(layers, f"resblocks.{stage * blocks + number}", value, channels, dilations)
                for number, dilations in enumerate(sizes.dilations)
            ]
            value = writer.add_node("Sum", *parts)
        value = writer.add_node("LeakyRelu", value, alpha=LAST_LEAKY_SLOPE)
        kernel = weights.fold_weight_norm("dec.conv_post", 1, channels, ANY_SIZE)[:, :, None] / blocks
        value = writer.add_node("Tanh", writer.add_conv(value, writer.add_weight("dec.conv_post.weight", kernel), None))
    writer.add_output("audio", writer.add_reshape(value, [-1]), ["N"])
    return writer.build_model()


def _add_upsampling(layers: LayerWriter, module_name: str, value: str, channels: int, rate: int, gain: float) -> tuple[str, int]:
    """Add a transposed convolution that makes `rate` steps of one; return its result and the number of its channels."""
    writer, weights, name = layers.writer, layers.weights, f"dec.{module_name}"
    outputs = weights.take_tensor(f"{name}.bias", ANY_SIZE).shape[0]
    kernel = weights.fold_weight_norm(name, channels, outputs, ANY_SIZE)[:, :, None] * gain
    if kernel.shape[3] < rate or (kernel.shape[3] - rate) % 2:
        raise build_weight_mismatch_error(localize(f"{name} の幅が合いません。", f"The width of {name} does not match its rate."))
    stored = writer.add_weight(f"{name}.weight", kernel)
    with writer.enter_scope(module_name):
        return writer.add_upsampling(value, stored, layers.add_bias(name, outputs), rate), outputs


def _add_residual_block(layers: LayerWriter, module_name: str, value: str, channels: int, dilations: tuple[int, ...]) -> str:
    """Add a residual block: pairs of convolutions, the first of each pair dilated, with each pair added to its input."""
    writer, name = layers.writer, f"dec.{module_name}"
    if layers.weights.count_layers(f"{name}.convs1") != len(dilations):
        raise build_weight_mismatch_error(localize(f"{name} の層の数が合いません。", f"The number of layers in {name} does not match."))
    with writer.enter_scope(module_name):
        for number, dilation in enumerate(dilations):
            inner = writer.add_node("LeakyRelu", value, alpha=LEAKY_SLOPE)
            inner = layers.add_conv(f"{name}.convs1.{number}", inner, channels, channels, dilation=dilation)
            inner = writer.add_node("LeakyRelu", inner, alpha=LEAKY_SLOPE)
            value = writer.add_node("Add", layers.add_conv(f"{name}.convs2.{number}", inner, channels, channels), value)
    return value
