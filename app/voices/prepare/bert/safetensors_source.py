"""A DeBERTa as it is published for PyTorch: `model.safetensors` with `config.json` beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from app.core.types import Float32
from app.json_text import finite, parse_object, whole
from app.small_file import read_small
from app.voices.prepare.bert.architecture import Architecture, needed_layers
from app.voices.prepare.bert.source import not_deberta
from app.voices.untrusted.limits import LARGEST_JSON_BYTES
from app.voices.untrusted.safetensors import TensorFile

WANTED = {"model_type": "deberta-v2", "relative_attention": True, "share_att_key": True, "norm_rel_ebd": "layer_norm", "hidden_act": "gelu"}
"""What the lean graph computes; another setting would be another function."""
LARGEST_SIZE = 1 << 20  # of anything in the configuration: the large model has 24 layers, a width of 1,024 and 22,012 tokens
PREFIXES = ("model.deberta.", "deberta.", "")


class SafetensorsSource:
    """Implements `Tensors`."""

    def __init__(self, path: Path) -> None:
        """Reads the header and the configuration; VoiceError where the file is something else."""
        self._file = TensorFile(path)
        known = [prefix for prefix in PREFIXES if f"{prefix}embeddings.word_embeddings.weight" in self._file]
        if not known:
            raise not_deberta("embeddings.word_embeddings.weight")
        self._prefix = known[0]
        self.architecture = _architecture(path.with_name("config.json"))
        self._check_sizes()

    def tensor(self, name: str) -> Float32:
        """See `Tensors`."""
        try:
            return self._file[self._prefix + name]
        except KeyError as exc:
            raise not_deberta(name) from exc

    def product(self, name: str) -> Float32:
        """See `Tensors`."""
        return self.tensor(f"{name}.weight").T

    def places(self, layer: int) -> tuple[Float32, Float32]:
        """See `Tensors`."""
        return projected_places(self, layer)

    def _check_sizes(self) -> None:
        sizes = self.architecture
        for name, shape in (
            ("embeddings.word_embeddings.weight", (sizes.vocabulary, sizes.hidden)),
            (f"encoder.layer.{sizes.layers - 1}.intermediate.dense.weight", (sizes.inner, sizes.hidden)),
        ):
            if self.tensor(name).shape != shape:
                raise not_deberta(f"{name}: {self.tensor(name).shape}")


def projected_places(source: Any, layer: int) -> tuple[Float32, Float32]:
    """`Tensors.places` where the position embeddings themselves are available."""
    sizes: Architecture = source.architecture
    rows = normed(source.tensor("encoder.rel_embeddings.weight"), sizes.epsilon).astype(np.float32)
    rows = rows * source.tensor("encoder.LayerNorm.weight") + source.tensor("encoder.LayerNorm.bias")
    attention = f"encoder.layer.{layer}.attention.self"
    key, query = (
        rows @ source.product(f"{attention}.{name}") + source.tensor(f"{attention}.{name}.bias") for name in ("key_proj", "query_proj")
    )
    return np.asarray(key, np.float32), np.asarray(query, np.float32)


def normed(rows: Float32, epsilon: float) -> Any:
    """Rows with mean 0 and variance 1, float64."""
    exact = rows.astype(np.float64)
    centred = exact - exact.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon)


def _architecture(path: Path) -> Architecture:
    try:
        config = parse_object(read_small(path, LARGEST_JSON_BYTES))
        for key, value in WANTED.items():
            if config.get(key) != value:
                raise not_deberta(f"config.json: {key} = {config.get(key)}")
        if sorted(config["pos_att_type"]) != ["c2p", "p2c"]:
            raise not_deberta(f"config.json: pos_att_type = {config['pos_att_type']}")
        return Architecture(
            layers=needed_layers(_size(config["num_hidden_layers"])),
            heads=_size(config["num_attention_heads"]),
            hidden=_size(config["hidden_size"]),
            inner=_size(config["intermediate_size"]),
            vocabulary=_size(config["vocab_size"]),
            epsilon=finite(config["layer_norm_eps"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise not_deberta(f"config.json: {exc}") from exc


def _size(value: Any) -> int:
    return whole(value, 1, LARGEST_SIZE)
