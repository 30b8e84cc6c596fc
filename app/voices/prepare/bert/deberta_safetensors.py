"""A DeBERTa as it is published for PyTorch: `model.safetensors` with `config.json` beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from app.common.files.bounded_read import read_bounded
from app.common.files.untrusted_json import parse_object, require_int, require_number
from app.core.synthesis_types import Float32
from app.voices.prepare.bert.deberta_sizes import DebertaSizes, count_needed_layers
from app.voices.prepare.bert.deberta_weights import build_not_deberta_error
from app.voices.untrusted.safetensors_file import SafetensorsFile
from app.voices.untrusted.voice_limits import MAX_VOICE_JSON_BYTES

REQUIRED_CONFIG = {
    "model_type": "deberta-v2",
    "relative_attention": True,
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
    "hidden_act": "gelu",
}
"""What the lean graph computes; another setting would be another function."""
# For any size in the configuration: the large model has 24 layers, a width of 1,024 and 22,012 tokens.
MAX_CONFIG_SIZE = 1 << 20
DEBERTA_PREFIXES = ("model.deberta.", "deberta.", "")


class SafetensorsDebertaWeights:
    """Implements `DebertaWeights`."""

    def __init__(self, path: Path) -> None:
        """Read the header and the configuration; raise VoiceError if the file is something else."""
        self._file = SafetensorsFile(path)
        known = [prefix for prefix in DEBERTA_PREFIXES if f"{prefix}embeddings.word_embeddings.weight" in self._file]
        if not known:
            raise build_not_deberta_error("embeddings.word_embeddings.weight")
        self._prefix = known[0]
        self.architecture = _read_deberta_sizes(path.with_name("config.json"))
        self._check_sizes()

    def read_tensor(self, name: str) -> Float32:
        """Return a tensor; see `DebertaWeights`."""
        try:
            return self._file[self._prefix + name]
        except KeyError as exc:
            raise build_not_deberta_error(name) from exc

    def read_matrix(self, name: str) -> Float32:
        """Return a matrix; see `DebertaWeights`."""
        return self.read_tensor(f"{name}.weight").T

    def read_position_tables(self, layer: int) -> tuple[Float32, Float32]:
        """Return the position tables of a layer; see `DebertaWeights`."""
        return compute_position_tables(self, layer)

    def _check_sizes(self) -> None:
        sizes = self.architecture
        for name, shape in (
            ("embeddings.word_embeddings.weight", (sizes.vocabulary, sizes.hidden)),
            (f"encoder.layer.{sizes.layers - 1}.intermediate.dense.weight", (sizes.inner, sizes.hidden)),
        ):
            if self.read_tensor(name).shape != shape:
                raise build_not_deberta_error(f"{name}: {self.read_tensor(name).shape}")


def compute_position_tables(source: Any, layer: int) -> tuple[Float32, Float32]:
    """Return the tables of `DebertaWeights.read_position_tables` from the position embeddings themselves."""
    sizes: DebertaSizes = source.architecture
    rows = normalise_rows(source.read_tensor("encoder.rel_embeddings.weight"), sizes.epsilon).astype(np.float32)
    rows = rows * source.read_tensor("encoder.LayerNorm.weight") + source.read_tensor("encoder.LayerNorm.bias")
    attention = f"encoder.layer.{layer}.attention.self"
    key, query = (
        rows @ source.read_matrix(f"{attention}.{name}") + source.read_tensor(f"{attention}.{name}.bias")
        for name in ("key_proj", "query_proj")
    )
    return np.asarray(key, np.float32), np.asarray(query, np.float32)


def normalise_rows(rows: Float32, epsilon: float) -> Any:
    """Return rows with mean 0 and variance 1, float64."""
    exact = rows.astype(np.float64)
    centred = exact - exact.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon)


def _read_deberta_sizes(path: Path) -> DebertaSizes:
    try:
        config = parse_object(read_bounded(path, MAX_VOICE_JSON_BYTES))
        for key, value in REQUIRED_CONFIG.items():
            if config.get(key) != value:
                raise build_not_deberta_error(f"config.json: {key} = {config.get(key)}")
        if sorted(config["pos_att_type"]) != ["c2p", "p2c"]:
            raise build_not_deberta_error(f"config.json: pos_att_type = {config['pos_att_type']}")
        return DebertaSizes(
            layers=count_needed_layers(_parse_size(config["num_hidden_layers"])),
            heads=_parse_size(config["num_attention_heads"]),
            hidden=_parse_size(config["hidden_size"]),
            inner=_parse_size(config["intermediate_size"]),
            vocabulary=_parse_size(config["vocab_size"]),
            epsilon=require_number(config["layer_norm_eps"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise build_not_deberta_error(f"config.json: {exc}") from exc


def _parse_size(value: Any) -> int:
    return require_int(value, 1, MAX_CONFIG_SIZE)
