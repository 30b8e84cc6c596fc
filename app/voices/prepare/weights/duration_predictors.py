"""The two duration predictors of SBV2, which it blends: a plain one, and the stochastic one of VITS (Kim et al. 2021) in reverse.

In place of their convolutions Nanairo has transformers that know the speaker.
"""

import numpy as np
import onnx

from app.common.language import localize
from app.core.text.phone_ids import SYMBOL_KIND_COUNT
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.voice_sizes import VoiceSizes
from app.voices.prepare.weights.weight_layers import ANY_SIZE, DiagonalBand, LayerWriter, VoiceWeights, build_weight_mismatch_error

# Nanairo's predictors both also look at the kind of each symbol, where the voice has a table of kinds.

KIND_INPUT = "duration_symbol_type_ids"


def add_log_durations(layers: LayerWriter, sizes: VoiceSizes, value: str, noise: str, ratio: str, band: DiagonalBand) -> str:
    """Add log durations [T] from hidden features [T, hidden] and noise [2, T]; `ratio` is the share of the stochastic ones."""
    writer, value = layers.writer, _add_symbol_kinds(layers, sizes, value)
    if sizes.has_transformer_durations:
        drawn = _add_stochastic_duration_transformer(layers, sizes, value, noise, band)
        plain = _add_duration_transformer(layers, sizes, value, band)
    else:
        drawn = _add_stochastic_duration_predictor(layers, sizes, value, noise)
        plain = _add_duration_predictor(layers, sizes, value)
    drawn = writer.add_node("Mul", drawn, ratio)
    plain = writer.add_node("Mul", plain, writer.add_node("Sub", writer.add_constant(1.0), ratio))
    return writer.add_reshape(writer.add_node("Add", drawn, plain), [-1])


def _add_symbol_kinds(layers: LayerWriter, sizes: VoiceSizes, value: str) -> str:
    """Add the kinds of the symbols, a new input of the graph, to the hidden features [T, hidden]."""
    if sizes.kind_table is None:
        return value
    writer = layers.writer
    kinds = writer.add_input(KIND_INPUT, ["T"], onnx.TensorProto.INT64)
    table = writer.add_weight("kinds", layers.weights.take_tensor(sizes.kind_table, SYMBOL_KIND_COUNT, sizes.hidden))
    return writer.add_node("Add", value, writer.add_node("Gather", table, kinds, axis=0))


def _add_duration_transformer(layers: LayerWriter, sizes: VoiceSizes, value: str, band: DiagonalBand) -> str:
    """Add log durations [T, 1] from hidden features [T, hidden]."""
    value = _add_transformer(layers, sizes, "dp.transformer_encoder", value, band)
    with layers.writer.enter_scope("dp"):
        return layers.add_linear("dp.output_proj", value, sizes.hidden, 1)


def _add_stochastic_duration_transformer(layers: LayerWriter, sizes: VoiceSizes, value: str, noise: str, band: DiagonalBand) -> str:
    """Add log durations [T, 1] from hidden features [T, hidden] and noise [2, T]."""
    writer, hidden = layers.writer, sizes.hidden
    with writer.enter_scope("sdp"):
        value = layers.add_linear("sdp.prior_input_proj", value, hidden, hidden)
    value = _add_transformer(layers, sizes, "sdp.prior_cond_encoder", value, band)
    with writer.enter_scope("sdp"):
        value = layers.add_linear("sdp.prior_output_proj", value, hidden, hidden)
        return _add_reversed_flows(layers, "sdp.prior_flow_layers", value, noise, hidden)


def _add_transformer(layers: LayerWriter, sizes: VoiceSizes, name: str, value: str, band: DiagonalBand) -> str:
    speaker = layers.add_speaker_projection(f"{name}.spk_emb_linear", sizes.gin, sizes.hidden)
    return layers.add_transformer(name, value, sizes.hidden, sizes.heads, band, speaker)


# Piecewise rational-quadratic splines (Durkan et al. 2019) in reverse, all symbols at once.
# A spline maps [-BOUND, BOUND] onto itself through BINS bins; outside it changes nothing. Each symbol has its own spline:
# logits of the bin widths and heights, and the slopes at the inner edges.

SPLINE_BINS = 10
SPLINE_PARAMETERS = 3 * SPLINE_BINS - 1
SPLINE_BOUND = 5.0
MIN_BIN_SHARE = 1e-3  # width and height of a bin as a share of the whole, and slope
SPLINE_EDGES = SPLINE_BINS + 1


def add_inverse_spline(writer: GraphWriter, value: str, parameters: str) -> str:
    """Add nodes for the point that each spline, parameters [T, 3·BINS − 1] with logits already divided by √channels, maps to `value` [T, 1]."""
    widths, heights, slopes = writer.add_split(parameters, [SPLINE_BINS, SPLINE_BINS, SPLINE_BINS - 1], axis=1)
    lefts, floors = _add_bin_edges(writer, widths), _add_bin_edges(writer, heights)
    slopes = writer.add_node("Add", writer.add_node("Softplus", slopes), writer.add_constant(MIN_BIN_SHARE))
    pads = writer.add_constant([0, 1, 0, 1], np.int64)
    slopes = writer.add_node("Pad", slopes, pads, writer.add_constant(1.0))  # at the bounds it continues straight

    inner = writer.add_node("Slice", floors, *(writer.add_constant([number], np.int64) for number in (1, SPLINE_BINS, 1)))
    above = writer.add_node("Cast", writer.add_node("GreaterOrEqual", value, inner), to=7)
    number = writer.add_node("ReduceSum", above, writer.add_constant([1], np.int64), keepdims=1)
    offsets = [0, 1, SPLINE_EDGES, SPLINE_EDGES + 1, 2 * SPLINE_EDGES, 2 * SPLINE_EDGES + 1]
    columns = writer.add_node("Add", number, writer.add_constant(offsets, np.int64))
    table = writer.add_node("Concat", lefts, floors, slopes, axis=1)
    edges = writer.add_split(writer.add_node("GatherElements", table, columns, axis=1), [1] * 6, axis=1)

    within = writer.add_node("LessOrEqual", writer.add_node("Abs", value), writer.add_constant(SPLINE_BOUND))
    return writer.add_node("Where", within, _add_quadratic_solution(writer, value, *edges), value)


def _add_bin_edges(writer: GraphWriter, logits: str) -> str:
    """Add the edges of the bins [T, EDGES]: running sums of shares, stretched over [-BOUND, BOUND] with exact ends."""
    shares = np.triu(np.ones((SPLINE_BINS, SPLINE_EDGES)), 1) * (2 * SPLINE_BOUND * (1 - SPLINE_BINS * MIN_BIN_SHARE))
    shares[:, -1] = 0
    offsets = np.arange(SPLINE_EDGES) * (2 * SPLINE_BOUND * MIN_BIN_SHARE) - SPLINE_BOUND
    offsets[-1] = SPLINE_BOUND
    return writer.add_linear(writer.add_node("Softmax", logits, axis=-1), writer.add_constant(shares), writer.add_constant(offsets))


def _add_quadratic_solution(
    writer: GraphWriter, value: str, left: str, right: str, floor: str, ceiling: str, slope: str, next_slope: str
) -> str:
    """Add the solution of a bin's quadratic equation in the form that does not cancel: 2c / (−b − √(b² − 4ac))."""
    add_node = writer.add_node
    width, height, rise = add_node("Sub", right, left), add_node("Sub", ceiling, floor), add_node("Sub", value, floor)
    mean_slope = add_node("Div", height, width)
    bend = add_node("Sub", add_node("Add", slope, next_slope), add_node("Mul", mean_slope, writer.add_constant(2.0)))
    bent = add_node("Mul", rise, bend)
    a = add_node("Add", bent, add_node("Mul", height, add_node("Sub", mean_slope, slope)))
    b = add_node("Sub", add_node("Mul", height, slope), bent)
    minus_c = add_node("Mul", mean_slope, rise)
    inside = add_node("Add", add_node("Mul", b, b), add_node("Mul", add_node("Mul", a, minus_c), writer.add_constant(4.0)))
    # Rounding may leave the radicand a little below zero, which would give NaN.
    root = add_node("Sqrt", add_node("Relu", inside))
    share = add_node("Div", add_node("Mul", minus_c, writer.add_constant(2.0)), add_node("Add", b, root))
    return add_node("Add", add_node("Mul", share, width), left)


def _add_duration_predictor(layers: LayerWriter, sizes: VoiceSizes, value: str) -> str:
    """Add log durations [T, 1] from hidden features [T, hidden]."""
    writer = layers.writer
    with writer.enter_scope("dp"):
        inner = layers.weights.take_tensor("dp.conv_1.bias", ANY_SIZE).shape[0]
        value = writer.add_node("Add", value, layers.add_speaker_projection("dp.cond", sizes.gin, sizes.hidden))
        for number, inputs in ((1, sizes.hidden), (2, inner)):
            wide = writer.add_node("Relu", layers.add_conv(f"dp.conv_{number}", writer.convert_to_image(value), inputs, inner))
            value = layers.add_layer_norm(f"dp.norm_{number}", writer.convert_to_rows(wide), inner)
        return layers.add_linear("dp.proj", value, inner, 1)


def _add_stochastic_duration_predictor(layers: LayerWriter, sizes: VoiceSizes, value: str, noise: str) -> str:
    """Add log durations [T, 1] from hidden features [T, hidden] and noise [2, T]."""
    writer, hidden = layers.writer, sizes.hidden
    with writer.enter_scope("sdp"):
        value = layers.add_linear("sdp.pre", value, hidden, hidden)
        value = writer.add_node("Add", value, layers.add_speaker_projection("sdp.cond", sizes.gin, hidden))
        value = layers.add_linear("sdp.proj", _add_separable_convolutions(layers, "sdp.convs", value, hidden), hidden, hidden)
        return _add_reversed_flows(layers, "sdp.flows", value, noise, hidden)


def _add_reversed_flows(layers: LayerWriter, name: str, condition: str, noise: str, hidden: int) -> str:
    """Log durations [T, 1] from noise [2, T], conditioned on [T, hidden].

    Every flow changes one of the two channels, knowing the other, and the channels change places in between. The first flow
    of the trained chain is not used in this direction.
    """
    writer, weights = layers.writer, layers.weights
    still, moving = (writer.add_transpose(part, 1, 0) for part in writer.add_split(noise, [1, 1], axis=0))
    for number in reversed(_list_flow_numbers(weights, name)[1:]):
        still, moving = moving, _add_reversed_flow(layers, f"{name}.{number}", moving, still, condition, hidden)
    mean, log_scale = (weights.take_tensor(f"{name}.0.{part}", 2, 1)[0, 0] for part in ("m", "logs"))
    return writer.add_node("Mul", writer.add_node("Sub", moving, writer.add_constant(mean)), writer.add_constant(np.exp(-log_scale)))


def _list_flow_numbers(weights: VoiceWeights, name: str) -> list[int]:
    """Return the numbers of the spline flows. They are odd, as the names also count the exchanges between them; 0 is a scale and a shift."""
    numbers = weights.list_numbers(name)
    if len(numbers) < 3 or numbers != [0, *range(1, 2 * len(numbers) - 2, 2)]:
        raise build_weight_mismatch_error(localize(f"重み {name} の層が欠けています。", f"Some layers of {name} are missing."))
    return numbers[1:]


def _add_reversed_flow(layers: LayerWriter, name: str, still: str, moving: str, condition: str, hidden: int) -> str:
    """Add one flow in reverse and return the new values of `moving` [T, 1]."""
    writer, weights = layers.writer, layers.weights
    with writer.enter_scope(name):
        value = writer.add_node("Add", layers.add_linear(f"{name}.pre", still, 1, hidden), condition)
        value = _add_separable_convolutions(layers, f"{name}.convs", value, hidden)
        matrix, bias = (
            weights.read_matrix(f"{name}.proj", hidden, SPLINE_PARAMETERS),
            weights.take_tensor(f"{name}.proj.bias", SPLINE_PARAMETERS),
        )
        scale = np.ones(SPLINE_PARAMETERS, np.float32)
        # VITS divides the logits of widths and heights by this root.
        scale[: 2 * SPLINE_BINS] = 1 / np.sqrt(hidden)
        return add_inverse_spline(writer, moving, layers.add_given_linear(f"{name}.proj", value, matrix * scale, bias * scale))


def _add_separable_convolutions(layers: LayerWriter, name: str, value: str, hidden: int) -> str:
    """Add depth-wise convolutions that reach ever further, each followed by a mix of the channels, from [T, hidden] to the same shape."""
    writer = layers.writer
    for number in range(layers.weights.count_layers(f"{name}.convs_sep")):
        kernel = layers.weights.take_tensor(f"{name}.convs_sep.{number}.weight", hidden, 1, ANY_SIZE).shape[2]
        mixed = layers.add_conv(
            f"{name}.convs_sep.{number}", writer.convert_to_image(value), hidden, hidden, dilation=kernel**number, groups=hidden
        )
        mixed = writer.add_gelu(layers.add_layer_norm(f"{name}.norms_1.{number}", writer.convert_to_rows(mixed), hidden))
        mixed = layers.add_linear(f"{name}.convs_1x1.{number}", mixed, hidden, hidden)
        value = writer.add_node("Add", value, writer.add_gelu(layers.add_layer_norm(f"{name}.norms_2.{number}", mixed, hidden)))
    return value
