"""`--device-form`: makes the form of a graph for devices, in a process of its own, and proves it against the graph on the CPU.

Half precision is kept where the voice itself stays the same: 40 dB, and as many frames for nearly every symbol. What is kept with it are
calls for every size, by which a device proves itself when a session opens.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.devices.device_sessions import open_with_fixed_dims
from app.adapters.ort.fixed_shapes.fixed_shape_graph import (
    EXACT_OPTION,
    FORM_NAME,
    MAX_DESCRIPTION_BYTES,
    PROOF_NAME,
    FixedShapeGraph,
    is_close_enough,
    read_fixed_shape_graph,
)
from app.adapters.ort.graph_session import GraphSession, RecordedRun, open_cpu_session
from app.common.files.untrusted_json import parse_object
from app.common.files.whole_files import read_bounded
from app.common.processes.terminal import escape_to_one_line, write_error_line
from app.core.sound.acoustic import list_window_widths
from app.core.sound.durations import compute_symbol_frames
from app.core.sound.result_metrics import compute_equal_share
from app.install.calibration_runs import fit_to_length, record_runs
from app.voices.int8_result import MIN_FRAMES_EQUAL
from app.voices.prepared_voice import VoiceManifest, read_manifest

FIXED_SIZES_BY_GRAPH = {"bert": (64, 32, 128, 256, 512), "prosody": (128, 256, 64, 512, 1024), "flow": (512, 256, 128, 1024)}
"""Lengths worth a session, the most useful first. A sentence has about 20 tokens, 90 symbols and 280 frames."""
MIN_FIXED_SHAPE_SNR_DB = 40.0  # in half precision
EXACT_SNR_DB = 100.0  # this SNR corresponds to a difference of 1e-5
VERIFIED_SIZES = 2  # on the CPU; a device proves all of them
_BUILD_FAILED_EXIT_CODE = 70


def make_fixed_shape_graph(graph: str, source: Path, folder: Path, *, must_be_exact: bool = False) -> None:
    """Fill a folder with a verified fixed-shape graph of bert, prosody, flow or decoder, or with the reason why there is none."""
    # Onnx is slow to import.
    from app.voices.prepare.device.fixed_shape_writer import write_fixed_shape_graphs
    from app.voices.prepare.graph_walk import UnknownGraphError

    reason = "its results differ"
    calls, info = record_runs(graph, source), None if graph == "bert" else read_manifest(source.parent)
    sizes = FIXED_SIZES_BY_GRAPH.get(graph) or tuple(list_window_widths(info.windows, info.margin_frames) if info else ())
    proof: list[tuple[int, RecordedRun]] = []
    for half in (False,) if must_be_exact else (True, False):
        try:
            write_fixed_shape_graphs(source, graph, folder, half=half)
        except UnknownGraphError as exc:
            reason = str(exc)
            break
        update_description(folder, sizes=list(sizes))
        form = read_fixed_shape_graph(folder)
        if not proof:
            calls, proof = _compute_cpu_results(form, source, calls)
        if _verify_graph(form, proof) and _has_same_frames(form, calls, info):
            arrays: dict[str, np.ndarray] = {}
            for index, (size, call) in enumerate(proof):
                arrays |= {f"{index}|{size}|in|{name}": np.asarray(value) for name, value in call.values.items()}
                arrays |= {f"{index}|{size}|out|{name}": value for name, value in call.results.items()}
            np.savez(folder / PROOF_NAME, **arrays)  # type: ignore[arg-type]
            return
    for item in folder.iterdir():
        item.unlink()
    (folder / FORM_NAME).write_text(json.dumps({"unfit": reason}), encoding="utf-8")


def update_description(folder: Path, **more: Any) -> None:
    """Add facts to the description in a folder."""
    content = parse_object(read_bounded(folder / FORM_NAME, MAX_DESCRIPTION_BYTES))
    (folder / FORM_NAME).write_text(json.dumps(content | more), encoding="utf-8")


def _compute_cpu_results(
    form: FixedShapeGraph, source: Path, calls: list[RecordedRun]
) -> tuple[list[RecordedRun], list[tuple[int, RecordedRun]]]:
    """Return the CPU's results of the calls, and for each size of one that fills it, or two thirds of it if shorter ones are padded."""
    cpu, names = open_cpu_session(source, "graph"), list(form.outputs)
    results: list[tuple[int, RecordedRun]] = []
    for size in form.sizes:
        lengths = {size * 2 // 3} if form.is_padded else {size}
        for length in sorted(lengths | ({size, size * 2 // 3} if size == min(form.sizes) else set())):
            values = fit_to_length(calls[len(results) % len(calls)].values, form.inputs, length)
            results.append((size, _run_on_cpu(cpu, values, names)))
    return [_run_on_cpu(cpu, call.values, names) for call in calls] if "logw" in names else [], results


def _run_on_cpu(cpu: GraphSession, values: dict[str, Any], names: list[str]) -> RecordedRun:
    return RecordedRun(values, dict(zip(names, cpu.run_graph(values, names), strict=True)))


def _verify_graph(form: FixedShapeGraph, expected: list[tuple[int, RecordedRun]]) -> bool:
    """Return whether the form matches the graph in the least and the most useful other size, with one session open at a time."""
    least_db = MIN_FIXED_SHAPE_SNR_DB if form.half else EXACT_SNR_DB
    for size in list(dict.fromkeys([min(form.sizes), *form.sizes]))[:VERIFIED_SIZES]:
        session = _open_session(form, size)
        calls = [call for call_size, call in expected if call_size == size]
        if not all(is_close_enough(call.results, _run_session(form, session, call.values, size), least_db) for call in calls):
            return False
    return True


def _has_same_frames(form: FixedShapeGraph, calls: list[RecordedRun], info: VoiceManifest | None) -> bool:
    """Return whether symbols last as many frames; true of graphs that do not affect durations."""
    if info is None or "logw" not in form.outputs:
        return True
    size = next(item for item in sorted(form.sizes) if item >= max(form.measure_length(call.values) for call in calls))
    session = _open_session(form, size)
    exact, found = (
        [compute_symbol_frames(results["logw"].reshape(-1), 1.0, info.durations) for results in side]
        for side in ([call.results for call in calls], [_run_session(form, session, call.values, size) for call in calls])
    )
    return compute_equal_share(exact, found) >= (MIN_FRAMES_EQUAL if form.half else 1.0)


def _open_session(form: FixedShapeGraph, size: int) -> GraphSession:
    return open_with_fixed_dims(form.find_file(size), "cpu", "device form", {form.free: size})


def _run_session(form: FixedShapeGraph, session: GraphSession, values: Mapping[str, Any], size: int) -> dict[str, np.ndarray]:
    names = list(form.outputs)
    return dict(
        zip(
            names,
            form.crop_results(names, session.run_graph(form.pad_values(values, size), names), form.measure_length(values)),
            strict=True,
        )
    )


def main() -> int:
    """Build the fixed-shape graph that the arguments name; return 0, or 70 if that failed."""
    graph, source, folder = sys.argv[-3:]
    try:
        make_fixed_shape_graph(graph, Path(source), Path(folder), must_be_exact=EXACT_OPTION in sys.argv[:-3])
    except Exception as exc:  # whatever ONNX and ONNX Runtime raise
        write_error_line(escape_to_one_line(f"{type(exc).__name__}: {exc}"))
        return _BUILD_FAILED_EXIT_CODE
    return 0
