"""Backends and their devices, as people call them. No ONNX Runtime here: the window reads this, too."""

from __future__ import annotations

import re

from app.adapters.ort.backends import BACKENDS, format_device_name, parse_backend

PLACEMENT_SEPARATOR = re.compile("([,=])")


def format_placement(placement: str) -> str:
    """Return the value of `--backend` in names: `bert=cpu,decoder=directml:1` → `bert=CPU, decoder=DirectML 1`; any other word as it is."""
    return "".join(", " if item == "," else _format_device(item) for item in PLACEMENT_SEPARATOR.split(placement))


def _format_device(place: str) -> str:
    return format_device_name(place) if parse_backend(place) in (*BACKENDS, "auto") else place
