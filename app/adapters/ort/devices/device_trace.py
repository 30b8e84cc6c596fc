"""The time of one graph on a device, split into copying in, running and copying out, and the providers that its nodes were given to."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnxruntime as ort

from app.adapters.ort.devices.device_sessions import create_session
from app.adapters.ort.devices.ort_devices import find_memory_device
from app.adapters.ort.runtime_session import fit_value, read_input_types
from app.adapters.ort.session_options import CPU_PROVIDER_NAME, create_session_options
from app.common.errors import BackendError

TRACED_RUNS = 3


def trace_runs(
    model: Path | bytes, place: str, name: str, calls: Sequence[dict[str, Any]], fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Any]:
    """Return `copy_in_ms`, `run_ms`, `copy_out_ms` and `cpu_nodes` (operator → number of nodes) of a graph, some of whose open sizes are fixed by name.

    Times are sums over the calls, of each the least of a few runs. Copies are null for a backend in ordinary memory. `error` replaces times
    where the device cannot be bound.
    """
    try:
        session = _open_recording_session(model, place, name, fixed_dims)
    except BackendError as exc:
        return {"error": exc.hint}
    counts = _count_session_nodes(session)
    trace: dict[str, Any] = {"cpu_nodes": None if counts is None else dict(counts.get(CPU_PROVIDER_NAME, Counter()).most_common())}
    device, types = find_memory_device(place), read_input_types(session)
    feeds = [{item: fit_value(item, values.get(item), dtype, rank) for item, (dtype, rank) in types.items()} for values in calls]
    try:
        turns = [[_measure_bound_run(session, feed, device) for _ in range(TRACED_RUNS + 1)][1:] for feed in feeds]
    except Exception as exc:  # a diagnosis, which must not stop a measurement; ONNX Runtime has no common base
        return trace | {"error": str(exc)}
    least = np.array([np.min(times, axis=0) for times in turns]).sum(axis=0).tolist()
    copies = device[0] != "cpu"
    return trace | {"copy_in_ms": least[0] if copies else None, "run_ms": least[1], "copy_out_ms": least[2] if copies else None}


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


def count_assigned_nodes(
    model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Counter[str]] | None:
    """Open a graph and count its nodes by provider and operator, before their last fusion; None if this ONNX Runtime (before 1.24) does not report it."""
    return _count_session_nodes(_open_recording_session(model, place, name, fixed_dims))


def _open_recording_session(model: Path | bytes, place: str, name: str, fixed_dims: Mapping[str, int]) -> ort.InferenceSession:
    options = create_session_options()
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    return create_session(model, place, name, options, fixed_dims)


def _count_session_nodes(session: ort.InferenceSession) -> dict[str, Counter[str]] | None:
    if not hasattr(session, "get_provider_graph_assignment_info"):
        return None
    counts: dict[str, Counter[str]] = {}
    for part in session.get_provider_graph_assignment_info():
        counts.setdefault(part.ep_name, Counter()).update(node.op_type for node in part.get_nodes())
    return counts
