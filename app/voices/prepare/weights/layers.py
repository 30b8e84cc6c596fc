"""Layers by the name of their weights: each takes its tensors, checks them, and writes its nodes."""

from __future__ import annotations

from dataclasses import dataclass

from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.weights.tensors import ANY, Weights


@dataclass(frozen=True, slots=True)
class Layers:
    """The weights of a voice and the graph they go into. Sizes are given, so that a tensor that does not fit is found out."""

    weights: Weights
    writer: GraphWriter

    def linear(self, name: str, rows: str, inputs: int, outputs: int) -> str:
        """[T, inputs] → [T, outputs]; a convolution of width 1 is the same thing."""
        matrix = self.writer.weight(f"{name}.weight", self.weights.matrix(name, inputs, outputs))
        return self.writer.linear(rows, matrix, self.bias(name, outputs))

    def conv(self, name: str, image: str, inputs: int, outputs: int, *, dilation: int = 1, groups: int = 1) -> str:
        """[1, inputs, 1, T] → [1, outputs, 1, T], with the weight norm folded in where there is one."""
        kernel = self.writer.weight(f"{name}.weight", self.weights.folded(name, outputs, inputs // groups, ANY)[:, :, None])
        return self.writer.conv(image, kernel, self.bias(name, outputs), dilation, groups)

    def norm(self, name: str, rows: str, channels: int) -> str:
        """Layer norm of [T, channels] over the channels."""
        gamma, beta = (self.writer.weight(f"{name}.{part}", self.weights.take(f"{name}.{part}", channels)) for part in ("gamma", "beta"))
        return self.writer.layer_norm(rows, gamma, beta)

    def bias(self, name: str, outputs: int) -> str:
        """The bias of a layer, stored as it is."""
        return self.writer.weight(f"{name}.bias", self.weights.take(f"{name}.bias", outputs))

    def speaker(self, name: str, gin: int, outputs: int) -> str:
        """What a speaker adds to a layer: [1, outputs].

        A speaker's embedding goes through linear layers only, so their results are stored, a row per speaker.
        """
        embeddings = self.weights.take("emb_g.weight", ANY, gin)
        rows = embeddings @ self.weights.matrix(name, gin, outputs) + self.weights.take(f"{name}.bias", outputs)
        return self.writer.op("Gather", self.writer.weight(f"{name}.speakers", rows), "sid", axis=0)
