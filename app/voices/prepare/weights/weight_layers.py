"""Layers by the name of their weights: each takes its tensors, checks them, and writes its nodes."""

from __future__ import annotations

from dataclasses import dataclass

from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.checked_weights import ANY_SIZE, VoiceWeights


@dataclass(frozen=True, slots=True)
class LayerWriter:
    """The weights of a voice and the graph they go into. Sizes are given, so that a tensor that does not fit is found out."""

    weights: VoiceWeights
    writer: GraphWriter

    def add_linear(self, name: str, rows: str, inputs: int, outputs: int) -> str:
        """Add a linear layer [T, inputs] → [T, outputs]; a convolution of width 1 is the same."""
        matrix = self.writer.add_weight(f"{name}.weight", self.weights.read_matrix(name, inputs, outputs))
        return self.writer.add_linear(rows, matrix, self.add_bias(name, outputs))

    def add_conv(self, name: str, image: str, inputs: int, outputs: int, *, dilation: int = 1, groups: int = 1) -> str:
        """Add a convolution [1, inputs, 1, T] → [1, outputs, 1, T], with the weight norm folded in if there is one."""
        kernel = self.writer.add_weight(
            f"{name}.weight", self.weights.fold_weight_norm(name, outputs, inputs // groups, ANY_SIZE)[:, :, None]
        )
        return self.writer.add_conv(image, kernel, self.add_bias(name, outputs), dilation, groups)

    def add_layer_norm(self, name: str, rows: str, channels: int) -> str:
        """Add a layer norm of [T, channels] over the channels."""
        gamma, beta = (
            self.writer.add_weight(f"{name}.{part}", self.weights.take_tensor(f"{name}.{part}", channels)) for part in ("gamma", "beta")
        )
        return self.writer.add_layer_norm(rows, gamma, beta)

    def add_bias(self, name: str, outputs: int) -> str:
        """Store the bias of a layer as it is and return its name."""
        return self.writer.add_weight(f"{name}.bias", self.weights.take_tensor(f"{name}.bias", outputs))

    def add_speaker_projection(self, name: str, gin: int, outputs: int) -> str:
        """Add the values that a speaker adds to a layer: [1, outputs].

        A speaker's embedding goes through linear layers only, so their results are stored, a row per speaker.
        """
        embeddings = self.weights.take_tensor("emb_g.weight", ANY_SIZE, gin)
        rows = embeddings @ self.weights.read_matrix(name, gin, outputs) + self.weights.take_tensor(f"{name}.bias", outputs)
        return self.writer.add_node("Gather", self.writer.add_weight(f"{name}.speakers", rows), "sid", axis=0)
