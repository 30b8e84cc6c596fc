"""All checks of a subject, one after the other: placement, agreement, lengths, latency.

One that cannot even be made has failed, and the others follow.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.adapters.ort.device_placement import DevicePlacement
from app.adapters.ort.devices.ep_assignment import read_ep_assignment
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.bench.bench_texts import BENCH_LINES
from app.bench.graph_recording import RecordedGraphRun
from app.bench.repeated_runs import Repeats
from app.bench.stage_timing import build_bench_request, run_once
from app.common.errors import AppError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.compose.speaker import Speaker
from app.lab.check.agreement_checks import check_agreement
from app.lab.check.check_row import CheckRow, build_check_row
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import RecordedInputs, record_inputs
from app.lab.verify.length_sweep import SWEEP_LENGTHS

# For a voice in one graph, which speaks each.
FEW_LENGTHS = (1, 2, 3, 5, 8, 16, 17, 32, 33, 64)
# Tokens or sounds: the marks at both ends.
MIN_CHECKED_LENGTH = 2
GROWING_INPUTS = frozenset((
    "input_ids", "attention_mask", "token_type_ids", "x_tst", "tones", "language", "duration_symbol_type_ids", "bert", "ja_bert", "en_bert",
    "sdp_noise", "z_p", "frame_position", "phone_frames", "f0", "questions", "pitch_offset", "z", "noise",
))  # fmt: skip
"""Inputs whose last axis is the length, or a multiple of it."""
MULTIPLE_INPUTS = frozenset(("f0", "questions", "noise"))
# That sizes of weights have nothing to do with.
GROWTH_LENGTHS = (59, 61)
MAX_SHOWN_REFUSALS = 3


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


def run_checks(
    subject: LabSubject,
    *,
    placement: DevicePlacement,
    budget_ms: float | None = None,
    repeats: Repeats | None = None,
    report: Report = ignore_report,
) -> Iterator[CheckRow]:
    """Yield a row for each finding.

    Args:
        placement: where the graphs are tried to be placed; everything else runs on the CPU.
        budget_ms: for the first sound, or for a BERT's features; None measures nothing.
        repeats: of what is timed; None is the lab's rule.
    """
    yield from _run_guarded("placement", lambda: check_placements(subject, placement))
    report("checking", 0.1)
    try:
        found = record_inputs(subject)
    except AppError as error:
        yield _build_failed_row("parity", error)
        return
    report("checking", 0.2)
    yield from _run_guarded("parity", lambda: check_agreement(subject, found))
    yield from _run_guarded("shapes", lambda: check_lengths(subject, found, build_part_report(report, 0.3, 0.9)))
    report("checking", 0.9)
    if budget_ms is not None:
        yield from _run_guarded("latency", lambda: check_latency(subject, found, budget_ms, repeats or Repeats()))


def _run_guarded(check: str, run_check: Callable[[], Iterable[CheckRow]]) -> Iterator[CheckRow]:
    try:
        yield from run_check()
    except AppError as error:
        yield _build_failed_row(check, error)


def _build_failed_row(check: str, error: AppError) -> CheckRow:
    return build_check_row(check, "", "", passed=False, detail=f"{error.message} {error.hint}")


def check_placements(subject: LabSubject, wanted: DevicePlacement) -> Iterator[CheckRow]:
    """Yield a row for each graph, failed if the graph does not open there or no node of it runs there; `value` is the share of nodes that do."""
    for name, graph in subject.prepared.items():
        place = choose_device(name, wanted)
        try:
            assigned = read_ep_assignment(graph, place, name)
        except AppError as error:
            yield build_check_row("placement", name, place, passed=False, detail=f"{error.message} {error.hint}")
            continue
        if assigned is None:
            yield build_check_row(
                "placement",
                name,
                place,
                passed=True,
                detail=localize("この ONNX Runtime は割り当てを報告しません", "this ONNX Runtime reports no placement"),
            )
            continue
        share = assigned.own_nodes / max(1, assigned.own_nodes + sum(assigned.other_nodes.values()))
        left = ", ".join(f"{kind} ×{count}" for kind, count in assigned.other_nodes.items())
        yield build_check_row(
            "placement",
            name,
            place,
            passed=assigned.own_nodes > 0,
            value=share,
            detail=left and localize(f"CPU で動作: {left}", f"on the CPU: {left}"),
        )


def choose_device(graph: str, wanted: DevicePlacement) -> str:
    """Return the device on which to try a graph: the CPU where none is chosen."""
    place = wanted.find_place(graph.removesuffix("_int8"))
    return "cpu" if place == "auto" else place


def check_latency(subject: LabSubject, inputs: RecordedInputs, budget_ms: float, repeats: Repeats) -> Iterator[CheckRow]:
    """Yield the median of warm runs: for a voice until the first sound of each sentence, for a BERT for each sentence and graph."""
    if inputs.speaker is not None:
        for name, text in BENCH_LINES.items():
            yield _build_row(
                "voice", f"{name}: first_audio", _measure_median(_create_first_audio_timer(inputs.speaker, text), repeats), budget_ms
            )
        return
    for graph, path in subject.prepared.items():
        session = open_cpu_session(path, graph)
        for call in inputs.find_calls(graph):
            yield _build_row(graph, call.request, _measure_median(partial(_measure_run_ms, session, call), repeats), budget_ms)


def _build_row(graph: str, case: str, median_ms: float, budget_ms: float) -> CheckRow:
    return build_check_row("latency", graph, case, passed=median_ms <= budget_ms, value=median_ms, limit=budget_ms)


def _create_first_audio_timer(speaker: Speaker, text: str) -> Callable[[], float]:
    request = build_bench_request(speaker, text)
    return lambda: run_once(speaker, request, cached=False)["first_audio"]


def _measure_run_ms(session: RunnableSession, call: RecordedGraphRun) -> float:
    began = time.perf_counter()
    session.run_graph(dict(call.values))
    return (time.perf_counter() - began) * 1000


def _measure_median(measure_once: Callable[[], float], repeats: Repeats) -> float:
    return float(np.median(repeats.measure_repeatedly(measure_once)))


def check_lengths(subject: LabSubject, inputs: RecordedInputs, report: Report = ignore_report) -> Iterator[CheckRow]:
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
    before = next(value.shape[-1] for name, value in values.items() if name in GROWING_INPUTS - MULTIPLE_INPUTS)
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
