"""Lists the ways to compute the prepared graphs of a subject: optimised and not, exact and in 8-bit integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import CallsByGraph
from app.lab.report_rows import INT8_SUFFIX
from app.lab.verify.graph_comparison import GraphCase, GraphComparison
from app.lab.verify.graph_pair import GraphPair, GraphSide
from app.lab.verify.verify_limits import choose_exact_limit, choose_int8_limit
from app.voices.prepare.expose_tensors import list_nodes, list_output_names, store_graph_file
from app.voices.prepare.source_graphs import DURATIONS_OUTPUT, build_noiseless_graph


def write_graph_files(subject: LabSubject, folder: Path) -> dict[str, Path]:
    """Write every prepared graph as a file with its weights beside it; a graph that draws noise is silenced."""
    files = {}
    for name, graph in subject.prepared.items():
        files[name] = store_graph_file(build_noiseless_graph(graph)[0] if name == "whole" else graph, folder, name)
    return files


def map_outputs(name: str, file: Path) -> dict[str, str]:
    """Return the outputs to compare, by their name on both sides; of a single graph the sound and the frames."""
    names = list_output_names(file)
    if name == "whole":
        names = [names[0], *(item for item in names if item == DURATIONS_OUTPUT)]
    return {item: item for item in names}


def compare_optimised(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[GraphComparison]:
    """Yield comparisons of each graph as ONNX Runtime optimises it with the same graph as it is written."""
    for name, file in files.items():
        exact, other = GraphSide(file, "none"), GraphSide(file, "all")
        pair = GraphPair(name, exact, other, choose_exact_limit(name), map_outputs(name, file))
        yield GraphComparison("optimised", pair, _build_graph_cases(name, calls), subject.voice.manifest if subject.voice else None)


def compare_precisions(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[GraphComparison]:
    """Yield comparisons of each graph in 8-bit integers with the exact one."""
    for name in [name for name in files if name.endswith(INT8_SUFFIX)]:
        exact = name.removesuffix(INT8_SUFFIX)
        same = {item: item for item in _list_tensors(files[name]) & _list_tensors(files[exact])}
        outputs = dict(zip(map_outputs(name, files[name]), map_outputs(exact, files[exact]), strict=True))
        pair = GraphPair(name, GraphSide(files[exact]), GraphSide(files[name]), choose_int8_limit(name), outputs, same)
        yield GraphComparison("int8", pair, _build_graph_cases(name, calls), subject.voice.manifest if subject.voice else None)


def _build_graph_cases(name: str, calls: CallsByGraph) -> list[GraphCase]:
    return [GraphCase(call.request, call.values, call.values) for call in calls[name.removesuffix(INT8_SUFFIX)]]


def _list_tensors(file: Path) -> set[str]:
    return {name for node in list_nodes(file) for name in node.outputs}
