"""The weights of the reference voices, which lie beside the repository."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from app.voices.untrusted.safetensors_file import SafetensorsFile

WHOLE_NUMBERS = ("iteration", "emb_g_pca_k_actual")  # which training left


def config_of(path: Path) -> dict[str, Any]:
    """Settings of a voice, from inside an `.aivm` or from beside it."""
    embedded = SafetensorsFile(path).metadata.get("aivm_hyper_parameters")
    return json.loads(embedded or (path.parent / "config.json").read_text(encoding="utf-8"))


def tensors_of(path: Path) -> dict[str, np.ndarray]:
    """Its weights by name."""
    file = SafetensorsFile(path)
    return {name: file[name] for name in file if name not in WHOLE_NUMBERS}
