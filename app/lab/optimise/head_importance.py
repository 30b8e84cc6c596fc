"""Measures with real sentences how much each attention head of a BERT adds, and finds the ones to remove first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.ort.graph_session import open_cpu_session
from app.core.synthesis_types import Float32, Int64
from app.lab.scratch_folder import create_scratch_folder


@dataclass(frozen=True, slots=True)
class HeadImportance:
    """Of all heads.

    Attributes:
        shares: (layers, heads): energy that a head adds to tokens, its mean taken off, over the energy of what it is added to.
        means: by layer, of what its heads mix over all tokens (hidden,).
    """

    shares: np.ndarray
    means: list[Float32]

    def list_least_heads(self, share: float) -> dict[int, list[int]]:
        """Return the heads that add least, by layer; every layer keeps its best."""
        layers, heads = self.shares.shape
        wanted, found = int(share * layers * heads), dict[int, list[int]]()
        for place in np.argsort(self.shares, axis=None, kind="stable").tolist():
            layer, head = divmod(place, heads)
            if wanted and len(found.get(layer, [])) < heads - 1:
                found.setdefault(layer, []).append(head)
                wanted -= 1
        return found


def measure_head_importance(graph: Path | bytes, texts: Sequence[Int64]) -> HeadImportance:
    """Run a lean BERT over token ids and measure its heads; raise VoiceError if the graph is none."""
    # Onnx is slow to import.
    from app.voices.prepare.variants.attention_heads import AttentionLayer, expose_mixtures
    from app.voices.prepare.variants.graph_copies import write_changed_copy

    layers: list[AttentionLayer] = []
    with create_scratch_folder() as folder:
        watched = write_changed_copy(graph, folder, "watched", lambda model: layers.extend(expose_mixtures(model)))
        session = open_cpu_session(watched, "BERT")
        runs = [session.run_graph({"input_ids": ids}) for ids in texts]
    del session
    mixed = [np.concatenate([run[2 * place] for run in runs]) for place in range(len(layers))]
    summed = [np.concatenate([run[2 * place + 1] for run in runs]) for place in range(len(layers))]
    shares = [_compute_shares(item.matrix, one, whole) for item, one, whole in zip(layers, mixed, summed, strict=True)]
    return HeadImportance(np.array(shares), [one.mean(axis=0) for one in mixed])


def _compute_shares(matrix: Float32, mixed: Float32, summed: Float32) -> list[float]:
    heads = len(matrix)
    by_head = (mixed - mixed.mean(axis=0)).reshape(len(mixed), heads, -1)
    whole = float(np.square(summed, dtype=np.float64).sum())
    return [float(np.square(by_head[:, head] @ matrix[head], dtype=np.float64).sum()) / whole for head in range(heads)]
