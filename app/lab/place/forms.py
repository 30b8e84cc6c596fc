"""Which graphs a backend would really be given: devices that compile for every size get forms of fixed sizes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.adapters.ort.backends import BACKENDS
from app.adapters.ort.device_form import FULL_NAME, GRAPH_NAME
from app.compose.auto import STARTER
from app.compose.features import is_slow
from app.lab.handed_over import file_of
from app.lab.scratch import scratch_folder
from app.lab.subject import Subject

FORMED = ("bert", "prosody", "flow", "decoder")


@dataclass(frozen=True, slots=True)
class Given:
    """A graph for a backend.

    Attributes:
        form: `source`, `prepared` or `device`.
        free: the size that is fixed in the device form.
        small: it is computed faster than a device is asked, and stays on the CPU.
        unfit: why there is no device form; empty where there is one, or none is wanted.
    """

    graph: str
    form: str
    model: Path
    free: str = ""
    small: bool = False
    unfit: str = ""


@contextmanager
def given(subject: Subject, backend: str) -> Iterator[list[Given]]:
    """Every graph in the form in which the backend gets it; device forms are there until the block ends."""
    with scratch_folder() as folder:
        yield [
            _given(subject, backend, form, name, file_of(model, folder / f"{form}-{name}.onnx"), folder)
            for form, name, model in subject.forms()
        ]


def _given(subject: Subject, backend: str, form: str, name: str, model: Path, folder: Path) -> Given:
    if BACKENDS[backend].any_size or form == "source":
        return Given(name, form, model)
    if _is_small(subject):
        return Given(name, form, model, small=True)
    if name not in FORMED:
        return Given(name, form, model)
    from app.voices.prepare.device.form import FREE, write_form  # onnx is slow to import
    from app.voices.prepare.links import UnknownGraphError

    own = folder / name
    own.mkdir()
    try:
        write_form(model, name, own, half=True)
    except UnknownGraphError as exc:
        return Given(name, form, model, unfit=str(exc))
    full = own / FULL_NAME
    return Given(name, "device", full if full.is_file() else own / GRAPH_NAME, free=FREE[name])


def _is_small(subject: Subject) -> bool:
    if subject.bert is not None:
        return not is_slow(subject.bert)
    return subject.voice is not None and subject.voice.manifest.format == STARTER
