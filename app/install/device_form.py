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

from app.adapters.ort.device_form import FORM_NAME, PROOF_NAME, DeviceForm, close_enough, read_form
from app.adapters.ort.session import GraphSession, open_fixed, open_session
from app.core.durations import symbol_frames
from app.core.windows import window_widths
from app.install.device_calls import Call, calls_of, fitted
from app.terminal import one_line, write_error_line
from app.voices.manifest import VoiceManifest, read_manifest
from app.voices.precision import ENOUGH_EQUAL

SIZES = {"bert": (64, 32, 128, 256, 512), "prosody": (128, 256, 64, 512, 1024), "flow": (512, 256, 128, 1024)}
"""Lengths worth a session, the most useful first. A sentence has about 20 tokens, 90 symbols and 280 frames."""
LEAST_SNR_DB = 40.0  # in half precision
EXACT_DB = 100.0  # otherwise: a difference of 1e-5
PROVED_SIZES = 2  # on the CPU; a device proves all of them
_FAILED = 70


def make_form(graph: str, source: Path, folder: Path) -> None:
    """Fills a folder with a form that was proved, or with the reason why there is none.

    Args:
        graph: bert, prosody, flow or decoder.
        source: its file, in the folder of a prepared voice or of a BERT.
    """
    from app.voices.prepare.device.form import write_form  # onnx is slow to import
    from app.voices.prepare.links import UnknownGraphError

    told = "its results differ"
    calls, info = calls_of(graph, source), None if graph == "bert" else read_manifest(source.parent)
    cpu = open_session(source, "cpu", graph).session
    sizes = SIZES.get(graph) or tuple(window_widths(info.windows, info.margin_frames) if info else ())
    for half in (True, False):
        try:
            write_form(source, graph, folder, half=half)
        except UnknownGraphError as exc:
            told = str(exc)
            break
        describe(folder, sizes=list(sizes))
        form = read_form(folder)
        proof = _proof(form, cpu, calls)
        if _proved(form, proof) and _same_frames(form, cpu, calls, info):
            _keep(folder, proof)
            return
    for item in folder.iterdir():
        item.unlink()
    (folder / FORM_NAME).write_text(json.dumps({"unfit": told}), encoding="utf-8")


def describe(folder: Path, **more: Any) -> None:
    """Says more of the form in a folder."""
    told = json.loads((folder / FORM_NAME).read_text(encoding="utf-8"))
    (folder / FORM_NAME).write_text(json.dumps(told | more), encoding="utf-8")


def _proof(form: DeviceForm, cpu: GraphSession, calls: list[Call]) -> list[tuple[int, Call]]:
    """For each size a call that fills it, or two thirds of it where shorter ones are padded; for the least both."""
    found: list[tuple[int, Call]] = []
    for size in form.sizes:
        lengths = {size * 2 // 3} if form.pads else {size}
        for length in sorted(lengths | ({size, size * 2 // 3} if size == min(form.sizes) else set())):
            values = fitted(calls[len(found) % len(calls)].values, form.inputs, length)
            names = list(form.outputs)
            found.append((size, Call(values, dict(zip(names, cpu.run(values, names), strict=True)))))
    return found


def _proved(form: DeviceForm, proof: list[tuple[int, Call]]) -> bool:
    tried = [size for size in form.sizes if size == min(form.sizes)] + [size for size in form.sizes if size != min(form.sizes)]
    for size in tried[:PROVED_SIZES]:
        session = _opened(form, size)
        for call in (item for of, item in proof if of == size):
            if not close_enough(call.results, _run(form, session, call.values, size), LEAST_SNR_DB if form.half else EXACT_DB):
                return False
    return True


def _same_frames(form: DeviceForm, cpu: GraphSession, calls: list[Call], info: VoiceManifest | None) -> bool:
    """Whether symbols last as many frames; true of graphs that have no part in that."""
    if info is None or "logw" not in form.outputs:
        return True
    size = next(item for item in sorted(form.sizes) if item >= max(form.length(call.values) for call in calls))
    session, equal = _opened(form, size), []
    for call in calls:
        right = cpu.run(dict(call.values), ["logw"])[0].reshape(-1)
        found = _run(form, session, call.values, size)["logw"].reshape(-1)
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
        make_form(graph, Path(source), Path(folder))
    except Exception as exc:  # whatever ONNX and ONNX Runtime raise
        write_error_line(one_line(f"{type(exc).__name__}: {exc}"))
        return _FAILED
    return 0


if __name__ == "__main__":
    sys.exit(main())
