"""All checks of a subject, one after the other: placement, agreement, lengths, latency; as rows, and as JUnit XML.

One that cannot even be made has failed, and the others follow. Results are to agree: of the source and what was made of it, with and without optimisation, in
windows and as a whole.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.device_placement import DevicePlacement
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session, open_unoptimized
from app.adapters.ort.ort_synthesizer import arrange_rows_by_token
from app.adapters.ort.profiled_session import count_assigned_nodes
from app.bench.multiply_adds import RecordedGraphRun
from app.bench.repeated_runs import Repeats, measure_ms
from app.bench.stage_timing import BENCH_LINES, build_bench_request, run_once
from app.common.errors import AppError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.compose.graph_runner import PreparedRunner, create_graph_runner
from app.compose.speaker import Speaker
from app.core.sound.result_metrics import compute_difference, compute_min_cosine, measure_output_difference
from app.install.bert_preparation import LEAN_BERT_TOLERANCE, MIN_BERT_COSINE
from app.install.verify_voice import VOICE_TOLERANCE, VerificationInput, adjust_to_avoid_ties
from app.lab.lab_subject import LabSubject, create_scratch_folder, write_float32_source
from app.lab.optimise.candidate_measures import run_calls
from app.lab.recorded_inputs import RecordedInputs, build_public_inputs, record_inputs
from app.lab.report_rows import INT8_SUFFIX, Row, format_cell, make_row
from app.lab.verify.verification_run import SWEEP_LENGTHS
from app.voices.int8_result import MIN_INT8_SNR_DB
from app.voices.prepared_voice import Voice

FEW_LENGTHS = (1, 2, 3, 5, 8, 16, 17, 32, 33, 64)  # for a voice in one graph, which speaks each
MIN_CHECKED_LENGTH = 2  # tokens or sounds: the marks at both ends
GROWING_INPUTS = frozenset((
    "input_ids", "attention_mask", "token_type_ids", "x_tst", "tones", "language", "duration_symbol_type_ids", "bert", "ja_bert", "en_bert",
    "sdp_noise", "z_p", "frame_position", "phone_frames", "f0", "questions", "pitch_offset", "z", "noise",
))  # fmt: skip
"""Inputs whose last axis is the length, or a multiple of it."""
MULTIPLE_INPUTS = frozenset(("f0", "questions", "noise"))
GROWTH_LENGTHS = (59, 61)  # that sizes of weights have nothing to do with
MAX_SHOWN_REFUSALS = 3

BERT_TOLERANCE = 1e-5  # of full scale, between two sessions on one file
SINGLE_DECODE_WINDOW = (1 << 20,)  # frames: more than any sentence has
AGREEMENT_NOISE_SEED = 1
INT8_CASE = "int8 / float32"

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class _ShapeGrowth:
    """Shapes of the results as lines through those of two lengths."""

    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]

    def is_expected(self, results: Sequence[np.ndarray], length: int) -> bool:
        first, second = GROWTH_LENGTHS
        for item, (first_shape, second_shape) in zip(results, self.shapes, strict=True):
            line = tuple(a + (b - a) // (second - first) * (length - first) for a, b in zip(first_shape, second_shape, strict=True))
            if item.shape != line:
                return False
        return True


def check_agreement(subject: LabSubject, inputs: RecordedInputs) -> Iterator[Row]:
    """Yield a row for every comparison that this subject allows."""
    for name, graph in subject.prepared.items():
        if name.endswith(INT8_SUFFIX):
            yield _check_int8(subject, name, inputs.find_calls(name))
        else:
            yield _check_optimised(name, graph, inputs.find_calls(name))
    if subject.voice is not None and not subject.voice.manifest.is_single_graph:
        for call in inputs.calls["prosody"]:
            yield _check_streamed(subject.voice, call, inputs.bert)
            if "whole" in subject.source:
                yield _check_source(subject.voice, subject.source["whole"], call, inputs.bert)
    if subject.bert is not None and "bert" in subject.source and not subject.reason:
        yield _check_bert_source(subject, inputs.calls["bert"])


def _check_optimised(name: str, graph: Path | bytes, calls: list[RecordedGraphRun]) -> Row:
    from app.voices.prepare.source_graphs import build_noiseless_graph

    model = build_noiseless_graph(graph)[0] if name == "whole" else graph
    unoptimised, optimised = (run_calls(session, calls) for session in (open_unoptimized(model, name), open_cpu_session(model, name)))
    value = max(measure_output_difference(name, result, expected) for result, expected in zip(optimised, unoptimised, strict=True))
    return _build_parity_row(name, "optimised / unoptimised", value, BERT_TOLERANCE if name == "bert" else VOICE_TOLERANCE)


def build_check_row(
    check: str, graph: str, case: str, *, passed: bool, value: float | None = None, limit: float | None = None, detail: str = ""
) -> Row:
    """Build a row; JSON has no word for a value that is not finite.

    Args:
        check: parity, placement, shapes or latency.
        case: what was compared or run.
        value, limit: what was measured and what it was held against; None where there is no number.
        detail: why it failed, in the language of the user.
    """
    if value is not None and not math.isfinite(value):
        value = None
    return make_row("check", check=check, graph=graph, case=case, value=value, limit=limit, passed=passed, detail=detail)


def has_all_passed(rows: Iterable[Row]) -> bool:
    """Return whether there was a check and none failed."""
    verdicts = [row["passed"] for row in rows if row["type"] == "check"]
    return bool(verdicts) and all(verdicts)


def format_as_junit(rows: Sequence[Row], name: str) -> bytes:
    """Return a JUnit suite named after the voice or BERT, with a case for each finding; other rows are its properties."""
    cases = [row for row in rows if row["type"] == "check"]
    counts = {"tests": str(len(cases)), "failures": str(sum(not row["passed"] for row in cases)), "errors": "0"}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _remove_control_characters(name), **counts})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in ((key, value) for row in rows if row["type"] != "check" for key, value in row.items() if key != "type"):
        ElementTree.SubElement(
            properties, "property", {"name": _remove_control_characters(key), "value": _remove_control_characters(format_cell(value))}
        )
    for row in cases:
        _add_case(suite, row)
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def _add_case(suite: ElementTree.Element, row: Row) -> None:
    name = " · ".join(str(row[key]) for key in ("check", "graph", "case"))
    case = ElementTree.SubElement(suite, "testcase", {"classname": f"lab.{row['check']}", "name": _remove_control_characters(name)})
    measured = f"{format_cell(row['value'])} / {format_cell(row['limit'])}" if row["value"] is not None else ""
    words = _remove_control_characters(" ".join(filter(None, (measured, str(row["detail"])))))
    if not row["passed"]:
        ElementTree.SubElement(case, "failure", {"message": words})
    elif words:
        ElementTree.SubElement(case, "system-out").text = words


def _remove_control_characters(text: str) -> str:
    """Return a text without control characters, which XML cannot write."""
    return NOT_IN_XML.sub("\ufffd", text)


def _check_int8(subject: LabSubject, name: str, calls: list[RecordedGraphRun]) -> Row:
    """Compare with the exact graph: by the cosine of BERT's tokens, or the decibels of the sound."""
    graphs = subject.prepared[name.removesuffix(INT8_SUFFIX)], subject.prepared[name]
    exact_results, int8_results = (run_calls(open_cpu_session(graph, name), calls) for graph in graphs)
    if name == "bert_int8":
        ids = [call.values["input_ids"].size for call in calls]
        rows = [
            [arrange_rows_by_token(item[0], count, item[0].shape[-1]) for item, count in zip(side, ids, strict=True)]
            for side in (exact_results, int8_results)
        ]
        value = compute_min_cosine(*rows)
        return build_check_row("parity", name, INT8_CASE, passed=value >= MIN_BERT_COSINE, value=value, limit=MIN_BERT_COSINE)
    found_out = compute_difference(list(chain.from_iterable(exact_results)), list(chain.from_iterable(int8_results)))
    # What other graphs compute is no sound yet.
    limit = MIN_INT8_SNR_DB if name == "decoder_int8" else None
    passed = found_out.is_comparable and (limit is None or found_out.snr_db >= limit)
    return build_check_row("parity", name, INT8_CASE, passed=passed, value=found_out.snr_db, limit=limit)


def _check_streamed(voice: Voice, call: RecordedGraphRun, bert: str) -> Row:
    """Compare streaming with the whole, with noise, of which every window takes its part."""
    case = build_public_inputs(call, multilingual=voice.manifest.multilingual) | {"noise_scale": np.asarray(0.6, np.float32)}
    runners = [PreparedRunner(item) for item in (replace(voice, manifest=replace(voice.manifest, windows=SINGLE_DECODE_WINDOW)), voice)]
    prosody = runners[0].run_prosody(case)
    whole, windows = (runner.speak_case(case, prosody, AGREEMENT_NOISE_SEED)[0] for runner in runners)
    return _build_sound_row(f"{call.request}: windows / whole{f' ({bert})' if bert else ''}", whole, windows)


def _check_source(voice: Voice, source: Path | bytes, call: RecordedGraphRun, bert: str) -> Row:
    """Compare with the source, without noise, which a public graph draws by itself."""
    case = build_public_inputs(call, multilingual=voice.manifest.multilingual)
    original = replace(voice, graphs={"whole": source}, manifest=replace(voice.manifest, graphs={"whole": ""}))
    runner = PreparedRunner(voice)
    settled = adjust_to_avoid_ties(VerificationInput(case, None), runner.run_prosody(case)).case
    source_samples, frames = create_graph_runner(original)(settled)
    samples, own_frames = runner(settled)
    row = _build_sound_row(f"{call.request}: source / prepared ({bert})", source_samples, samples)
    if frames is not None and own_frames is not None and not np.array_equal(frames, own_frames):
        row = row | {"passed": False, "detail": localize("音の長さが異なります", "durations differ")}
    return row


def _check_bert_source(subject: LabSubject, calls: list[RecordedGraphRun]) -> Row:
    with create_scratch_folder() as folder:
        source_results = run_calls(open_cpu_session(write_float32_source(subject, folder / "source.onnx"), "source"), calls)
    prepared_results = run_calls(open_cpu_session(subject.prepared["bert"], "bert"), calls)
    rows = (
        [[item[0].reshape(-1, item[0].shape[-1])] for item in source_results],
        [[item[0].reshape(-1, item[0].shape[-1])] for item in prepared_results],
    )
    value = max(measure_output_difference("bert", result, expected) for result, expected in zip(rows[1], rows[0], strict=True))
    return _build_parity_row("bert", "source / prepared", value, LEAN_BERT_TOLERANCE)


def _build_sound_row(case: str, expected: np.ndarray, samples: np.ndarray) -> Row:
    return _build_parity_row("voice", case, compute_difference([expected], [samples]).max_abs, VOICE_TOLERANCE)


def _build_parity_row(graph: str, case: str, value: float, limit: float) -> Row:
    words = "" if np.isfinite(value) else localize("形が異なるか、無効な値（NaN など）が出力されます", "other shapes, or invalid values")
    return build_check_row("parity", graph, case, passed=value <= limit, value=value, limit=limit, detail=words)


def run_checks(
    subject: LabSubject,
    *,
    placement: DevicePlacement,
    budget_ms: float | None = None,
    repeats: Repeats | None = None,
    report: Report = ignore_report,
) -> Iterator[Row]:
    """Yield a row for each finding. Only the placement is tried elsewhere than on the CPU; without a budget nothing is timed."""
    yield from _run_guarded("placement", lambda: check_placements(subject, placement))
    report("checking", 0.1)
    try:
        inputs = record_inputs(subject)
    except AppError as error:
        yield _build_failed_row("parity", error)
        return
    report("checking", 0.2)
    yield from _run_guarded("parity", lambda: check_agreement(subject, inputs))
    yield from _run_guarded("shapes", lambda: check_lengths(subject, inputs, build_part_report(report, 0.3, 0.9)))
    report("checking", 0.9)
    if budget_ms is not None:
        yield from _run_guarded("latency", lambda: check_latency(subject, inputs, budget_ms, repeats or Repeats()))


def _run_guarded(check: str, run_check: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    try:
        yield from run_check()
    except AppError as error:
        yield _build_failed_row(check, error)


def _build_failed_row(check: str, error: AppError) -> Row:
    return build_check_row(check, "", "", passed=False, detail=f"{error.message} {error.hint}")


def check_placements(subject: LabSubject, placement: DevicePlacement) -> Iterator[Row]:
    """Yield a row for each graph, failed if the graph does not open there or no node of it runs there; `value` is the share of nodes that do."""
    for name, graph in subject.prepared.items():
        device = choose_device(name, placement)
        build_row = partial(build_check_row, "placement", name, device)
        try:
            assigned = count_assigned_nodes(graph, device, name)
        except AppError as error:
            yield build_row(passed=False, detail=f"{error.message} {error.hint}")
            continue
        if assigned is None:
            words = localize("この ONNX Runtime は割り当てを報告しません", "this ONNX Runtime reports no placement")
            yield build_row(passed=True, detail=words)
            continue
        own_nodes = assigned.pop(BACKENDS[parse_backend(device)].provider, Counter()).total()
        left_nodes = sum(assigned.values(), Counter[str]())
        share = own_nodes / max(1, own_nodes + left_nodes.total())
        left = ", ".join(f"{kind} ×{count}" for kind, count in left_nodes.most_common())
        words = left and localize(f"CPU で動作: {left}", f"on the CPU: {left}")
        yield build_row(passed=own_nodes > 0, value=share, detail=words)


def choose_device(graph: str, placement: DevicePlacement) -> str:
    """Return the device on which to try a graph: the CPU where none is chosen."""
    device = placement.find_place(graph.removesuffix("_int8"))
    return "cpu" if device == "auto" else device


def check_latency(subject: LabSubject, inputs: RecordedInputs, budget_ms: float, repeats: Repeats) -> Iterator[Row]:
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
            yield _build_row(graph, call.request, _measure_median(_create_run_timer(session, call), repeats), budget_ms)


def _build_row(graph: str, case: str, median_ms: float, budget_ms: float) -> Row:
    return build_check_row("latency", graph, case, passed=median_ms <= budget_ms, value=median_ms, limit=budget_ms)


def _create_run_timer(session: RunnableSession, call: RecordedGraphRun) -> Callable[[], float]:
    return lambda: measure_ms(lambda: session.run_graph(dict(call.values)))


def _create_first_audio_timer(speaker: Speaker, text: str) -> Callable[[], float]:
    request = build_bench_request(speaker, text)
    return lambda: run_once(speaker, request, cached=False)["first_audio"]


def _measure_median(measure_once: Callable[[], float], repeats: Repeats) -> float:
    return float(np.median(repeats.measure_repeatedly(measure_once)))


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
    before = next(value.shape[-1] for name, value in values.items() if name in GROWING_INPUTS - MULTIPLE_INPUTS)
    resized = dict(values)
    for name in GROWING_INPUTS & values.keys():
        size = values[name].shape[-1]
        resized[name] = np.asarray(np.take(values[name], np.arange(size // before * length) % size, axis=-1))
    if "last" in values:
        resized |= {"first": np.zeros_like(values["first"]), "last": np.full_like(values["last"], length)}
    if "x_tst_lengths" in values:
        resized["x_tst_lengths"] = np.full_like(values["x_tst_lengths"], length)
    return resized


def _measure_growth(session: RunnableSession, values: dict[str, np.ndarray]) -> _ShapeGrowth | None:
    """Measure how shapes grow with the lengths; return None if the graph does not even run with these lengths."""
    try:
        first_shapes, second_shapes = (
            [item.shape for item in session.run_graph(resize_inputs(values, length))] for length in GROWTH_LENGTHS
        )
    except AppError:
        return None
    return _ShapeGrowth(list(zip(first_shapes, second_shapes, strict=True)))


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
