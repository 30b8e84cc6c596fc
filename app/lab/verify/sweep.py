"""Shapes that break: every length from 1 on, powers of two, the longest text, and several sentences at once where a graph takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.levels import batch_inputs
from app.adapters.ort.session import GraphSession, Session
from app.bench.recorded import Call
from app.errors import AppError
from app.lab.rows import INT8, Row
from app.lab.spoken import Calls
from app.lab.subject import Subject
from app.lab.verify.comparison import failed_row, row_of
from app.lab.verify.figures import Figures, Limit, exact_limit, figures_of, worst
from app.lab.verify.pairs import outputs_of
from app.lab.verify.sides import Side
from app.language import localized
from app.progress import Report, unreported

LENGTHS = (*range(1, 65), 128, 256, 510, 512)  # 510: what BERTs of 512 positions have left beside their marks
BATCHES = (1, 2, 8)
AT_ONCE = ("x_tst_lengths", "last")  # inputs that say the length


def length_rows(subject: Subject, files: Mapping[str, Path], calls: Calls, report: Report = unreported) -> Iterator[Row]:
    """Optimised against not, at each length: a row a graph for all lengths that pass, and one for each that does not."""
    for index, (name, file) in enumerate(files.items()):
        report("checking", index / len(files))
        for length, row in _lengths_of(name, file, calls[name.removesuffix(INT8)]):
            unheard = not row["ok"] and length < shortest(subject, name)
            yield row | {"ok": None, "error": _unheard()} if unheard else row


def shortest(subject: Subject, graph: str) -> int:
    """Symbols or tokens of a sentence of one sound: its two ends, and a blank at every place between where the voice has those."""
    if graph.startswith("bert"):
        return 3
    if graph not in ("prosody", "whole"):
        return 1
    return 7 if subject.voice is None or subject.voice.manifest.add_blank else 3


def _unheard() -> str:
    return localized("実際の文にはない長さです。", "No real sentence is that short.")


def _lengths_of(name: str, file: Path, calls: Sequence[Call]) -> Iterator[tuple[int, Row]]:
    """A length and its row; the last one is of all that pass, and of the longest length."""
    exact, other, limit = Side(file, "none").open(), Side(file, "all").open(), exact_limit(name)
    outputs, axes = list(outputs_of(name, file)), free_axes(calls[0].values, calls[-1].values)
    passed: list[Figures] = []
    for length in LENGTHS:
        values, case = resized(calls[-1].values, axes, length), f"length {length}"
        try:
            figures = figures_of(name, exact.run(values, outputs)[:1], other.run(values, outputs)[:1])
        except AppError as error:
            yield length, failed_row(name, case, limit, error)
            continue
        if limit.holds(figures):
            passed.append(figures)
        else:
            yield length, row_of(name, case, figures, limit, ok=False)
    if passed:
        yield LENGTHS[-1], row_of(name, f"{len(passed)} of {len(LENGTHS)} lengths", worst(passed), limit, ok=True)


def batch_rows(files: Mapping[str, Path], calls: Calls) -> Iterator[Row]:
    """The same sentence several times at once against once, for each graph that takes several: a row a number of them."""
    for name, file in files.items():
        batched = batch_inputs(file, name)
        if not batched:
            continue
        session, outputs = Side(file).open(), list(outputs_of(name, file))[:1]
        values, limit = calls[name.removesuffix(INT8)][0].values, exact_limit(name)
        for batch in BATCHES:
            yield _batch_row(name, batch, limit, session, outputs, (values, batched))


def _batch_row(
    name: str, batch: int, limit: Limit, session: GraphSession, outputs: Sequence[str], given: tuple[Mapping[str, Any], Sequence[str]]
) -> Row:
    values, batched = given
    case = f"batch {batch}"
    try:
        (once,), (several,) = session.run(dict(values), outputs), session.run(repeated(values, session, batched, batch), outputs)
    except AppError as error:
        return failed_row(name, case, limit, error)
    rows = list(several) if several.ndim == once.ndim and several.shape[0] == batch * once.shape[0] == batch else [several]
    figures = worst([figures_of(name, [once], [row]) for row in rows])
    return row_of(name, case, figures, limit, ok=limit.holds(figures))


def repeated(values: Mapping[str, Any], session: Session, batched: Sequence[str], batch: int) -> dict[str, Any]:
    """The values with those of a batch axis so many times."""
    found = dict(values)
    for name in batched:
        _, rank = session.inputs[name]
        array = np.asarray(values[name])
        array = array[np.newaxis] if array.ndim < rank else array
        found[name] = np.repeat(array, batch, axis=0)
    return found


def free_axes(short: Mapping[str, Any], long: Mapping[str, Any]) -> dict[str, int]:
    """The axis of each input whose size differs between two sentences."""
    pairs = ((name, np.shape(value), np.shape(long[name])) for name, value in short.items())
    return {name: axis for name, a, b in pairs for axis, (one, other) in enumerate(zip(a, b, strict=False)) if one != other}


def resized(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """The values cut or repeated to a length; what has several elements a step, such as noise, keeps that."""
    sizes = {name: np.shape(values[name])[axis] for name, axis in axes.items()}
    least = min(sizes.values(), default=1)
    found = dict(values)
    for name, axis in axes.items():
        steps = np.arange(length * (sizes[name] // least)) % sizes[name]
        found[name] = np.take(np.asarray(values[name]), steps, axis=axis)
    for name in AT_ONCE:
        if name in found:
            found[name] = np.full(np.shape(found[name]), length)
    return found
