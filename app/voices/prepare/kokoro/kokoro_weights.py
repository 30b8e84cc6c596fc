"""Reads the weights of Kokoro-82M from its public int8 file; nothing else of the file's graph is used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.untrusted.damage_hint import describe_incomplete_download


@dataclass(frozen=True, slots=True)
class PackedWeight:
    """A weight as the file holds it: (values − zero) · scale.

    Attributes:
        values: int8 or uint8.
        scale: float32, of a shape that broadcasts over the values.
        zero: of the type of the values, 0 for most.
    """

    values: NDArray[Any]
    scale: Float32
    zero: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the weight."""
        return self.values.shape

    def unpack(self) -> Float32:
        """Return the weight as float32."""
        return (self.values.astype(np.float32) - self.zero.astype(np.float32)) * self.scale

    def reshape(self, *shape: int) -> PackedWeight:
        """Return the weight in another shape; only for a weight with one scale."""
        return PackedWeight(self.values.reshape(shape), self.scale, self.zero)


class KokoroWeights:
    """The tensors of the file by the name of their module.

    Args:
        model: the int8 file of Kokoro-82M.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        self._tensors = {item.name: item for item in model.graph.initializer}
        self._packed = dict(self._list_packed_weights(model.graph))
        self._tensors |= dict(self._list_plain_weights(model.graph))

    def take_tensor(self, name: str, *shape: int) -> Float32:
        """Return a float32 tensor; raise VoiceError if it is missing or has another shape."""
        tensor = self._tensors.get(name)
        if tensor is None or tuple(tensor.dims) != shape:
            raise _build_foreign_file_error(name)
        return np.asarray(numpy_helper.to_array(tensor), np.float32)

    def take_packed(self, module: str, *shape: int) -> PackedWeight:
        """Return the int8 weight of a module; raise VoiceError if it is missing or has another shape."""
        weight = self._packed.get(module)
        if weight is None or weight.shape != shape:
            raise _build_foreign_file_error(module)
        return weight

    def _list_packed_weights(self, graph: onnx.GraphProto) -> Iterator[tuple[str, PackedWeight]]:
        """Yield the int8 weights by the path of the node that multiplies with them."""
        for node in graph.node:
            module = node.name.removesuffix("_quant").rpartition("/")[0].strip("/").replace("/", ".")
            if node.op_type in ("ConvInteger", "MatMulInteger") and node.input[1] in self._tensors:
                yield module, self._read_packed(node.input[1], node.input[3])
            elif node.op_type == "Gather" and node.input[0].endswith("_quantized"):
                yield module, self._read_packed(node.input[0], node.input[0].replace("_quantized", "_zero_point"))
            elif node.op_type == "DynamicQuantizeLSTM":
                yield f"{module}.input", self._read_lstm_weight(node.input[1], node.input[8], node.input[9])
                yield f"{module}.recurrent", self._read_lstm_weight(node.input[2], node.input[10], node.input[11])

    def _list_plain_weights(self, graph: onnx.GraphProto) -> Iterator[tuple[str, onnx.TensorProto]]:
        """Yield the float32 weights that have lost the names of their modules, by the path of their node."""
        for node in graph.node:
            module = node.name.removesuffix("_quant").rpartition("/")[0].strip("/").replace("/", ".")
            if node.op_type in ("Conv", "ConvTranspose", "MatMul") and node.input[1] in self._tensors:
                yield f"{module}.weight", self._tensors[node.input[1]]
            elif node.op_type == "DynamicQuantizeLSTM":
                yield f"{module}.bias", self._tensors[node.input[3]]

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
