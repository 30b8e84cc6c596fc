"""Describes the contents of a file of weights: no graph, so no nodes either."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

from app.lab.graph_sandbox import SandboxRow, sanitise_value
from app.voices.untrusted.safetensors_file import SafetensorsFile

MAX_LARGEST_WEIGHTS = 5


def read_weight_file_facts(path: Path) -> SandboxRow:
    """Return facts in the form of a graph's, from the header alone; raise VoiceError if the file is damaged."""
    file = SafetensorsFile(path)
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    items: list[list[Any]] = []
    for name in file:
        dtype, shape, size = file.find_dtype(name), file.find_shape(name), file.measure_tensor(name)
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
        "largest": sorted(items, key=lambda item: -item[3])[:MAX_LARGEST_WEIGHTS],
    }
    return dict(sanitise_value(found))
