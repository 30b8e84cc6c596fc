"""What a file of weights holds: no graph, so no nodes either."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

from app.lab.confined import Found, plain
from app.voices.untrusted.safetensors import TensorFile

LARGEST = 5


def weight_file_facts(path: Path) -> Found:
    """As those of a graph; VoiceError where the file is damaged. Only its header is read."""
    file = TensorFile(path)
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    items: list[list[Any]] = []
    for name in file:
        dtype, shape, size = file.dtype(name), file.shape(name), file.size(name)
        items.append([name, dtype, list(shape), size])
        for index, amount in enumerate((1, math.prod(shape), size)):
            kinds[dtype][index] += amount
    found = {
        "nodes": None,
        "opset": None,
        "domains": {},
        "parameters": sum(counts[1] for counts in kinds.values()),
        "bytes": sum(counts[2] for counts in kinds.values()),
        "operators": {},
        "inputs": [],
        "outputs": [],
        "weights": dict(kinds),
        "largest": sorted(items, key=lambda item: -item[3])[:LARGEST],
    }
    return dict(plain(found))
