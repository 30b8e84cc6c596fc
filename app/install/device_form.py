"""`--device-form`: makes the form of a graph for devices, in a process of its own, and proves it against the graph on the CPU.

Half precision is kept where the voice itself stays the same: 40 dB, and as many frames for nearly every symbol. What is kept with it are
calls for every size, by which a device proves itself when a session opens.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.device_form import FORM_NAME, LARGEST_FORM_BYTES, PROOF_NAME, DeviceForm, close_enough, read_form
from app.adapters.ort.device_graphs import EXACT
from app.adapters.ort.session import GraphSession, open_fixed, open_session
from app.core.durations import symbol_frames
from app.core.windows import window_widths
from app.install.device_calls import Call, calls_of, fitted
from app.json_text import parse_object
from app.small_file import read_small
from app.terminal import one_line, write_error_line
from app.voices.fast import ENOUGH_EQUAL
from app.voices.manifest import VoiceManifest, read_manifest

SIZES = {"bert": (64, 32, 128, 256, 512), "prosody": (128, 256, 64, 512, 1024), "flow": (512, 256, 128, 1024)}
"""Lengths worth a session, the most useful first. A sentence has about 20 tokens, 90 symbols and 280 frames."""
LEAST_SNR_DB = 40.0  # in half precision
EXACT_DB = 100.0  # otherwise: a difference of 1e-5
PROVED_SIZES = 2  # on the CPU; a device proves all of them
_FAILED = 70


def make_form(graph: str, source: Path, folder: Path, *, exact: bool = False) -> None:
    """Fills a folder with a form that was proved, or with the reason why there is none.

    Args:
        graph: bert, prosody, flow or decoder.
        source: its file, in the folder of a prepared voice or of a BERT.
        exact: half precision is not tried.
    """
    from app.voices.prepare.device.form import write_form  # onnx is slow to import
    from app.voices.prepare.links import UnknownGraphError

    reason = "its results differ"
    calls, info = calls_of(graph, source), None if graph == "bert" else read_manifest(source.parent)
    sizes = SIZES.get(graph) or tuple(window_widths(info.windows, info.margin_frames) if info else ())
    proof: list[tuple[int, Call]] = []
    for half in (False,) if exact else (True, False):
        try:
            write_form(source, graph, folder, half=half)
        except UnknownGraphError as exc:
            reason = str(exc)
            break
        describe(folder, sizes=list(sizes))
        form = read_form(folder)
        if not proof:
            calls, proof = _answered(form, source, calls)
        if _proved(form, proof) and _same_frames(form, calls, info):
            _keep(folder, proof)
            return
    for item in folder.iterdir():
        item.unlink()
    (folder / FORM_NAME).write_text(json.dumps({"unfit": reason}), encoding="utf-8")


def describe(folder: Path, **more: Any) -> None:
    """Says more of the form in a folder."""
    content = parse_object(read_small(folder / FORM_NAME, LARGEST_FORM_BYTES))
    (folder / FORM_NAME).write_text(json.dumps(content | more), encoding="utf-8")


def _answered(form: DeviceForm, source: Path, calls: list[Call]) -> tuple[list[Call], list[tuple[int, Call]]]:
    """The calls, and others that fit the sizes, with what the CPU makes of them.

    For each size one that fills it, or two thirds of it where shorter ones are padded; for the least both.
    """
    cpu, names = open_session(source, "cpu", "graph").session, list(form.outputs)
    found: list[tuple[int, Call]] = []
    for size in form.sizes:
        lengths = {size * 2 // 3} if form.pads else {size}
        for length in sorted(lengths | ({size, size * 2 // 3} if size == min(form.sizes) else set())):
            values = fitted(calls[len(found) % len(calls)].values, form.inputs, length)
            found.append((size, _answer(cpu, values, names)))
    return [_answer(cpu, call.values, names) for call in calls] if "logw" in names else [], found


def _answer(cpu: GraphSession, values: dict[str, Any], names: list[str]) -> Call:
    return Call(values, dict(zip(names, cpu.run(values, names), strict=True)))


def _proved(form: DeviceForm, proof: list[tuple[int, Call]]) -> bool:
    """Whether the form gives what the graph gave, in the least size and in the most useful other one: one session at a time is open."""
    tried = list(dict.fromkeys([min(form.sizes), *form.sizes]))[:PROVED_SIZES]
    return all(_equal(form, size, [call for of, call in proof if of == size]) for size in tried)


def _equal(form: DeviceForm, size: int, calls: list[Call]) -> bool:
    session, least_db = _opened(form, size), LEAST_SNR_DB if form.half else EXACT_DB
    return all(close_enough(call.results, _run(form, session, call.values, size), least_db) for call in calls)


def _same_frames(form: DeviceForm, calls: list[Call], info: VoiceManifest | None) -> bool:
    """Whether symbols last as many frames; true of graphs that have no part in that."""
    if info is None or "logw" not in form.outputs:
        return True
    size = next(item for item in sorted(form.sizes) if item >= max(form.length(call.values) for call in calls))
    session, equal = _opened(form, size), []
    for call in calls:
        right, found = call.results["logw"].reshape(-1), _run(form, session, call.values, size)["logw"].reshape(-1)
        equal.append(symbol_frames(right, 1.0, info.durations) == symbol_frames(found, 1.0, info.durations))
    return float(np.concatenate(equal).mean()) >= (ENOUGH_EQUAL if form.half else 1.0)


def _opened(form: DeviceForm, size: int) -> GraphSession:
    return open_fixed(form.file(size), "cpu", "device form", {form.free: size})


def _run(form: DeviceForm, session: GraphSession, values: Mapping[str, Any], size: int) -> dict[str, np.ndarray]:
    names = list(form.outputs)
    return dict(zip(names, form.cut(names, session.run(form.padded(values, size), names), form.length(values)), strict=True))


def _keep(folder: Path, proof: list[tuple[int, Call]]) -> None:
    arrays: dict[str, np.ndarray] = {}
    for index, (size, call) in enumerate(proof):
        arrays |= {f"{index}|{size}|in|{name}": np.asarray(value) for name, value in call.values.items()}
        arrays |= {f"{index}|{size}|out|{name}": value for name, value in call.results.items()}
    np.savez(folder / PROOF_NAME, **arrays)  # type: ignore[arg-type]


def main() -> int:
    """Makes the form that the arguments ask for; returns 0, or 70 where that failed."""
    graph, source, folder = sys.argv[-3:]
    try:
        make_form(graph, Path(source), Path(folder), exact=EXACT in sys.argv[:-3])
    except Exception as exc:  # whatever ONNX and ONNX Runtime raise
        write_error_line(one_line(f"{type(exc).__name__}: {exc}"))
        return _FAILED
    return 0
