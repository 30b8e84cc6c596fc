"""How much each attention head of a BERT adds, measured with real sentences, and which ones go first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.ort.session import open_session
from app.core.types import Float32, Int64
from app.lab.scratch import scratch_folder


@dataclass(frozen=True, slots=True)
class Importance:
    """Of all heads.

    Attributes:
        shares: (layers, heads): energy that a head adds to tokens, its mean taken off, over the energy of what it is added to.
        means: by layer, of what its heads mix over all tokens (hidden,).
    """

    shares: np.ndarray
    means: list[Float32]

    def least(self, share: float) -> dict[int, list[int]]:
        """The heads that add least, by layer; every layer keeps its best."""
        layers, heads = self.shares.shape
        wanted, found = int(share * layers * heads), dict[int, list[int]]()
        for place in np.argsort(self.shares, axis=None, kind="stable").tolist():
            layer, head = divmod(place, heads)
            if wanted and len(found.get(layer, [])) < heads - 1:
                found.setdefault(layer, []).append(head)
                wanted -= 1
        return found


def importance(graph: Path | bytes, texts: Sequence[Int64]) -> Importance:
    """Runs a lean BERT over token ids. VoiceError where it is none."""
    from app.voices.prepare.variants.heads import Attention, show_mixtures  # onnx is slow to import
    from app.voices.prepare.variants.stored import changed_copy

    layers: list[Attention] = []
    with scratch_folder() as folder:
        watched = changed_copy(graph, folder, "watched", lambda model: layers.extend(show_mixtures(model)))
        session = open_session(watched, "cpu", "BERT").session
        runs = [session.run({"input_ids": ids}) for ids in texts]
    del session
    mixed = [np.concatenate([run[2 * place] for run in runs]) for place in range(len(layers))]
    summed = [np.concatenate([run[2 * place + 1] for run in runs]) for place in range(len(layers))]
    shares = [_shares(item.matrix, one, whole) for item, one, whole in zip(layers, mixed, summed, strict=True)]
    return Importance(np.array(shares), [one.mean(axis=0) for one in mixed])


def _shares(matrix: Float32, mixed: Float32, summed: Float32) -> list[float]:
    heads = len(matrix)
    by_head = (mixed - mixed.mean(axis=0)).reshape(len(mixed), heads, -1)
    whole = float(np.square(summed, dtype=np.float64).sum())
    return [float(np.square(by_head[:, head] @ matrix[head], dtype=np.float64).sum()) / whole for head in range(heads)]
