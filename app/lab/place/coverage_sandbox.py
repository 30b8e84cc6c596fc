"""Graphs as they came, looked at in a child that keeps to limits (`app.lab.sandbox_tasks`): anybody may have made them."""

from __future__ import annotations

from collections.abc import Sequence

from app.adapters.sandbox.sandbox_process import SandboxProcess
from app.common.progress import Report
from app.install.sandbox_limits import compute_limits
from app.lab.graph_sandbox import find_subject_kind, read_sandbox_rows, reject_malformed
from app.lab.lab_subject import LabSubject
from app.lab.place.kernel_coverage import KernelCoverage, parse_coverage
from app.lab.scratch_folder import create_scratch_folder
from app.lab.subject_codec import ensure_file

CoverageByGraph = dict[tuple[str, str], KernelCoverage]


def find_source_coverage(subject: LabSubject, places: Sequence[str], report: Report) -> CoverageByGraph:
    """Return the coverage by place and graph of the source; raise VoiceError if one cannot be read, UnsafeFileError if the child exceeds a limit or answers nonsense."""
    graphs, kind = subject.source, find_subject_kind(subject)
    if not graphs:
        return {}
    with create_scratch_folder() as folder:
        files = [[name, str(ensure_file(graph, folder / f"{number}.onnx"))] for number, (name, graph) in enumerate(graphs.items())]
        keys = [(place, name) for place in places for name in graphs]
        with SandboxProcess("--lab", "look", [files, [*places]], compute_limits(kind), folder) as child, reject_malformed(subject):
            said = read_sandbox_rows(child, kind, compute_limits(kind), report)
            return {key: parse_coverage(found) for key, found in zip(keys, said, strict=True)}
