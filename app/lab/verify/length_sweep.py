"""Shapes that break: every length from 1 on, powers of two, the longest text, and several sentences at once where a graph takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.graph_session import GraphSession, RunnableSession
from app.adapters.ort.optimization_levels import list_batch_inputs
from app.bench.graph_recording import RecordedGraphRun
from app.common.errors import AppError
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import CallsByGraph
from app.lab.report_rows import INT8_SUFFIX, Row
from app.lab.verify.comparison_pairs import map_outputs
from app.lab.verify.graph_comparison import build_failed_row, build_verify_row
from app.lab.verify.graph_pair import GraphSide
from app.lab.verify.verify_limits import VerifyFigures, VerifyLimit, choose_exact_limit, compute_figures, merge_worst

# 510: what BERTs of 512 positions have left beside their marks.
SWEEP_LENGTHS = (*range(1, 65), 128, 256, 510, 512)
SWEEP_BATCHES = (1, 2, 8)
# Inputs that say the length.
LENGTH_INPUTS = ("x_tst_lengths", "last")


def verify_lengths(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph, report: Report = ignore_report) -> Iterator[Row]:
    """Compare optimised with plain graphs at each length: yield a row for each graph with all lengths that pass, and one for each length that does not."""
    for index, (name, file) in enumerate(files.items()):
        report("checking", index / len(files))
        for length, row in _verify_graph_lengths(name, file, calls[name.removesuffix(INT8_SUFFIX)]):
            unheard = not row["ok"] and length < count_shortest(subject, name)
            yield row | {"ok": None, "error": _describe_unheard()} if unheard else row


def count_shortest(subject: LabSubject, graph: str) -> int:
    """Return the symbols or tokens of a sentence of one sound: its two ends, and a blank at every place between if the voice has blanks."""
    if graph.startswith("bert"):
        return 3
    if graph not in ("prosody", "whole"):
        return 1
    return 7 if subject.voice is None or subject.voice.manifest.add_blank else 3


def _describe_unheard() -> str:
    return localize("実際の文にはない長さです。", "No real sentence is that short.")


def _verify_graph_lengths(name: str, file: Path, calls: Sequence[RecordedGraphRun]) -> Iterator[tuple[int, Row]]:
    """Yield a length and its row; the last row covers all lengths that pass, and names the longest."""
    exact, other, limit = GraphSide(file, "none").open_session(), GraphSide(file, "all").open_session(), choose_exact_limit(name)
    outputs, axes = list(map_outputs(name, file)), find_free_axes(calls[0].values, calls[-1].values)
    passed: list[VerifyFigures] = []
    for length in SWEEP_LENGTHS:
        values, case = resize_values(calls[-1].values, axes, length), f"length {length}"
        try:
            figures = compute_figures(name, exact.run_graph(values, outputs)[:1], other.run_graph(values, outputs)[:1])
        except AppError as error:
            yield length, build_failed_row(name, case, limit, error)
            continue
        if limit.is_met(figures):
            passed.append(figures)
        else:
            yield length, build_verify_row(name, case, figures, limit, ok=False)
    if passed:
        yield (
            SWEEP_LENGTHS[-1],
            build_verify_row(name, f"{len(passed)} of {len(SWEEP_LENGTHS)} lengths", merge_worst(passed), limit, ok=True),
        )


def verify_batches(files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Compare the same sentence several times at once with once, for each graph that takes several: a row for each number of them."""
    for name, file in files.items():
        batched = list_batch_inputs(file, name)
        if not batched:
            continue
        session, outputs = GraphSide(file).open_session(), list(map_outputs(name, file))[:1]
        values, limit = calls[name.removesuffix(INT8_SUFFIX)][0].values, choose_exact_limit(name)
        for batch in SWEEP_BATCHES:
            yield _verify_batch(name, batch, limit, session, outputs, (values, batched))


def _verify_batch(
    name: str,
    batch: int,
    limit: VerifyLimit,
    session: GraphSession,
    outputs: Sequence[str],
    batch_inputs: tuple[Mapping[str, Any], Sequence[str]],
) -> Row:
    values, batched = batch_inputs
    case = f"batch {batch}"
    try:
        (once,), (several,) = (
            session.run_graph(dict(values), outputs),
            session.run_graph(repeat_values(values, session, batched, batch), outputs),
        )
    except AppError as error:
        return build_failed_row(name, case, limit, error)
    rows = list(several) if several.ndim == once.ndim and several.shape[0] == batch * once.shape[0] == batch else [several]
    figures = merge_worst([compute_figures(name, [once], [row]) for row in rows])
    return build_verify_row(name, case, figures, limit, ok=limit.is_met(figures))


def repeat_values(values: Mapping[str, Any], session: RunnableSession, batched: Sequence[str], batch: int) -> dict[str, Any]:
    """Return the values, with those of a batch axis repeated."""
    found = dict(values)
    for name in batched:
        _, rank = session.inputs[name]
        array = np.asarray(values[name])
        array = array[np.newaxis] if array.ndim < rank else array
        found[name] = np.repeat(array, batch, axis=0)
    return found


def find_free_axes(short: Mapping[str, Any], long: Mapping[str, Any]) -> dict[str, int]:
    """Return the axis of each input whose size differs between two sentences."""
    pairs = ((name, np.shape(value), np.shape(long[name])) for name, value in short.items())
    return {name: axis for name, a, b in pairs for axis, (one, other) in enumerate(zip(a, b, strict=False)) if one != other}


def resize_values(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """Return the values cut or repeated to a length; inputs with several elements a step, such as noise, keep that ratio."""
    sizes = {name: np.shape(values[name])[axis] for name, axis in axes.items()}
    least = min(sizes.values(), default=1)
    found = dict(values)
    for name, axis in axes.items():
        steps = np.arange(length * (sizes[name] // least)) % sizes[name]
        found[name] = np.take(np.asarray(values[name]), steps, axis=axis)
    for name in LENGTH_INPUTS:
        if name in found:
            found[name] = np.full(np.shape(found[name]), length)
    return found
