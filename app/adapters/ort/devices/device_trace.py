"""The time of one graph on a device, split into copying in, running and copying out, and the nodes that are left to the CPU."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.declared_inputs import fit_value, read_input_types
from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.devices.ort_devices import find_memory_device
from app.adapters.ort.session_options import create_session_options
from app.common.errors import BackendError

CPU_PROVIDER_NAME = "CPUExecutionProvider"
TRACED_RUNS = 3


def trace_run(
    model: Path | bytes, place: str, name: str, values: dict[str, Any], fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Any]:
    """Trace one call, as `trace_runs`."""
    return trace_runs(model, place, name, [values], fixed_dims)


def trace_runs(
    model: Path | bytes, place: str, name: str, calls: Sequence[dict[str, Any]], fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Any]:
    """Return `copy_in_ms`, `run_ms`, `copy_out_ms` and `cpu_nodes` (operator → number of nodes) of a graph.

    Times are sums over the calls, of each the least of a few runs.

    Copies are null for a backend that computes in ordinary memory. `error` stands instead of times where the device cannot be bound.

    Args:
        fixed_dims: sizes that are open in the graph and fixed here, by name.
    """
    options = create_session_options()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    try:
        session = create_session(model, place, name, options, fixed_dims)
    except BackendError as exc:
        return {"error": exc.hint}
    found: dict[str, Any] = {"cpu_nodes": _count_cpu_nodes(session)}
    device, types = find_memory_device(place), read_input_types(session)
    feeds = [{item: fit_value(item, values.get(item), dtype, rank) for item, (dtype, rank) in types.items()} for values in calls]
    try:
        turns = [[_measure_bound_run(session, feed, device) for _ in range(TRACED_RUNS + 1)][1:] for feed in feeds]
    except Exception as exc:  # a diagnosis, which must not stop a measurement; ONNX Runtime has no common base
        return found | {"error": str(exc)}
    least = np.array([np.min(times, axis=0) for times in turns]).sum(axis=0).tolist()
    copies = device[0] != "cpu"
    return found | {"copy_in_ms": least[0] if copies else None, "run_ms": least[1], "copy_out_ms": least[2] if copies else None}


def _measure_bound_run(session: ort.InferenceSession, feed: dict[str, np.ndarray], device: tuple[str, int]) -> tuple[float, float, float]:
    """Return the milliseconds of copying in, running and copying out; every step waits for the device."""
    binding = session.io_binding()
    began = time.perf_counter()
    for name, value in feed.items():
        binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(np.asarray(value, order="C"), *device))
    for output in session.get_outputs():
        binding.bind_output(output.name, *device)
    binding.synchronize_inputs()
    copied = time.perf_counter()
    session.run_with_iobinding(binding)
    binding.synchronize_outputs()
    ran = time.perf_counter()
    binding.copy_outputs_to_cpu()
    ended = time.perf_counter()
    return (copied - began) * 1000, (ran - copied) * 1000, (ended - ran) * 1000


def _count_cpu_nodes(session: ort.InferenceSession) -> dict[str, int] | None:
    """Return the number of CPU nodes by operator; None if this ONNX Runtime does not report it."""
    if not hasattr(session, "get_provider_graph_assignment_info"):
        return None
    left = (part for part in session.get_provider_graph_assignment_info() if part.ep_name == CPU_PROVIDER_NAME)
    return dict(Counter(node.op_type for part in left for node in part.get_nodes()).most_common())
