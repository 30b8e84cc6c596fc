"""Which ways there are to compute the prepared graphs of a subject: optimised and not, exact and in 8-bit integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from app.lab.rows import INT8
from app.lab.spoken import Calls
from app.lab.subject import Subject
from app.lab.verify.comparison import Comparison, Given
from app.lab.verify.figures import exact_limit, int8_limit
from app.lab.verify.sides import Pair, Side
from app.voices.prepare.quiet import DURATIONS, quiet_copy
from app.voices.prepare.shown import nodes_of, output_names, stored


def graph_files(subject: Subject, folder: Path) -> dict[str, Path]:
    """Every prepared graph as a file with its weights beside it; a graph that draws noise is silenced."""
    files = {}
    for name, graph in subject.prepared.items():
        files[name] = stored(quiet_copy(graph)[0] if name == "whole" else graph, folder, name)
    return files


def outputs_of(name: str, file: Path) -> dict[str, str]:
    """Outputs to compare, by their name on both sides; of a graph in one piece the sound and the frames."""
    names = output_names(file)
    if name == "whole":
        names = [names[0], *(item for item in names if item == DURATIONS)]
    return {item: item for item in names}


def optimised(subject: Subject, files: Mapping[str, Path], calls: Calls) -> Iterator[Comparison]:
    """Each graph as ONNX Runtime optimises it against the same as it is written."""
    for name, file in files.items():
        exact, other = Side(file, "none"), Side(file, "all")
        pair = Pair(name, exact, other, exact_limit(name), outputs_of(name, file))
        yield Comparison("optimised", pair, _given(name, calls), subject.voice.manifest if subject.voice else None)


def precisions(subject: Subject, files: Mapping[str, Path], calls: Calls) -> Iterator[Comparison]:
    """Each graph in 8-bit integers against the exact one."""
    for name in [name for name in files if name.endswith(INT8)]:
        exact = name.removesuffix(INT8)
        same = {item: item for item in _tensors(files[name]) & _tensors(files[exact])}
        outputs = dict(zip(outputs_of(name, files[name]), outputs_of(exact, files[exact]), strict=True))
        pair = Pair(name, Side(files[exact]), Side(files[name]), int8_limit(name), outputs, same)
        yield Comparison("int8", pair, _given(name, calls), subject.voice.manifest if subject.voice else None)


def _given(name: str, calls: Calls) -> list[Given]:
    return [Given(call.request, call.values, call.values) for call in calls[name.removesuffix(INT8)]]


def _tensors(file: Path) -> set[str]:
    return {name for node in nodes_of(file) for name in node.outputs}
