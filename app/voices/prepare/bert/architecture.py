"""What of DeBERTa-v2 differs from model to model, and what Style-Bert-VITS2 takes of it."""

from __future__ import annotations

from dataclasses import dataclass

LAYERS_LEFT_OUT = 2
"""Style-Bert-VITS2 reads `hidden_states[-3]`: what the third layer from the top is given by the one below."""


@dataclass(frozen=True, slots=True)
class Architecture:
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
        """Numbers of a token that one head works with."""
        return self.hidden // self.heads


def needed_layers(all_layers: int) -> int:
    """How many layers of a whole model the features depend on; a ValueError when too few are there."""
    if all_layers <= LAYERS_LEFT_OUT:
        raise ValueError(f"a model of {all_layers} layers")
    return all_layers - LAYERS_LEFT_OUT
