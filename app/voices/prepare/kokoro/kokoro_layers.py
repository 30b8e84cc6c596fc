"""Layers of Kokoro-82M, written from its weights: an image is [1, C, 1, T], rows are [T, C]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.untrusted.regular_file import describe_incomplete_download

STEP_AXIS = "steps"  # the time axis with two steps a frame
MICROSOFT_DOMAIN = "com.microsoft"
UNSIGNED_ZERO = 128
STYLE_HALF = 128  # of the style vector: the first half is the sound's, the second the prosody's
STATE_SIZE = 256  # of an LSTM, in each direction
NORM_EPSILON = 1e-5
RESIDUAL_SLOPE = 0.2  # of the leaky ReLUs in residual blocks
HALF_POWER = np.float32(1 / np.sqrt(2))  # keeps the variance of a sum of two


@dataclass(frozen=True, slots=True)
class IntegerProduct:
    """The stored weights of a linear layer that multiplies in 8 bits: the names of values, scales, zero points and bias."""

    tensors: tuple[str, ...]

    def add_to(self, writer: GraphWriter, rows: str) -> str:
        """Add the product of rows [T, C] and return [T, D]."""
        return writer.add_node("DynamicQuantizeMatMul", rows, *self.tensors, domain=MICROSOFT_DOMAIN)


@dataclass(frozen=True, slots=True)
class PackedWeight:
    """A weight as the file holds it: (values − zero) · scale, the values int8 or uint8, the scale of a shape that broadcasts, zero mostly 0."""

    values: NDArray[Any]
    scale: Float32
    zero: NDArray[Any]

    def unpack(self) -> Float32:
        return (self.values.astype(np.float32) - self.zero.astype(np.float32)) * self.scale

    def reshape(self, *shape: int) -> PackedWeight:
        """Return the weight in another shape; only for a weight with one scale."""
        return PackedWeight(self.values.reshape(shape), self.scale, self.zero)


class KokoroWeights:
    """The tensors of the int8 file of Kokoro-82M by the name of their module."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._tensors = {item.name: item for item in model.graph.initializer}
        self._packed_weights: dict[str, PackedWeight] = {}
        plain_weights: dict[str, onnx.TensorProto] = {}  # that have lost the names of their modules
        for node in model.graph.node:
            # The path of the node that multiplies with the weight.
            module = node.name.removesuffix("_quant").rpartition("/")[0].strip("/").replace("/", ".")
            if node.op_type in ("ConvInteger", "MatMulInteger") and node.input[1] in self._tensors:
                self._packed_weights[module] = self._read_packed(node.input[1], node.input[3])
            elif node.op_type == "Gather" and node.input[0].endswith("_quantized"):
                self._packed_weights[module] = self._read_packed(node.input[0], node.input[0].replace("_quantized", "_zero_point"))
            elif node.op_type == "DynamicQuantizeLSTM":
                self._packed_weights[f"{module}.input"] = self._read_lstm_weight(node.input[1], node.input[8], node.input[9])
                self._packed_weights[f"{module}.recurrent"] = self._read_lstm_weight(node.input[2], node.input[10], node.input[11])
                plain_weights[f"{module}.bias"] = self._tensors[node.input[3]]
            elif node.op_type in ("Conv", "ConvTranspose", "MatMul") and node.input[1] in self._tensors:
                plain_weights[f"{module}.weight"] = self._tensors[node.input[1]]
        self._tensors |= plain_weights

    def take_tensor(self, name: str, *shape: int) -> Float32:
        """Return a float32 tensor; raise VoiceError if it is missing or has another shape."""
        tensor = self._tensors.get(name)
        if tensor is None or tuple(tensor.dims) != shape:
            raise _build_foreign_file_error(name)
        return np.asarray(numpy_helper.to_array(tensor), np.float32)

    def take_packed(self, module: str, *shape: int) -> PackedWeight:
        """Return the int8 weight of a module; raise VoiceError if it is missing or has another shape."""
        weight = self._packed_weights.get(module)
        if weight is None or weight.values.shape != shape:
            raise _build_foreign_file_error(module)
        return weight

    def _read_packed(self, name: str, zero: str) -> PackedWeight:
        scale = self._read(name.replace("_quantized", "_scale"))
        zeros = self._read(zero) if zero in self._tensors else np.zeros((), np.int8)
        return PackedWeight(self._read(name), scale, zeros)

    def _read_lstm_weight(self, name: str, scale: str, zero: str) -> PackedWeight:
        """Return a weight of both directions, with the axes that ONNX's LSTM has: (2, 4 · hidden, inputs)."""
        values = np.ascontiguousarray(self._read(name).transpose(0, 2, 1))
        return PackedWeight(values, self._read(scale).reshape(2, 1, 1), self._read(zero).reshape(2, 1, 1))

    def _read(self, name: str) -> NDArray[Any]:
        return numpy_helper.to_array(self._tensors[name])


def _build_foreign_file_error(name: str) -> VoiceError:
    return VoiceError(
        localize("Kokoro のモデルファイルではありません。", "This is not the model file of Kokoro."),
        f"{describe_incomplete_download()} ({name})",
    )


class KokoroLayers:
    """Writes layers of the weights into the graph of the writer."""

    def __init__(self, weights: KokoroWeights, writer: GraphWriter) -> None:
        self.weights, self.writer = weights, writer

    def store_weight(self, name: str, weight: PackedWeight) -> str:
        """Store an int8 weight in the graph and return its name."""
        return self.writer.add_packed_weight(name, weight.values, weight.scale, weight.zero)

    def add_conv(
        self,
        module: str,
        image: str,
        inputs: int,
        outputs: int,
        kernel: int,
        *,
        bias: str | None,
        dilation: int = 1,
        input_scale: Float32 | None = None,
    ) -> str:
        """Add a convolution over time that keeps the length; `bias` names its tensor, and the weight takes `input_scale`, a factor of each input, (1, inputs, 1, 1)."""
        weight = self.weights.take_packed(module, outputs, inputs, kernel).reshape(outputs, inputs, 1, kernel)
        if input_scale is not None:
            weight = replace(weight, scale=weight.scale * input_scale)
        values = None if bias is None else self.add_tensor(bias, outputs)
        return self.writer.add_conv(image, self.store_weight(module, weight), values, dilation)

    def store_tiled_weight(self, module: str, channels: int, kernel: int, input_scale: Float32) -> str:
        """Store the weight of a convolution of as many outputs as inputs for tiles, [kernel, inputs · outputs], with a factor of each input, and return its name."""
        weight = self.weights.take_packed(module, channels, channels, kernel)
        scale = weight.scale * input_scale.reshape(1, channels, 1)
        name = self.store_weight(module, PackedWeight(weight.values.transpose(2, 1, 0), scale, weight.zero))
        return self.writer.add_reshape(name, [kernel, -1])

    def add_strided_conv(self, module: str, image: str, shape: Sequence[int], bias: str, stride: int, pad: int) -> str:
        """Add a convolution over time that takes one step of `stride`; `shape` is (outputs, inputs, kernel)."""
        outputs, inputs, kernel = shape
        weight = self.weights.take_packed(module, outputs, inputs, kernel).reshape(outputs, inputs, 1, kernel)
        name, values = self.store_weight(module, weight), self.add_tensor(bias, outputs)
        result = self.writer.add_node("Conv", image, name, values, kernel_shape=[1, kernel], strides=[1, stride], pads=[0, pad, 0, pad])
        return self.writer.set_value_shape(result, [1, outputs, 1, self.writer.length])

    def add_linear(self, module: str, rows: str, inputs: int, outputs: int, bias: str = "") -> str:
        """Add a linear layer over rows [T, C], by default with the bias of its module."""
        weight = self.store_weight(module, self.weights.take_packed(module, inputs, outputs))
        return self.writer.add_linear(rows, weight, self.add_tensor(bias or f"{module}.bias", outputs))

    def store_integer_product(self, name: str, weights: Sequence[PackedWeight], biases: Sequence[Float32]) -> IntegerProduct:
        """Store the weights of linear layers side by side, int8 with a scale a column, for products in 8 bits as the file has them.

        They are stored without a sign: products of signed ones overflow on processors that lack VNNI.
        """
        values = np.concatenate([(weight.values.astype(np.int16) + UNSIGNED_ZERO).astype(np.uint8) for weight in weights], axis=1)
        zeros = np.full(values.shape[1], UNSIGNED_ZERO, np.uint8)
        scales = np.concatenate([weight.scale for weight in weights])
        parts = {"packed": values, "scale": scales, "zero": zeros, "bias": np.concatenate(list(biases))}
        return IntegerProduct(tuple(self.writer.add_plain_tensor(f"{name}.{part}", array) for part, array in parts.items()))

    def add_tensor(self, name: str, *shape: int) -> str:
        """Store a float32 tensor of the file in the graph and return its name."""
        return self.writer.add_weight(name, self.weights.take_tensor(name, *shape))

    def add_lstm(self, module: str, rows: str, inputs: int) -> str:
        """Add an LSTM of both directions over rows [T, inputs] and return [T, 2 · STATE_SIZE]."""
        writer, gates = self.writer, 4 * STATE_SIZE
        weight = self.store_weight(f"{module}.input", self.weights.take_packed(f"{module}.input", 2, gates, inputs))
        state = self.store_weight(f"{module}.recurrent", self.weights.take_packed(f"{module}.recurrent", 2, gates, STATE_SIZE))
        bias = self.add_tensor(f"{module}.bias", 2, 2 * gates)
        sequence = writer.add_node("Unsqueeze", rows, writer.add_constant([1], np.int64))
        both = writer.add_multi_output_node("LSTM", 3, sequence, weight, state, bias, direction="bidirectional", hidden_size=STATE_SIZE)[0]
        # (T, directions, batch, state), with the directions of one step side by side
        return writer.add_reshape(both, [-1, 2 * STATE_SIZE])

    def add_style_affine(self, module: str, style: str, channels: int, bias: str = "") -> tuple[str, str]:
        """Add the factor and the shift that a style [1, STYLE_HALF] gives to each channel, [1, channels] each."""
        both = self.add_linear(module, style, STYLE_HALF, 2 * channels, bias)
        gain, shift = self.writer.add_split(both, [channels, channels], axis=1)
        return self.writer.add_node("Add", gain, self.writer.add_constant(1.0)), shift

    def add_adaptive_norm(self, module: str, image: str, style: str, channels: int, bias: str) -> str:
        """Add a normalisation of each channel over the whole line, then the factor and the shift of a style."""
        writer = self.writer
        gain, shift = (writer.add_reshape(item, [channels]) for item in self.add_style_affine(module, style, channels, bias))
        return writer.add_node("InstanceNormalization", image, gain, shift, epsilon=NORM_EPSILON)

    def add_leaky_relu(self, value: str, slope: float = RESIDUAL_SLOPE) -> str:
        return self.writer.add_node("LeakyRelu", value, alpha=slope)

    def add_residual_block(
        self, module: str, parameters: str, image: str, style: str, inputs: int, outputs: int, *, is_upsampling: bool = False
    ) -> str:
        """Add a residual block whose norms follow a style; one that upsamples makes two steps of each."""
        value = self.add_leaky_relu(self.add_adaptive_norm(f"{module}.norm1.fc", image, style, inputs, f"{parameters}.norm1.fc.bias"))
        if is_upsampling:
            value, image = self._add_step_doubling(module, parameters, value, inputs), self.add_repetition(image, 2)
            self.writer.length = STEP_AXIS
        value = self.add_conv(f"{module}.conv1", value, inputs, outputs, 3, bias=f"{parameters}.conv1.bias")
        value = self.add_leaky_relu(self.add_adaptive_norm(f"{module}.norm2.fc", value, style, outputs, f"{parameters}.norm2.fc.bias"))
        value = self.add_conv(f"{module}.conv2", value, outputs, outputs, 3, bias=f"{parameters}.conv2.bias")
        if inputs != outputs:
            image = self.add_conv(f"{module}.conv1x1", image, inputs, outputs, 1, bias=None)
        return self.writer.add_node("Mul", self.writer.add_node("Add", value, image), self.writer.add_constant(HALF_POWER))

    def _add_step_doubling(self, module: str, parameters: str, image: str, channels: int) -> str:
        """Add a transposed convolution of each channel by itself that makes two steps of one."""
        weight = self.weights.take_tensor(f"{module}.pool.weight", channels, 1, 3).reshape(channels, 1, 1, 3)
        name, bias = self.writer.add_weight(f"{module}.pool.weight", weight), self.add_tensor(f"{parameters}.pool.bias", channels)
        attributes = {"kernel_shape": [1, 3], "strides": [1, 2], "pads": [0, 1, 0, 1], "output_padding": [0, 1], "group": channels}
        return self.writer.add_node("ConvTranspose", image, name, bias, **attributes)

    def add_repetition(self, image: str, times: int) -> str:
        """Add the image with each step so many times."""
        scales = self.writer.add_constant([1.0, 1.0, 1.0, float(times)])
        return self.writer.add_node(
            "Resize", image, "", scales, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"
        )
