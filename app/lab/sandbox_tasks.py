"""`--lab`: what opens or runs a graph that a stranger may have made, done in a child that keeps to limits. Its parent is `app.lab.graph_sandbox`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.adapters.sandbox.sandbox_child import SandboxChannel, serve_task

GraphReference = Sequence[Any]  # form, name and file of a graph

# A task imports what it needs when it is called: the limits hold then, and libraries are slow to import.


def _inspect_graphs(channel: SandboxChannel, graphs: Sequence[GraphReference], sizes: Mapping[str, Any]) -> None:
    from app.lab.inspect.graph_summaries import read_graphs
    from app.lab.synthetic_runs import InputSizes

    for result in read_graphs([(form, name, Path(file)) for form, name, file in graphs], InputSizes(**sizes), channel.report_progress):
        channel.send_result(**result)


def _measure_graphs(
    channel: SandboxChannel, graphs: Sequence[GraphReference], sizes: Mapping[str, Any], repeats: Mapping[str, Any]
) -> None:
    from app.bench.repeated_runs import Repeats
    from app.lab.expect.graph_timing import measure_graphs
    from app.lab.synthetic_runs import InputSizes

    files = [(form, name, Path(file)) for form, name, file in graphs]
    for result in measure_graphs(files, InputSizes(**sizes), Repeats(**repeats), channel.report_progress):
        channel.send_result(**result)


def _find_coverage(channel: SandboxChannel, graphs: Sequence[Sequence[str]], places: Sequence[str]) -> None:
    """Find the operators that every place has kernels for, in graphs given by name and file."""
    from app.lab.place.kernel_coverage import find_coverage

    for device in places:
        for name, file in graphs:
            channel.send_result(
                **asdict(find_coverage(Path(file), name, device, should_open=device == "cpu"))
            )  # drivers do not keep to limits


def main() -> int:
    """Run the task that the parent requests."""
    return serve_task({"inspect": _inspect_graphs, "expect": _measure_graphs, "look": _find_coverage})
