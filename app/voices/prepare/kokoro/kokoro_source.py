"""A small trained network in place of the generator's second source block, for Fast.

What the last stage takes from the source depends on pitch, phase and style alone, but a block of six convolutions over 4,800 steps a second computes it: a fifth of the
decoder's time. Three convolutions that all styles share, each followed by a factor and a shift a channel, then a matrix, learnt that block's own output
(`packaging/natural_voice/train_source.py`); factors, shifts and the matrix are mixed by the shares of the measured styles.
"""

from collections.abc import Mapping

from app.core.synthesis_types import Float32
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_layers import RESIDUAL_SLOPE

MODULE = "source_network"
SourceTensors = Mapping[str, Float32]
"""Of L convolutions with H channels, for S styles and D outputs: conv{i}.weight (H, inputs, kernel), conv{i}.bias (H,), conv{i}.dilation (), gains and shifts (L, S, H), matrix (S, H, D), bias (S, D)."""


class SourceNetworkWriter:
    """Writes the network with these tensors."""

    def __init__(self, writer: GraphWriter, tensors: SourceTensors) -> None:
        self._writer, self._tensors = writer, tensors

    def add_features(self, spectrum: str, shares: str) -> str:
        """Add the network over a spectrum [1, inputs, 1, T], with the shares [1, S] of the styles, and return rows [T, D]."""
        writer, tensors = self._writer, self._tensors
        layers, _, channels = tensors["gains"].shape
        outputs = tensors["bias"].shape[1]
        image = self._add_layer(0, spectrum, shares)
        for layer in range(1, layers):
            image = writer.add_node("Add", image, self._add_layer(layer, image, shares))
        matrix, bias = (self._add_mixed(f"{MODULE}.{name}", tensors[name], shares) for name in ("matrix", "bias"))
        rows = writer.add_linear(
            writer.convert_to_rows(image), writer.add_reshape(matrix, [channels, outputs]), writer.add_reshape(bias, [outputs])
        )
        return writer.set_value_shape(rows, [writer.length, outputs])

    def _add_layer(self, layer: int, image: str, shares: str) -> str:
        writer, tensors, module = self._writer, self._tensors, f"{MODULE}.conv{layer}"
        weight = writer.add_weight(f"{module}.weight", tensors[f"conv{layer}.weight"][:, :, None])
        bias = writer.add_weight(f"{module}.bias", tensors[f"conv{layer}.bias"])
        value = writer.add_conv(image, weight, bias, int(tensors[f"conv{layer}.dilation"]))
        gain, shift = (
            writer.add_reshape(self._add_mixed(f"{module}.{name}", tensors[name][layer], shares), [1, -1, 1, 1])
            for name in ("gains", "shifts")
        )
        return writer.add_node("LeakyRelu", writer.add_node("Add", writer.add_node("Mul", value, gain), shift), alpha=RESIDUAL_SLOPE)

    def _add_mixed(self, name: str, values: Float32, shares: str) -> str:
        """Add the mixture of values (S, …) by the shares [1, S], as [1, N]."""
        return self._writer.add_node("MatMul", shares, self._writer.add_weight(name, values.reshape(len(values), -1)))
