"""The sizes of DeBERTa-v2 that differ from model to model, and the layers that Style-Bert-VITS2 takes."""

from __future__ import annotations

from dataclasses import dataclass

UNUSED_TOP_LAYERS = 2
"""Style-Bert-VITS2 reads `hidden_states[-3]`: what the third layer from the top is given by the one below."""


@dataclass(frozen=True, slots=True)
class DebertaSizes:
    """Sizes of one model.

    Attributes:
        layers: transformer layers that the features depend on.
        heads: attention heads; `hidden` is a multiple.
        hidden: width of a token between layers, and of its features.
        inner: width inside the feed-forward part.
        vocabulary: how many token ids there are.
        epsilon: of every layer norm.
    """

    layers: int
    heads: int
    hidden: int
    inner: int
    vocabulary: int
    epsilon: float

    @property
    def head_width(self) -> int:
        """Return how many numbers of a token one head works with."""
        return self.hidden // self.heads


def count_needed_layers(layer_count: int) -> int:
    """Return how many layers of a whole model the features depend on; raise ValueError when too few are there."""
    if layer_count <= UNUSED_TOP_LAYERS:
        raise ValueError(f"a model of {layer_count} layers")
    return layer_count - UNUSED_TOP_LAYERS
