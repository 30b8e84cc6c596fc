"""A graph as devices run it, on disk: how values are padded to one of its sizes, results cut, and how it proves itself on a device.

`app.voices.prepare.device.fixed_shape_writer` writes it, `app.install.fixed_shape_build` proves it on the CPU and keeps calls for the proof on a device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.common.files.bounded_read import read_bounded
from app.common.files.untrusted_json import parse_object
from app.core.sound.result_metrics import has_min_snr

GRAPH_NAME, FULL_NAME, FORM_NAME, PROOF_NAME = "graph.onnx", "full.onnx", "form.json", "proof.npz"
MAX_DESCRIPTION_BYTES = 1 << 16
MIN_DEVICE_SNR_DB = {True: 35.0, False: 60.0}
"""By half precision: what a device may differ by, less than which is no rounding; drivers sum in orders of their own."""

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FixedShapeGraph:
    """The content of `form.json`.

    Attributes:
        folder: where it lies.
        free: the name of the size that is fixed when a session opens.
        mask: an input float32 (size,): 1 where there is something, then 0.
        inputs: the free axis of each input that has one.
        outputs: likewise of outputs, and how many steps there are to one of the input's.
        half: in half precision inside.
        sizes: those worth a session, the most useful first.
    """

    folder: Path
    free: str
    mask: str
    inputs: dict[str, int]
    outputs: dict[str, tuple[int, int]]
    half: bool
    sizes: tuple[int, ...]

    def find_file(self, size: int) -> Path:
        """Return the graph for a size. If there is one for full inputs, only the smallest size ever receives less than it takes."""
        full = self.folder / FULL_NAME
        return full if full.is_file() and size != min(self.sizes) else self.folder / GRAPH_NAME

    @property
    def is_padded(self) -> bool:
        """Return whether every size takes less than it says, or only the least."""
        return not (self.folder / FULL_NAME).is_file()

    @property
    def weight_bytes(self) -> int:
        """Return what its weights take in memory, roughly."""
        return sum(item.stat().st_size for item in self.folder.iterdir() if item.name != PROOF_NAME)

    def measure_length(self, values: Values) -> int:
        """Return how much there is, of the free size."""
        name, axis = next(iter(self.inputs.items()))
        return int(np.shape(values[name])[axis])

    def pad_values(self, values: Values, size: int) -> dict[str, Any]:
        """Return the values for a session of that size, with the mask."""
        length, found = self.measure_length(values), dict(values)
        for name, axis in self.inputs.items():
            array = np.asarray(values[name])
            widths = [(0, 0)] * array.ndim
            widths[axis] = (0, size - length)
            found[name] = np.pad(array, widths) if size != length else array
        mask = np.zeros(size, np.float32)
        mask[:length] = 1
        return found | {self.mask: mask}

    def crop_results(self, names: Sequence[str], results: Sequence[np.ndarray], length: int) -> list[np.ndarray]:
        """Return results without the part behind the end."""
        return [self._crop_array(name, array, length) for name, array in zip(names, results, strict=True)]

    def _crop_array(self, name: str, array: np.ndarray, length: int) -> np.ndarray:
        axis, steps = self.outputs[name]
        part: list[slice] = [slice(None)] * array.ndim
        part[axis] = slice(0, length * steps)
        return np.ascontiguousarray(array[tuple(part)])

    def read_verification_runs(self, size: int) -> list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]:
        """Return calls that fit a size: values, and the CPU's results."""
        calls: dict[str, tuple[dict[str, np.ndarray], dict[str, np.ndarray]]] = {}
        with np.load(self.folder / PROOF_NAME) as arrays:
            for key in arrays:
                call, of, side, name = key.split("|", 3)
                if int(of) == size:
                    calls.setdefault(call, ({}, {}))[side == "out"][name] = arrays[key]
        return list(calls.values())


def read_fixed_shape_graph(folder: Path) -> FixedShapeGraph:
    """Return the fixed-shape graph in a folder; raise OSError, ValueError, LookupError or TypeError."""
    content = parse_object(read_bounded(folder / FORM_NAME, MAX_DESCRIPTION_BYTES))
    return FixedShapeGraph(
        folder=folder,
        free=str(content["free"]),
        mask=str(content["mask"]),
        inputs={name: int(axis) for name, axis in content["inputs"].items()},
        outputs={name: (int(axis), int(steps)) for name, (axis, steps) in content["outputs"].items()},
        half=bool(content["half"]),
        sizes=tuple(int(size) for size in content["sizes"]),
    )


def is_close_enough(expected: Mapping[str, np.ndarray], results: Mapping[str, np.ndarray], min_snr_db: float) -> bool:
    """Return whether all results are numbers, and the energy of each is so much above that of its difference from what was expected."""
    for name, right in expected.items():
        found = results[name]
        if found.shape != right.shape or not np.isfinite(found).all():
            return False
        if not has_min_snr(right, found, min_snr_db):
            return False
    return True
