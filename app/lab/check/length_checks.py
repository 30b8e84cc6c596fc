"""Checks that a graph takes every length: 1 to 64, where rounding and padding go wrong, and powers of two beyond.

What is counted is frames, tokens, or sounds with the marks at both ends of a sentence, between which a voice may want blanks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.common.errors import AppError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.lab.check.check_row import build_check_row
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import RecordedInputs
from app.lab.report_rows import Row
from app.lab.verify.length_sweep import SWEEP_LENGTHS

# For a voice in one graph, which speaks each.
FEW_LENGTHS = (1, 2, 3, 5, 8, 16, 17, 32, 33, 64)
# Tokens or sounds: the marks at both ends.
MIN_CHECKED_LENGTH = 2
GROWING_INPUTS = frozenset((
    "input_ids", "attention_mask", "token_type_ids", "x_tst", "tones", "language", "duration_symbol_type_ids", "bert", "ja_bert", "en_bert",
    "sdp_noise", "z_p", "frame_position", "phone_frames", "z", "noise",
))  # fmt: skip
"""Inputs whose last axis is the length, or a multiple of it."""
# That sizes of weights have nothing to do with.
GROWTH_LENGTHS = (59, 61)
MAX_SHOWN_REFUSALS = 3


def check_lengths(subject: LabSubject, inputs: RecordedInputs, report: Report = ignore_report) -> Iterator[Row]:
    """Yield a row for each graph: with how many lengths it ran, and which it refused or answered with another shape or no numbers."""
    for index, (name, graph) in enumerate(subject.prepared.items()):
        of_graph = build_part_report(report, index / len(subject.prepared), (index + 1) / len(subject.prepared))
        session, values = open_cpu_session(graph, name), inputs.find_calls(name)[-1].values
        tried = _list_lengths(name, values, add_blank=subject.voice is not None and subject.voice.manifest.add_blank)
        # Of one graph the voice decides how long it speaks.
        expected = None if name == "whole" else _measure_growth(session, values)
        refused = []
        for count, length in enumerate(tried):
            of_graph("checking", count / len(tried))
            why = _find_refusal(session, values, length, expected)
            refused += [(length, why)] if why else []
        detail = "; ".join(f"{length}: {why}" for length, why in refused[:MAX_SHOWN_REFUSALS]) + (
            " …" if len(refused) > MAX_SHOWN_REFUSALS else ""
        )
        case = f"{tried[0]}–{tried[-1]}"
        yield build_check_row("shapes", name, case, passed=not refused, value=len(tried) - len(refused), limit=len(tried), detail=detail)


def _list_lengths(name: str, values: dict[str, np.ndarray], *, add_blank: bool) -> list[int]:
    """Return the sizes of the growing axis to be tried."""
    text = "x_tst" in values
    counts = [
        count
        for count in (FEW_LENGTHS if name == "whole" else SWEEP_LENGTHS)
        if count >= MIN_CHECKED_LENGTH or not (text or "input_ids" in values)
    ]
    return [2 * count + 1 for count in counts] if text and add_blank else counts


def resize_inputs(values: dict[str, np.ndarray], length: int) -> dict[str, np.ndarray]:
    """Return the inputs of a real run, with the growing ones cut or repeated to another length."""
    before = next(value.shape[-1] for name, value in values.items() if name in GROWING_INPUTS and name != "noise")
    found = {
        name: _resize_array(value, value.shape[-1] // before * length) if name in GROWING_INPUTS else value
        for name, value in values.items()
    }
    if "last" in values:
        found |= {"first": np.zeros_like(values["first"]), "last": np.full_like(values["last"], length)}
    if "x_tst_lengths" in values:
        found["x_tst_lengths"] = np.full_like(values["x_tst_lengths"], length)
    return found


def _resize_array(value: np.ndarray, length: int) -> np.ndarray:
    return np.asarray(np.take(value, np.arange(length) % value.shape[-1], axis=-1))


@dataclass(frozen=True, slots=True)
class _ShapeGrowth:
    """Shapes of the results as lines through those of two lengths."""

    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]

    def is_expected(self, results: Sequence[np.ndarray], length: int) -> bool:
        first, second = GROWTH_LENGTHS
        for item, (one, other) in zip(results, self.shapes, strict=True):
            line = tuple(a + (b - a) // (second - first) * (length - first) for a, b in zip(one, other, strict=True))
            if item.shape != line:
                return False
        return True


def _measure_growth(session: RunnableSession, values: dict[str, np.ndarray]) -> _ShapeGrowth | None:
    """Measure how shapes grow with the lengths; return None if the graph does not even run with these lengths."""
    try:
        one, other = ([item.shape for item in session.run_graph(resize_inputs(values, length))] for length in GROWTH_LENGTHS)
    except AppError:
        return None
    return _ShapeGrowth(list(zip(one, other, strict=True)))


def _find_refusal(session: RunnableSession, values: dict[str, np.ndarray], length: int, expected: _ShapeGrowth | None) -> str:
    """Return the reason why a length does not work; empty where it does."""
    try:
        results = session.run_graph(resize_inputs(values, length))
    except AppError as error:
        return f"{error.message} {error.hint}"
    if not all(np.isfinite(item).all() for item in results):
        return localize("無効な値（NaN など）が出力されます", "invalid values")
    if expected is not None and not expected.is_expected(results, length):
        return localize("出力の長さが異なります", "the output has another length")
    return ""
