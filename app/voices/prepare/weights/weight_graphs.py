"""From weights to a prepared voice, the entry of this package: text encoder, flow and decoder of SBV2.

The flow is run in reverse: transformer couplings (Kong et al. 2023, VITS2) from the prior to what the decoder speaks. The decoder is a
HiFi-GAN generator (Kong et al. 2020): upsampling stages with residual blocks of dilated convolutions.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx

from app.common.language import localize
from app.core.symbols import NANAIRO_SYMBOL_COUNT
from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH, Float32
from app.voices.prepare.decoder_context import compute_margin_frames, crop_decoder_context
from app.voices.prepare.graph_store import PreparedGraphs
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.duration_predictors import add_log_durations
from app.voices.prepare.weights.voice_sizes import VoiceSizes, read_voice_sizes
from app.voices.prepare.weights.weight_layers import ANY_SIZE, DiagonalBand, LayerWriter, VoiceWeights, build_weight_mismatch_error
from app.voices.untrusted.sbv2_config import SBV2_CONFIG_NAME, ConfigSection

TONE_COUNT, LANGUAGE_COUNT = 12, 3  # another size: other ids
ENCODER_MODULE = "enc_p.encoder"
COUPLING_STEP = 2  # the numbers in names count the flips between couplings, too
LEAKY_SLOPE, LAST_LEAKY_SLOPE = 0.1, 0.01  # of the leaky ReLUs; the last one keeps PyTorch's default


def add_text_encoder(layers: LayerWriter, sizes: VoiceSizes, band: DiagonalBand) -> str:
    """Add the text encoder and return the hidden features [T, hidden] of the graph's text inputs."""
    writer, weights, hidden = layers.writer, layers.weights, sizes.hidden
    # Every summand is scaled by this, so the weights carry the factor.
    scale = np.float32(np.sqrt(hidden))
    with writer.enter_scope("enc_p"):
        value = _add_style(layers, hidden, scale)
        tables = (("emb", "x_tst", sizes.symbol_count), ("tone_emb", "tones", TONE_COUNT), ("language_emb", "language", LANGUAGE_COUNT))
        for table, name, size in tables:
            rows = weights.take_tensor(f"enc_p.{table}.weight", size, hidden) * scale
            value = writer.add_node("Add", value, writer.add_node("Gather", writer.add_weight(f"enc_p.{table}.weight", rows), name, axis=0))
        for layer, name in sizes.bert_inputs.items():
            matrix = writer.add_weight(f"enc_p.{layer}.weight", weights.read_matrix(f"enc_p.{layer}", BERT_WIDTH, hidden) * scale)
            value = writer.add_node("Gemm", name, matrix, value, transA=1)
    knows_speaker = f"{ENCODER_MODULE}.spk_emb_linear.weight" in weights
    speaker = layers.add_speaker_projection(f"{ENCODER_MODULE}.spk_emb_linear", sizes.gin, hidden) if knows_speaker else None
    return layers.add_transformer(ENCODER_MODULE, value, hidden, sizes.heads, band, speaker)


def _add_style(layers: LayerWriter, hidden: int, scale: np.float32) -> str:
    """Add the vector that is the same for every symbol: the projected style and the biases of the BERT projections, [1, hidden]."""
    writer, weights = layers.writer, layers.weights
    projections = [f"enc_p.{name}_proj" for name in ("style", "bert", "ja_bert", "en_bert")]
    bias = sum(weights.take_tensor(f"{name}.bias", hidden) for name in projections if f"{name}.bias" in weights)
    matrix = writer.add_weight("enc_p.style_proj.weight", weights.read_matrix("enc_p.style_proj", STYLE_WIDTH, hidden) * scale)
    style = writer.add_reshape("style_vec", [1, STYLE_WIDTH])
    return writer.add_node("Gemm", style, matrix, writer.add_weight("enc_p.style_proj.bias", bias * scale))


def build_flow_graph(weights: VoiceWeights, sizes: VoiceSizes) -> onnx.ModelProto:
    """Build the graph z_p, sid → z.

    The channels turn around before each coupling. Nothing is moved for that: a coupling reads and writes the halves where they are,
    through weights whose rows are turned.
    """
    writer = GraphWriter("flow", "F")
    layers = LayerWriter(weights, writer)
    z_p = writer.add_input("z_p", [sizes.inter, "F"])
    writer.add_input("sid", [1], onnx.TensorProto.INT64)
    half = sizes.inter // 2
    halves = writer.add_split(writer.add_transpose(z_p, 1, 0), [half, half], axis=1)
    band = layers.add_diagonal_band("flow.flows.0.enc", halves[0], sizes.heads)
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
        value = layers.add_given_linear(f"{name}.pre", known, matrix, weights.take_tensor(f"{name}.pre.bias", hidden))
        speaker = layers.add_speaker_projection(f"{name}.enc.spk_emb_linear", sizes.gin, hidden)
    value = layers.add_transformer(f"{name}.enc", value, hidden, sizes.heads, band, speaker)
    with writer.enter_scope(name):
        matrix = weights.read_matrix(f"{name}.post", hidden, half)[:, ::step]
        bias = weights.take_tensor(f"{name}.post.bias", half)[::step]
        return layers.add_given_linear(f"{name}.post", value, matrix, bias)


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


def build_voice_graphs(config: Mapping[str, Any], tensors: Mapping[str, Float32], config_source: str = SBV2_CONFIG_NAME) -> PreparedGraphs:
    """Build the three graphs of a voice from SBV2's `config.json` and its tensors; raise VoiceError if they are no SBV2 voice, or are incomplete."""
    weights = VoiceWeights(tensors)
    sizes = read_voice_sizes(ConfigSection(config, config_source), weights)
    decoder = build_decoder_graph(weights, sizes)
    margin = compute_margin_frames(decoder)
    crop_decoder_context(decoder)
    return PreparedGraphs(
        prosody=build_prosody_graph(weights, sizes),
        flow=build_flow_graph(weights, sizes),
        decoder=decoder,
        margin_frames=margin,
        emoji=sizes.symbol_count == NANAIRO_SYMBOL_COUNT,
    )


def build_prosody_graph(weights: VoiceWeights, sizes: VoiceSizes) -> onnx.ModelProto:
    """Build the graph from text, style, speaker and noise to log durations and the prior of each symbol."""
    writer = GraphWriter("prosody", "T")
    layers = LayerWriter(weights, writer)
    for name in ("x_tst", "tones", "language"):
        writer.add_input(name, ["T"], onnx.TensorProto.INT64)
    writer.add_input("sid", [1], onnx.TensorProto.INT64)
    for name in sizes.bert_inputs.values():
        writer.add_input(name, [BERT_WIDTH, "T"])
    writer.add_input("style_vec", [STYLE_WIDTH])
    ratio, noise = writer.add_input("sdp_ratio", []), writer.add_input("sdp_noise", [2, "T"])

    band = layers.add_diagonal_band(ENCODER_MODULE, "x_tst", sizes.heads)
    hidden = add_text_encoder(layers, sizes, band)
    prior = writer.add_transpose(layers.add_linear("enc_p.proj", hidden, sizes.hidden, 2 * sizes.inter), 1, 0)
    mean, log_scale = writer.add_split(prior, [sizes.inter] * 2, axis=0)
    writer.add_output("logw", add_log_durations(layers, sizes, hidden, noise, ratio, band), ["T"])
    writer.add_output("m_p", mean, [sizes.inter, "T"])
    writer.add_output("logs_p", log_scale, [sizes.inter, "T"])
    return writer.build_model()
