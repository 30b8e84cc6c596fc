"""A row a graph and backend: what has a kernel there, what has none, how often that costs a copy, and whether it is worth it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.adapters.ort.backends import BACKENDS, find_backend_name, parse_backend
from app.adapters.ort.devices.ort_devices import list_backends
from app.common.progress import Report, build_part_report
from app.lab.lab_subject import LabSubject
from app.lab.place.backend_graphs import BackendGraph, write_backend_graphs
from app.lab.place.coverage_sandbox import find_source_coverage
from app.lab.place.coverage_verdict import describe_verdict
from app.lab.place.kernel_coverage import KernelCoverage, find_coverage
from app.lab.place.kernel_table import read_kernel_table
from app.lab.report_rows import Row


def build_coverage_rows(subject: LabSubject, places: Sequence[str], report: Report) -> Iterator[Row]:
    """Yield rows of coverage; a stranger's graphs are read in a child, the graphs that we made of them in this process.

    Args:
        places: backends, or devices of them; what is not there yet is judged by its table.

    Raises:
        VoiceError: a graph cannot be read, or asks for too much.
    """
    known = find_source_coverage(subject, places, build_part_report(report, 0.0, 0.5))
    for number, place in enumerate(places):
        with write_backend_graphs(subject, parse_backend(place)) as graphs:
            for index, item in enumerate(graphs):
                report("checking", 0.5 + 0.5 * (number + index / len(graphs)) / len(places))
                yield _build_row(item, place, known[place, item.graph] if item.form == "source" else _find_coverage(item, place))


def list_known_devices() -> list[str]:
    """Return the backends that have a table or are available."""
    return [key for key in BACKENDS if read_kernel_table(key) is not None or key in list_backends()]


def _find_coverage(graph: BackendGraph, place: str) -> KernelCoverage:
    return find_coverage(graph.model, graph.graph, place, graph.free)


def _build_row(graph: BackendGraph, place: str, coverage: KernelCoverage) -> Row:
    kernels, lacking = read_kernel_table(parse_backend(place)), coverage.lacking
    return {
        "type": "place",
        "graph": graph.graph,
        "form": graph.form,
        "backend": place,
        "kernels": kernels.runtime if kernels is not None else None,
        "nodes": coverage.nodes,
        "supported": None if lacking is None else coverage.nodes - sum(one.count for one in lacking),
        "unsupported": None
        if lacking is None
        else [{"op": one.op, "version": one.version, "types": list(one.types), "count": one.count} for one in lacking],
        "boundaries": None if lacking is None else coverage.boundaries,
        "boundaries_in_a_row": None if lacking is None else coverage.in_a_row,
        "assigned": coverage.assigned,
        "verdict": describe_verdict(graph, find_backend_name(parse_backend(place)), coverage),
    }
