"""The weights of a voice by name, each checked as it is taken: there, of the right shape, and made of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from app.common.errors import VoiceError
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.voices.untrusted.damage_hint import describe_incomplete_download
from app.voices.untrusted.voice_limits import MAX_WEIGHT_VALUE

ANY_SIZE = -1  # a size that is not known beforehand


class VoiceWeights:
    """Tensors by the names that the module path gives them, such as `dec.conv_pre.weight`."""

    def __init__(self, tensors: Mapping[str, Float32]) -> None:
        self._tensors = tensors

    def __contains__(self, name: str) -> bool:
        """Return whether there is a tensor of this name."""
        return name in self._tensors

    def take_tensor(self, name: str, *shape: int) -> Float32:
        """Return a tensor of the given shape, with ANY_SIZE for a size that does not matter; raise VoiceError if it is missing or has another shape."""
        if name not in self._tensors:
            raise build_weight_mismatch_error(localize(f"重み {name} がありません。", f"The tensor {name} is missing."))
        values = self._tensors[name]
        if values.ndim != len(shape) or any(want not in (ANY_SIZE, size) for want, size in zip(shape, values.shape, strict=True)):
            found = "×".join(map(str, values.shape))
            raise build_weight_mismatch_error(
                localize(f"重み {name} の形 {found} が合いません。", f"The tensor {name} has the unexpected shape {found}.")
            )
        # The negation is true for NaN as well, which plain comparisons would let pass.
        if not (values.min(initial=0.0) >= -MAX_WEIGHT_VALUE and values.max(initial=0.0) <= MAX_WEIGHT_VALUE):
            raise _build_damaged_weights_error(localize(f"{name} に無効な値が含まれています", f"{name} contains invalid values"))
        return values

    def read_matrix(self, prefix: str, inputs: int, outputs: int) -> Float32:
        """Return the weights of a linear layer or a convolution of width 1 as (inputs, outputs), to be multiplied from the right."""
        name = f"{prefix}.weight"
        pointwise = name in self._tensors and self._tensors[name].ndim == 3
        values = self.take_tensor(name, outputs, inputs, 1)[:, :, 0] if pointwise else self.take_tensor(name, outputs, inputs)
        return np.ascontiguousarray(values.T)

    def fold_weight_norm(self, prefix: str, *shape: int) -> Float32:
        """Return the weights of a convolution with its weight norm applied: g · v / ‖v‖, with the norm of all but the first axis."""
        if f"{prefix}.weight_v" not in self._tensors:
            return self.take_tensor(f"{prefix}.weight", *shape)
        direction = self.take_tensor(f"{prefix}.weight_v", *shape)
        gain = self.take_tensor(f"{prefix}.weight_g", shape[0], *[1] * (len(shape) - 1))
        norm = np.sqrt(np.square(direction, dtype=np.float64).sum(axis=tuple(range(1, len(shape))), keepdims=True))
        if not norm.all():
            raise _build_damaged_weights_error(localize(f"{prefix} がすべて 0 です", f"those of {prefix} are zero"))
        return np.asarray(direction * (gain / norm), np.float32)

    def list_numbers(self, prefix: str) -> list[int]:
        """Return the numbers that follow a prefix: `flow.flows` gives [0, 2, 4, 6]."""
        pattern = re.compile(re.escape(prefix) + r"\.(\d{1,6})\.")
        return sorted({int(match[1]) for name in self._tensors if (match := pattern.match(name))})

    def count_layers(self, prefix: str, step: int = 1) -> int:
        """Return how many layers are numbered 0, step, 2·step … after a prefix; raise VoiceError when one is missing in between."""
        numbers = self.list_numbers(prefix)
        if numbers != list(range(0, step * len(numbers), step)):
            raise build_weight_mismatch_error(localize(f"重み {prefix} の層が欠けています。", f"Some layers of {prefix} are missing."))
        return len(numbers)


def _build_damaged_weights_error(description: str) -> VoiceError:
    return VoiceError(
        localize(f"この声の重みが壊れています（{description}）。", f"The weights of this voice are damaged: {description}."),
        describe_incomplete_download(),
    )


def build_weight_mismatch_error(detail: str) -> VoiceError:
    """Return the error for weights that are not those of an SBV2 voice."""
    return VoiceError(
        localize("この声の重みは Style-Bert-VITS2 の構造に合いません。", "The weights of this voice do not match Style-Bert-VITS2."),
        detail
        + localize(
            "Style-Bert-VITS2 の声を選ぶか、もう一度ダウンロードしてください。", " Choose a Style-Bert-VITS2 voice, or download it again."
        ),
    )
