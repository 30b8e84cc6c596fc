"""Backends and their devices, as people call them. No ONNX Runtime here: the window reads this, too."""

from __future__ import annotations

import re

from app.adapters.ort.backends import BACKENDS, backend_of, place_name

BETWEEN = re.compile("([,=])")


def place_names(asked: str) -> str:
    """What `--backend` takes, in names: `bert=cpu,decoder=directml:1` → `bert=CPU, decoder=DirectML 1`; any other word as it is."""
    return "".join(", " if item == "," else _name(item) for item in BETWEEN.split(asked))


def _name(place: str) -> str:
    return place_name(place) if backend_of(place) in (*BACKENDS, "auto") else place
