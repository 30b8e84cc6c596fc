"""A graph as devices run it, on disk: how values are padded to one of its sizes, results cut, how it proves itself on a device, and where it is kept.

`app.voices.prepare.device.fixed_shape_writer` writes it, `app.install.fixed_shape_build` proves it on the CPU in a process of its own, and keeps calls for the
proof on a device. It belongs to the very file it was made from: a voice that is updated or added again gets a new one when it is needed.
"""

import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.devices.device_thread import PROGRAM_ENDING
from app.adapters.ort.optimized_graphs import GraphStore, list_graph_files
from app.common.errors import BackendError
from app.common.files.untrusted_json import parse_object
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.common.processes.launch import start_own_program
from app.core.sound.result_metrics import has_min_snr

GRAPH_NAME, FULL_NAME, FORM_NAME, PROOF_NAME = "graph.onnx", "full.onnx", "form.json", "proof.npz"
MAX_DESCRIPTION_BYTES = 1 << 16
MIN_DEVICE_SNR_DB = {True: 35.0, False: 60.0}
"""By half precision: what a device may differ by, less than which is no rounding; drivers sum in orders of their own."""

Values = Mapping[str, Any]

FIXED_SHAPE_VERSION = "device form 1"
EXACT_OPTION = "--exact"
_CONVERSION_TIMEOUT_S = 900
CONVERSION_POLL_S = 0.1
MAX_FIXED_SHAPE_BYTES = 2 << 30


class NoFixedShapeGraphError(BackendError):
    """A graph that has no form for devices; the message says why."""


@dataclass(frozen=True, slots=True)
class FixedShapeGraph:
    """The content of `form.json`."""

    folder: Path  # where it is stored
    free: str  # the name of the size that is fixed when a session opens
    mask: str  # an input float32 (size,): 1 where there is something, then 0
    inputs: dict[str, int]  # the free axis of each input that has one
    outputs: dict[str, tuple[int, int]]  # of each output, the free axis, and how many steps there are to one of the input's
    half: bool  # in half precision inside
    sizes: tuple[int, ...]  # those worth a session, the most useful first

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
        length, padded = self.measure_length(values), dict(values)
        for name, axis in self.inputs.items():
            array = np.asarray(values[name])
            widths = [(0, size - length) if place == axis else (0, 0) for place in range(array.ndim)]
            padded[name] = np.pad(array, widths) if size != length else array
        return padded | {self.mask: (np.arange(size) < length).astype(np.float32)}

    def crop_results(self, names: Sequence[str], results: Sequence[np.ndarray], length: int) -> list[np.ndarray]:
        """Return results without the part behind the end."""
        cropped = []
        for name, array in zip(names, results, strict=True):
            axis, steps = self.outputs[name]
            cropped.append(np.ascontiguousarray(array[(*[slice(None)] * axis, slice(0, length * steps))]))
        return cropped

    def read_verification_runs(self, size: int) -> list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]:
        """Return calls that fit a size: values, and the CPU's results."""
        calls: dict[str, tuple[dict[str, np.ndarray], dict[str, np.ndarray]]] = {}
        with np.load(self.folder / PROOF_NAME) as arrays:
            for key in arrays:
                call, call_size, side, name = key.split("|", 3)
                if int(call_size) == size:
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
    return all(
        results[name].shape == right.shape and np.isfinite(results[name]).all() and has_min_snr(right, results[name], min_snr_db)
        for name, right in expected.items()
    )


def create_fixed_shape_store(folder: Path) -> GraphStore:
    """Keep fixed-shape graphs in a folder, which may be deleted at any time."""
    return GraphStore(folder, max_bytes=4 << 30, smallest_bytes=0, largest_bytes=MAX_FIXED_SHAPE_BYTES)


def find_or_make_fixed_shape_graph(
    store: GraphStore, graph: str, source: Path, *, is_exact: bool = False, may_make: bool = True
) -> FixedShapeGraph:
    """Return the fixed-shape graph of a graph; building one, where that is allowed, takes up to minutes. Raises NoFixedShapeGraphError.

    Args:
        graph: bert, prosody, flow or decoder; `source` is its file, in the folder of the voice or of the BERT.
        is_exact: in single precision, even where half is good enough for the graph.
    """

    def write_graph(folder: Path) -> None:
        if not may_make:
            raise FileNotFoundError(f"{graph} has not been converted yet")
        if is_hard_link(source):
            raise FileExistsError(f"{source} is a hard link")
        _make_in_child(graph, source, folder, is_exact=is_exact)

    unfit = localize("この声のグラフはこのデバイス用に変換できません。", "this graph cannot be converted for the device.")
    copy = store.find_or_write_copy(source, f"{FIXED_SHAPE_VERSION} {graph}" + (" exact" if is_exact else ""), write_graph)
    if copy is None and is_hard_link(source):
        unfit = localize(
            "モデルのファイルがハードリンクなので変換できません。フォルダーをコピーして元のフォルダーと入れ替えてください。",
            "its files are hard links, which cannot be converted. Copy their folder and put the copy in its place.",
        )
    if copy is None:
        raise NoFixedShapeGraphError(unfit)
    try:
        return read_fixed_shape_graph(copy.parent)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as exc:
        logging.getLogger("koebako").info("the device form of %s cannot be read: %s", source, exc)
        raise NoFixedShapeGraphError(unfit) from exc


def is_hard_link(source: Path) -> bool:
    """Return whether a weights file of a graph has several names on the disk, which ONNX does not read: another program may change it."""
    return any(file.stat().st_nlink > 1 for file in list_graph_files(source)[1:])


def _make_in_child(graph: str, source: Path, folder: Path, *, is_exact: bool) -> None:
    options = (EXACT_OPTION,) if is_exact else ()
    process, end = start_own_program(os.environ, "--device-form", *options, graph, source, folder), time.monotonic() + _CONVERSION_TIMEOUT_S
    while process.poll() is None:
        if PROGRAM_ENDING.wait(CONVERSION_POLL_S) or time.monotonic() > end:
            process.kill()
    output = process.communicate()[0]
    if process.returncode:
        raise OSError(f"exit code {process.returncode}: {output.decode('utf-8', 'replace').strip()[-300:]}")
