"""Finds the graphs that a backend would really be given: devices that compile for every size get fixed-shape graphs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.adapters.ort.backends import BACKENDS
from app.adapters.ort.devices.fixed_shape_graph import FULL_NAME, GRAPH_NAME
from app.compose.auto_placement import STARTER
from app.compose.stored_features import is_slow_bert
from app.lab.lab_subject import LabSubject
from app.lab.scratch_folder import create_scratch_folder
from app.lab.subject_codec import ensure_file

FIXED_SHAPE_GRAPHS = ("bert", "prosody", "flow", "decoder")


@dataclass(frozen=True, slots=True)
class BackendGraph:
    """A graph for a backend.

    Attributes:
        form: `source`, `prepared` or `device`.
        free: the size that is fixed in the device form.
        is_small: it is computed faster than a device is asked, and stays on the CPU.
        unfit: why there is no device form; empty where there is one, or none is wanted.
    """

    graph: str
    form: str
    model: Path
    free: str = ""
    is_small: bool = False
    unfit: str = ""


@contextmanager
def write_backend_graphs(subject: LabSubject, backend: str) -> Iterator[list[BackendGraph]]:
    """Write every graph in the form in which the backend gets it; device forms exist until the block ends."""
    with create_scratch_folder() as folder:
        yield [
            _write_backend_graph(subject, backend, form, name, ensure_file(model, folder / f"{form}-{name}.onnx"), folder)
            for form, name, model in subject.iterate_graphs()
        ]


def _write_backend_graph(subject: LabSubject, backend: str, form: str, name: str, model: Path, folder: Path) -> BackendGraph:
    if BACKENDS[backend].takes_any_size or form == "source":
        return BackendGraph(name, form, model)
    if _is_small(subject):
        return BackendGraph(name, form, model, is_small=True)
    if name not in FIXED_SHAPE_GRAPHS:
        return BackendGraph(name, form, model)
    # Onnx is slow to import.
    from app.voices.prepare.device.fixed_shape_writer import FREE_SIZE_NAMES, write_fixed_shape_graphs
    from app.voices.prepare.graph_walk import UnknownGraphError

    own = folder / name
    own.mkdir()
    try:
        write_fixed_shape_graphs(model, name, own, half=True)
    except UnknownGraphError as exc:
        return BackendGraph(name, form, model, unfit=str(exc))
    full = own / FULL_NAME
    return BackendGraph(name, "device", full if full.is_file() else own / GRAPH_NAME, free=FREE_SIZE_NAMES[name])


def _is_small(subject: LabSubject) -> bool:
    if subject.bert is not None:
        return not is_slow_bert(subject.bert)
    return subject.voice is not None and subject.voice.manifest.format == STARTER
