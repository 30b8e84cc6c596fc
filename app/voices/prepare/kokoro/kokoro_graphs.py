"""The entry of this package: Kokoro's int8 file becomes the three graphs of a prepared voice. Here the decoder: a window of frames becomes samples.

It is an iSTFTNet generator with a harmonic source. Its norms were trained over a whole line, which a window does not have. Here they use fixed statistics: means and
deviations of each channel that were measured over many lines, as affine functions of the style.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from app.common.files.paths import find_resources_dir
from app.core.synthesis_types import Float32
from app.voices.prepare.graph_store import PreparedGraphs, load_graph
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_flow import FEATURE_SIZE, FLOW_ROWS, STEPS_PER_FRAME, STEPS_PER_S, VOICED_HZ, build_flow_graph
from app.voices.prepare.kokoro.kokoro_layers import NORM_EPSILON, STYLE_HALF, KokoroLayers, KokoroWeights
from app.voices.prepare.kokoro.kokoro_prosody import build_prosody_graph
from app.voices.prepare.kokoro.kokoro_source import SourceNetworkWriter, SourceTensors
from app.voices.prepare.tiled_convolution import add_tiled_convolution

# Of the generator: 100 ms, all that its dilated convolutions reach. Windows then differ from the whole by rounding (81 dB; 53 with 75 ms).
MARGIN_FRAMES = 4
LAST_STAGE_MARGIN_FRAMES = 1  # of these, what the last stage needs: it reaches 15 ms
SPEAKER_GAINS_DB = (-1.9, -1.3, -1.4, -1.1, -3.0, 0.2, -4.1, 1.3, -4.0, 0.1)
"""What brings each speaker to about -21.7 LUFS and the fifth one, whose pulses are high, just below full scale; see `tests/benchmarks`."""

SAMPLING_RATE_HZ = 24000
SAMPLES_PER_STEP = SAMPLING_RATE_HZ // STEPS_PER_S
HOP_LENGTH = SAMPLES_PER_STEP * STEPS_PER_FRAME
HARMONICS, SINE_AMPLITUDE = 9, 0.1
FFT_SIZE, FFT_HOP = 20, 5
SPECTRUM_SIZE = FFT_SIZE // 2 + 1
NO_REAL_PART = 1e-20  # in place of a real part of zero, which would make a quotient that is no number
LARGEST_LOWER_PART = np.array([-1.0] + [0.0] * (SPECTRUM_SIZE - 1))
"""Up to which imaginary part the phase of a negative real part is below zero, by bin: as in the file the lowest one, which is real, has π, and the highest one -π."""
UPSAMPLING = ((10, 20), (6, 12))  # rates and kernels of the stages
SOURCE_KERNELS, SOURCE_BLOCK_KERNELS = (12, 1), (7, 11)
KERNELS, DILATIONS = (3, 7, 11), (1, 3, 5)
BLOCK_MEAN = np.float32(1 / len(KERNELS))
STAGE_SLOPE, LAST_SLOPE = 0.1, 0.01
LAST_KERNEL = 7
# sin²(π√q) / π for q in 0 … ¼ as c₁q + c₂q² + c₃q³, at most 2.6e-4 off, which is far below what 8 bits made of the weights.
SQUARED_SINE = (3.1200003766691933, -9.793421580061421, 9.642203453097652)
GENERATOR = "decoder.decoder.generator"
INVERSE_GAIN = FFT_SIZE / FFT_HOP
"""The exporter's basis lacks this factor. Its graph divides no sample by the sum of the squared windows but the first twenty, nor do we."""


def read_kokoro_styles() -> Float32:
    """Return the style vectors, float32 (rows, 256): a mean, those of the speakers, then manner by manner those of all speakers."""
    return np.asarray(np.load(find_kokoro_folder() / "styles.npy"), np.float32)


def read_speaker_styles() -> Float32:
    """Return the style vectors of the speakers, float32 (speakers, 256)."""
    return read_kokoro_styles()[1 : 1 + len(SPEAKER_GAINS_DB)]


@dataclass(frozen=True, slots=True)
class NormStatistics:
    """Means and deviations at the generator's norms, and levels, measured for some styles; those of other styles are mixed from them."""

    styles: Float32  # the styles' halves for the sound, float32 (S, STYLE_HALF)
    tables: Mapping[str, Float32]  # by module of the norm, float32 (S, 2 · channels): means, then logarithms of deviations
    gains_db: tuple[float, ...]  # what brings the sound of each style to one level

    def compute_share_matrix(self) -> tuple[Float32, Float32]:
        """Return the matrix (STYLE_HALF, S) and the offset (S,) that give each measured style its share in a style; shares sum to 1."""
        homogeneous = np.concatenate((self.styles, np.ones((len(self.styles), 1))), axis=1)
        matrix = np.linalg.pinv(homogeneous.astype(np.float64))
        return matrix[:-1].astype(np.float32), matrix[-1].astype(np.float32)


@dataclass(frozen=True, slots=True)
class BiasedRows:
    """Rows [T, C] that lack a bias, float32 (C,), which a norm behind them takes with its shift at no cost."""

    rows: str
    bias: Float32


class GeneratorWriter:
    """Writes the generator with these layers.

    Without statistics of the norms it measures over the window, which is right for a whole line only. With the tensors of the source's network, which takes statistics,
    that stands in for the second source block.
    """

    def __init__(self, layers: KokoroLayers, statistics: NormStatistics | None, source_tensors: SourceTensors | None = None) -> None:
        self._layers, self._writer, self._statistics, self._source_tensors = layers, layers.writer, statistics, source_tensors
        self._style, self._shares = "", ""

    def add_generator(self, steps: str, style: str, first: str, last: str) -> str:
        """Add the generator over steps [2W, FLOW_ROWS] and return the samples of the frames [first, last), [N]."""
        writer = self._writer
        self._take_style(style)
        rows, pitch, phase = writer.add_split(steps, [FEATURE_SIZE, 1, 1], axis=1)
        source = self.add_source_spectrum(self._add_source(*(writer.add_reshape(item, [1, -1]) for item in (pitch, phase))))
        begin, end = self._add_last_stage_bounds(steps, first, last)
        channels, rest = FEATURE_SIZE, int(np.prod([rate for rate, _ in UPSAMPLING]))
        for stage, (rate, kernel) in enumerate(UPSAMPLING):
            channels, rest = channels // 2, rest // rate
            writer.length = f"stage {stage}"
            is_last = stage == len(UPSAMPLING) - 1
            if is_last:
                rows = self._add_frames(rows, begin, end, STEPS_PER_FRAME * UPSAMPLING[0][0], axis=0)
                source = self._add_frames(source, begin, end, HOP_LENGTH // FFT_HOP, axis=3, extra=1)
            rows = self._layers.add_leaky_relu(rows, STAGE_SLOPE)
            value = self._add_upsampling(f"{GENERATOR}.ups.{stage}", rows, channels, rate, kernel, BLOCK_MEAN if stage else np.float32(1))
            writer.length = f"stage {stage} with the source's"
            if is_last:
                padded = writer.add_node("Pad", value.rows, writer.add_constant([1, 0, 0, 0], np.int64), mode="reflect")
                value = BiasedRows(writer.set_value_shape(padded, [writer.length, channels]), value.bias)
            rows = self._add_sum([value, self._add_source_features(stage, source, channels, rest)])
            # The mean's factor passes the leaky ReLU, so the next layer's weights take it.
            rows = self._add_sum(
                [
                    self._add_block(f"{GENERATOR}.resblocks.{len(KERNELS) * stage + index}", rows, channels, kernel)
                    for index, kernel in enumerate(KERNELS)
                ]
            )
        image = writer.convert_to_image(self._layers.add_leaky_relu(rows, LAST_SLOPE))
        samples = self._add_level(self._add_inverse_transform(image, channels))
        first, last = (writer.add_node("Sub", bound, begin) for bound in (first, last))
        return self._add_frames(samples, first, last, HOP_LENGTH, axis=0)

    def _take_style(self, style: str) -> None:
        """Keep the half of a style that is the sound's, [1, STYLE_HALF], and add the shares of the measured styles in it."""
        self._style = style
        if self._statistics is not None:
            writer, (matrix, offset) = self._writer, self._statistics.compute_share_matrix()
            self._shares = writer.add_linear(style, writer.add_weight("shares.matrix", matrix), writer.add_weight("shares.offset", offset))

    def _add_last_stage_bounds(self, steps: str, first: str, last: str) -> tuple[str, str]:
        """Add the bounds of the frames that the last stage sees: it needs less context than what comes before, and is most of the work."""
        writer = self._writer
        margin, none = (writer.add_constant([number], np.int64) for number in (LAST_STAGE_MARGIN_FRAMES, 0))
        frames = writer.add_node("Div", writer.add_node("Shape", steps, start=0, end=1), writer.add_constant([STEPS_PER_FRAME], np.int64))
        begin = writer.add_node("Max", writer.add_node("Sub", first, margin), none)
        return begin, writer.add_node("Min", writer.add_node("Add", last, margin), frames)

    def _add_frames(self, value: str, begin: str, end: str, steps_per_frame: int, *, axis: int, extra: int = 0) -> str:
        """Add the steps of the frames [begin, end) of a value with so many steps a frame, and so many after them."""
        writer = self._writer
        step = writer.add_constant([steps_per_frame], np.int64)
        bounds = [writer.add_node("Mul", bound, step) for bound in (begin, end)]
        if extra:
            bounds[1] = writer.add_node("Add", bounds[1], writer.add_constant([extra], np.int64))
        return writer.add_node("Slice", value, *bounds, writer.add_constant([axis], np.int64))

    def _add_sum(self, parts: Sequence[BiasedRows]) -> str:
        bias = self._writer.add_constant(np.sum([part.bias for part in parts], axis=0))
        return self._writer.add_node("Sum", *(part.rows for part in parts), bias)

    def _add_level(self, sound: str) -> str:
        if self._statistics is None:
            return sound
        writer = self._writer
        logs = np.log(10) / 20 * np.array(self._statistics.gains_db).reshape(-1, 1)
        gain = writer.add_node("Exp", writer.add_node("MatMul", self._shares, writer.add_weight("level.gains", logs)))
        return writer.add_node("Mul", sound, writer.add_reshape(gain, [1]))

    def _add_source(self, pitch: str, phase: str) -> str:
        """Add the harmonic source, [1, 1, 1, N]: sines of the harmonics, mixed; silence where nothing is voiced."""
        writer = self._writer
        turns = self._add_turns(pitch, phase)
        angles = writer.add_node("Mul", turns, writer.add_constant(2 * np.pi * np.arange(1, HARMONICS + 1).reshape(1, HARMONICS, 1, 1)))
        sines = writer.add_node("Mul", writer.add_node("Sin", angles), writer.add_constant(SINE_AMPLITUDE))
        image = writer.add_node("Unsqueeze", pitch, writer.add_constant([0, 1], np.int64))
        by_sample = self._layers.add_repetition(image, SAMPLES_PER_STEP)
        voiced = writer.add_node("Greater", by_sample, writer.add_constant(VOICED_HZ))
        sines = writer.add_node("Mul", sines, writer.add_node("Cast", voiced, to=onnx.TensorProto.FLOAT))
        name = f"{GENERATOR}.m_source.l_linear"
        weight = self._layers.weights.take_tensor(f"{name}.weight", HARMONICS, 1).reshape(1, HARMONICS, 1, 1)
        mixed = writer.add_node("Conv", sines, writer.add_weight(f"{name}.weight", weight), self._layers.add_tensor(f"{name}.bias", 1))
        return writer.add_node("Tanh", mixed)

    def _add_turns(self, pitch: str, phase: str) -> str:
        """Add the phase of the fundamental at every sample in turns, [1, 1, 1, N]: straight lines between the middles of the steps.

        The phases come from the flow, so nothing is summed up here, where a window would sum up otherwise than a whole line.
        """
        writer = self._writer
        advance = writer.add_node("Mul", writer.add_node("Max", pitch, writer.add_constant(0.0)), writer.add_constant(1 / STEPS_PER_S))
        bounds = (writer.add_constant([number], np.int64) for number in (1, np.iinfo(np.int64).max, 1))
        following = writer.add_node("Slice", advance, *bounds)
        following = writer.add_node("Pad", following, writer.add_constant([0, 0, 0, 1], np.int64))
        parts = writer.add_transpose(writer.add_node("Concat", phase, advance, following, axis=0), 1, 0)
        place = (np.arange(SAMPLES_PER_STEP) + 0.5) / SAMPLES_PER_STEP - 0.5
        lines = np.stack((np.ones(SAMPLES_PER_STEP), np.minimum(place, 0), np.maximum(place, 0)))
        turns = writer.add_node("MatMul", parts, writer.add_constant(lines))
        return writer.add_reshape(turns, [1, 1, 1, -1])

    def add_source_spectrum(self, source: str) -> str:
        """Add magnitudes and phases of the source, [1, 2 · SPECTRUM_SIZE, 1, N / FFT_HOP + 1]."""
        writer, half = self._writer, FFT_SIZE // 2
        padded = writer.add_node("Pad", source, writer.add_constant([0, 0, 0, half, 0, 0, 0, half], np.int64), mode="reflect")
        # A convolution takes a sixth of the time of ONNX Runtime's STFT. In silence the phases are rounding noise in both.
        window = np.hanning(FFT_SIZE + 1)[:-1]
        angles = 2 * np.pi * np.outer(np.arange(SPECTRUM_SIZE), np.arange(FFT_SIZE)) / FFT_SIZE
        basis = np.concatenate((np.cos(angles) * window, -np.sin(angles) * window))
        basis[[SPECTRUM_SIZE, -1]] = 0  # The lowest and the highest bin are real: no rounding noise may choose between π and -π.
        weight = writer.add_weight(f"{GENERATOR}.stft", basis.reshape(2 * SPECTRUM_SIZE, 1, 1, FFT_SIZE))
        spectrum = writer.add_node("Conv", padded, weight, kernel_shape=[1, FFT_SIZE], strides=[1, FFT_HOP])
        real, imaginary = writer.add_split(spectrum, [SPECTRUM_SIZE, SPECTRUM_SIZE], axis=1)
        squares = [writer.add_node("Mul", part, part) for part in (real, imaginary)]
        magnitude = writer.add_node("Sqrt", writer.add_node("Add", *squares))
        angle = writer.add_node("Atan", writer.add_node("Div", imaginary, writer.add_node("Add", real, writer.add_constant(NO_REAL_PART))))
        zero, turn = writer.add_constant(0.0), writer.add_constant(np.pi)
        upper = writer.add_node("Greater", imaginary, writer.add_constant(LARGEST_LOWER_PART.reshape(1, SPECTRUM_SIZE, 1, 1)))
        moved = writer.add_node("Where", upper, writer.add_node("Add", angle, turn), writer.add_node("Sub", angle, turn))
        phase = writer.add_node("Where", writer.add_node("Less", real, zero), moved, angle)
        both = writer.add_node("Concat", magnitude, phase, axis=1)
        return writer.set_value_shape(both, [1, 2 * SPECTRUM_SIZE, 1, "spectrum"])

    def _add_source_features(self, stage: int, source: str, channels: int, rest: int) -> BiasedRows:
        """Add what a stage takes from the source: its spectrum at the stage's rate, through a block of its own."""
        if stage == len(UPSAMPLING) - 1 and self._source_tensors is not None:
            features = SourceNetworkWriter(self._writer, self._source_tensors).add_features(source, self._shares)
            return BiasedRows(features, np.zeros(channels, np.float32))
        name, kernel = f"{GENERATOR}.noise_convs.{stage}", SOURCE_KERNELS[stage]
        pad = (rest + 1) // 2 if rest > 1 else 0
        image = self._layers.add_strided_conv(name, source, (channels, 2 * SPECTRUM_SIZE, kernel), f"{name}.bias", rest, pad)
        rows = self._writer.convert_to_rows(image)
        return self._add_block(f"{GENERATOR}.noise_res.{stage}", rows, channels, SOURCE_BLOCK_KERNELS[stage])

    def _add_upsampling(self, name: str, rows: str, channels: int, rate: int, kernel: int, gain: np.float32) -> BiasedRows:
        """Add a transposed convolution that makes `rate` steps of one: its kernel is two strides long, so a matrix of two steps makes all of them."""
        writer, weights = self._writer, self._layers.weights
        weight = weights.take_tensor(f"{name}.weight", 2 * channels, channels, kernel).reshape(2 * channels, channels, 2, rate) * gain
        matrix = weight.transpose(2, 0, 3, 1).reshape(4 * channels, rate * channels)
        later, earlier = (writer.add_node("Pad", rows, writer.add_constant(pads, np.int64)) for pads in ([0, 0, 1, 0], [1, 0, 0, 0]))
        both = writer.add_node("Concat", later, earlier, axis=1)
        steps = writer.add_reshape(writer.add_node("MatMul", both, writer.add_weight(f"{name}.weight", matrix)), [-1, channels])
        bounds = (writer.add_constant([number], np.int64) for number in (rate // 2, -(rate // 2), 0))
        result = writer.set_value_shape(writer.add_node("Slice", steps, *bounds), [writer.length, channels])
        return BiasedRows(result, weights.take_tensor(f"{name}.bias", channels))

    def _add_block(self, name: str, rows: str, channels: int, kernel: int) -> BiasedRows:
        """Add a residual block of dilated convolutions, each after a norm and a snake."""
        block = BiasedRows(rows, np.zeros(channels, np.float32))
        for step, dilation in enumerate(DILATIONS):
            value = self._add_convolution(name, 1, step, block, kernel, dilation)
            value = self._add_convolution(name, 2, step, value, kernel, 1)
            block = BiasedRows(self._writer.add_node("Add", value.rows, block.rows), value.bias + block.bias)
        return block

    def _add_convolution(self, block: str, half: int, step: int, value: BiasedRows, kernel: int, dilation: int) -> BiasedRows:
        """Add a norm that follows the style, a snake x + sin²(αx) / α, and a convolution.

        The snake is computed of turns αx / π, whose factor the norm takes, and the convolution takes the factor π / α of its result.
        """
        weights, channels = self._layers.weights, len(value.bias)
        alpha = weights.take_tensor(f"{block}.alpha{half}.{step}", 1, channels, 1).reshape(channels)
        turns = self._add_norm(f"{block}.adain{half}.{step}", value, alpha / np.float32(np.pi))
        module = f"{block}.convs{half}.{step}"
        weight = self._layers.store_tiled_weight(module, channels, kernel, np.float32(np.pi) / alpha)
        shape = (kernel, channels, channels)
        rows = add_tiled_convolution(self._writer, self._add_snake(turns), weight, shape, dilation=dilation)
        return BiasedRows(rows, weights.take_tensor(f"{module}.bias", channels))

    def _add_norm(self, module: str, value: BiasedRows, scale: Float32) -> str:
        """Add a norm that follows the style, times a factor a channel, with its statistics: one factor and one shift."""
        writer, channels = self._writer, len(value.bias)
        gain, shift = self._layers.add_style_affine(f"{module}.fc", self._style, channels)
        factor = writer.add_weight(f"{module}.scale", scale)
        gain, shift = (writer.add_reshape(writer.add_node("Mul", item, factor), [channels]) for item in (gain, shift))
        mean, inverse_deviation = self._add_statistics(module, value)
        gain = writer.add_node("Mul", gain, inverse_deviation)
        shift = writer.add_node("Sub", shift, writer.add_node("Mul", mean, gain))
        return writer.add_node("Add", writer.add_node("Mul", value.rows, gain), shift)

    def _add_statistics(self, module: str, value: BiasedRows) -> tuple[str, str]:
        """Add what a norm takes off and multiplies with, (C,) each: the mean of the rows, which lack their bias, and the inverse of the deviation."""
        writer, channels = self._writer, len(value.bias)
        if self._statistics is None:
            mean = writer.add_node("ReduceMean", value.rows, axes=[0], keepdims=0)
            centred = writer.add_node("Sub", value.rows, mean)
            variance = writer.add_node("ReduceMean", writer.add_node("Mul", centred, centred), axes=[0], keepdims=0)
            deviation = writer.add_node("Sqrt", writer.add_node("Add", variance, writer.add_constant(NORM_EPSILON)))
            return mean, writer.add_node("Reciprocal", deviation)
        both = writer.add_node("MatMul", self._shares, writer.add_weight(f"{module}.statistics", self._statistics.tables[module]))
        mean, log_deviation = (writer.add_reshape(item, [channels]) for item in writer.add_split(both, [channels, channels], axis=1))
        mean = writer.add_node("Sub", mean, writer.add_constant(value.bias))
        return mean, writer.add_node("Exp", writer.add_node("Neg", log_deviation))

    def _add_snake(self, turns: str) -> str:
        """Add w + sin²(πw) / π of turns w, by a polynomial: ONNX Runtime's sine takes three times as long as all of this."""
        writer = self._writer
        rest = writer.add_node("Sub", turns, writer.add_node("Round", turns))
        square = writer.add_node("Mul", rest, rest)
        *lower, value = (writer.add_constant(number) for number in SQUARED_SINE)
        value = writer.add_node("Mul", square, value)
        for number in reversed(lower):
            value = writer.add_node("Mul", square, writer.add_node("Add", value, number))
        return writer.add_node("Add", turns, value)

    def _add_inverse_transform(self, image: str, channels: int) -> str:
        """Add the spectrum of the sound and its inverse transform, [N]."""
        writer, name = self._writer, f"{GENERATOR}.conv_post"
        weight = self._layers.weights.take_tensor(f"{name}.weight", 2 * SPECTRUM_SIZE, channels, LAST_KERNEL)
        weight = weight.reshape(2 * SPECTRUM_SIZE, channels, 1, LAST_KERNEL) * BLOCK_MEAN
        bias = self._layers.add_tensor(f"{name}.bias", 2 * SPECTRUM_SIZE)
        magnitude, angle = writer.add_split(
            writer.add_conv(image, writer.add_weight(f"{name}.weight", weight), bias), [SPECTRUM_SIZE, SPECTRUM_SIZE], axis=1
        )
        magnitude, angle = writer.add_node("Exp", magnitude), writer.add_node("Sin", angle)
        parts = [writer.add_node("Mul", magnitude, writer.add_node(kind, angle)) for kind in ("Cos", "Sin")]
        basis = self._layers.weights.take_tensor(f"{GENERATOR}.stft.istft.stft.inverse_basis", 2 * SPECTRUM_SIZE, 1, FFT_SIZE)
        basis = basis.reshape(2 * SPECTRUM_SIZE, 1, 1, FFT_SIZE) * np.float32(INVERSE_GAIN)
        half = FFT_SIZE // 2
        sound = writer.add_node(
            "ConvTranspose", writer.add_node("Concat", *parts, axis=1), writer.add_weight(f"{GENERATOR}.inverse_basis", basis),
            kernel_shape=[1, FFT_SIZE], strides=[1, FFT_HOP], pads=[0, half, 0, half],
        )  # fmt: skip
        return writer.add_reshape(sound, [-1])


def build_decoder_graph(
    weights: KokoroWeights, statistics: NormStatistics | None, source_tensors: SourceTensors | None = None
) -> onnx.ModelProto:
    """Build the graph z, style_vec, first, last → audio, the samples of the frames [first, last) of a window."""
    writer = GraphWriter("decoder", "W")
    z = writer.add_input("z", [STEPS_PER_FRAME * FLOW_ROWS, "W"])
    both = writer.add_reshape(writer.add_input("style_vec", [2 * STYLE_HALF]), [1, 2 * STYLE_HALF])
    bounds = [writer.add_input(name, [1], onnx.TensorProto.INT64) for name in ("first", "last")]
    style = writer.add_split(both, [STYLE_HALF, STYLE_HALF], axis=1)[0]
    steps = writer.add_reshape(writer.add_transpose(writer.add_reshape(z, [STEPS_PER_FRAME, FLOW_ROWS, -1]), 2, 0, 1), [-1, FLOW_ROWS])
    samples = GeneratorWriter(KokoroLayers(weights, writer), statistics, source_tensors).add_generator(steps, style, *bounds)
    writer.add_output("audio", samples, ["samples"])
    return writer.build_model()


def read_norm_statistics() -> NormStatistics:
    """Return what was measured for the speakers."""
    tables = {f"{GENERATOR}.{name}": values for name, values in _read_arrays("norms.npz").items()}
    return NormStatistics(read_speaker_styles()[:, :STYLE_HALF], tables, SPEAKER_GAINS_DB)


def read_source_tensors() -> SourceTensors:
    """Return the tensors of the network that stands in for the second source block."""
    return _read_arrays("source_features.npz")


def _read_arrays(name: str) -> dict[str, Float32]:
    with np.load(find_kokoro_folder() / name) as file:
        return {key: np.asarray(file[key], np.float32) for key in file.files}


def find_kokoro_folder() -> Path:
    """Return the folder of the data that the program brings for this voice."""
    return find_resources_dir() / "kokoro"


def build_kokoro_graphs(model: Path) -> tuple[PreparedGraphs, onnx.ModelProto]:
    """Build the graphs, and the decoder of Fast, from the joined int8 file; raise VoiceError if it is another file or damaged."""
    weights, statistics = KokoroWeights(load_graph(model)), read_norm_statistics()
    graphs = PreparedGraphs(
        prosody=build_prosody_graph(weights),
        flow=build_flow_graph(weights),
        decoder=build_decoder_graph(weights, statistics),
        margin_frames=MARGIN_FRAMES,
    )
    return graphs, build_decoder_graph(weights, statistics, read_source_tensors())
