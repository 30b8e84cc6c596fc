"""Checks that results agree: of the source and what was made of it, with and without optimisation, in windows and as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.ort.devices.output_difference import measure_output_difference
from app.adapters.ort.graph_session import RunnableSession, open_cpu_session, open_unoptimized
from app.adapters.ort.ort_bert import arrange_rows_by_token
from app.bench.graph_recording import RecordedGraphRun
from app.common.language import localize
from app.compose.graph_runner import PreparedRunner, create_graph_runner
from app.core.result_metrics import ResultDifference, compute_difference, compute_min_cosine
from app.install.bert_verification import LEAN_BERT_TOLERANCE, MIN_BERT_COSINE
from app.install.verification_inputs import VerificationInput, adjust_to_avoid_ties
from app.install.verify_voice import VOICE_TOLERANCE
from app.lab.check.check_row import CheckRow, build_check_row
from app.lab.lab_subject import LabSubject, create_scratch_folder
from app.lab.recorded_inputs import RecordedInputs, build_public_inputs
from app.lab.report_rows import INT8_SUFFIX
from app.voices.int8_result import MIN_INT8_SNR_DB
from app.voices.prepared_voice import Voice

# Of full scale, between two sessions on one file.
BERT_TOLERANCE = 1e-5
# Frames: more than any sentence has.
SINGLE_DECODE_WINDOW = (1 << 20,)
AGREEMENT_NOISE_SEED = 1
INT8_CASE = "int8 / float32"


def check_agreement(subject: LabSubject, inputs: RecordedInputs) -> Iterator[CheckRow]:
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


def _check_optimised(name: str, graph: Path | bytes, calls: list[RecordedGraphRun]) -> CheckRow:
    model = _remove_noise(graph) if name == "whole" else graph
    right, found = (_run_calls(session, calls) for session in (open_unoptimized(model, name), open_cpu_session(model, name)))
    value = max(measure_output_difference(name, one, other) for one, other in zip(found, right, strict=True))
    limit = BERT_TOLERANCE if name == "bert" else VOICE_TOLERANCE
    return build_check_row(
        "parity", name, "optimised / unoptimised", passed=value <= limit, value=value, limit=limit, detail=_describe_infinite(value)
    )


def _check_int8(subject: LabSubject, name: str, calls: list[RecordedGraphRun]) -> CheckRow:
    """Compare with the exact graph: by the cosine of BERT's tokens, or the decibels of the sound."""
    graphs = subject.prepared[name.removesuffix(INT8_SUFFIX)], subject.prepared[name]
    right, found = (_run_calls(open_cpu_session(graph, name), calls) for graph in graphs)
    if name == "bert_int8":
        ids = [call.values["input_ids"].size for call in calls]
        rows = [
            [arrange_rows_by_token(item[0], count, item[0].shape[-1]) for item, count in zip(side, ids, strict=True)]
            for side in (right, found)
        ]
        value = compute_min_cosine(*rows)
        return build_check_row("parity", name, INT8_CASE, passed=value >= MIN_BERT_COSINE, value=value, limit=MIN_BERT_COSINE)
    found_out = _compute_total_difference(right, found)
    # What other graphs compute is no sound yet.
    limit = MIN_INT8_SNR_DB if name == "decoder_int8" else None
    passed = found_out.is_comparable and (limit is None or found_out.snr_db >= limit)
    return build_check_row("parity", name, INT8_CASE, passed=passed, value=found_out.snr_db, limit=limit)


def _check_streamed(voice: Voice, call: RecordedGraphRun, bert: str) -> CheckRow:
    """Compare streaming with the whole, with noise, of which every window takes its part."""
    case = build_public_inputs(call, multilingual=voice.manifest.multilingual) | {"noise_scale": np.asarray(0.6, np.float32)}
    runners = [PreparedRunner(item) for item in (replace(voice, manifest=replace(voice.manifest, windows=SINGLE_DECODE_WINDOW)), voice)]
    prosody = runners[0].run_prosody(case)
    whole, windows = (runner.speak_case(case, prosody, AGREEMENT_NOISE_SEED)[0] for runner in runners)
    return _build_sound_row(f"{call.request}: windows / whole{f' ({bert})' if bert else ''}", whole, windows)


def _check_source(voice: Voice, source: Path | bytes, call: RecordedGraphRun, bert: str) -> CheckRow:
    """Compare with the source, without noise, which a public graph draws by itself."""
    case = build_public_inputs(call, multilingual=voice.manifest.multilingual)
    original = replace(voice, graphs={"whole": source}, manifest=replace(voice.manifest, graphs={"whole": ""}))
    runner = PreparedRunner(voice)
    settled = adjust_to_avoid_ties(VerificationInput(case, None), runner.run_prosody(case)).case
    right, frames = create_graph_runner(original)(settled)
    found, own_frames = runner(settled)
    row = _build_sound_row(f"{call.request}: source / prepared ({bert})", right, found)
    if frames is not None and own_frames is not None and not np.array_equal(frames, own_frames):
        row = replace(row, passed=False, detail=localize("音の長さが異なります", "durations differ"))
    return row


def _check_bert_source(subject: LabSubject, calls: list[RecordedGraphRun]) -> CheckRow:
    # Onnx is slow to import.
    from app.voices.prepare.bert.float32_copy import write_float32_copy
    from app.voices.prepare.bert.onnx_index import open_onnx_index

    source = subject.source["bert"]
    assert isinstance(source, Path)
    with create_scratch_folder() as folder:
        copy = folder / "source.onnx"
        write_float32_copy(open_onnx_index(source), copy)
        right = _run_calls(open_cpu_session(copy, "source"), calls)
    found = _run_calls(open_cpu_session(subject.prepared["bert"], "bert"), calls)
    rows = [[item[0].reshape(-1, item[0].shape[-1])] for item in right], [[item[0].reshape(-1, item[0].shape[-1])] for item in found]
    value = max(measure_output_difference("bert", one, other) for one, other in zip(rows[1], rows[0], strict=True))
    limit = LEAN_BERT_TOLERANCE
    return build_check_row(
        "parity", "bert", "source / prepared", passed=value <= limit, value=value, limit=limit, detail=_describe_infinite(value)
    )


def _build_sound_row(case: str, expected: np.ndarray, found: np.ndarray) -> CheckRow:
    value = compute_difference([expected], [found]).max_abs
    return build_check_row(
        "parity", "voice", case, passed=value <= VOICE_TOLERANCE, value=value, limit=VOICE_TOLERANCE, detail=_describe_infinite(value)
    )


def _run_calls(session: RunnableSession, calls: list[RecordedGraphRun]) -> list[list[np.ndarray]]:
    return [session.run_graph(dict(call.values)) for call in calls]


def _compute_total_difference(expected: list[list[np.ndarray]], found: list[list[np.ndarray]]) -> ResultDifference:
    return compute_difference([item for run in expected for item in run], [item for run in found for item in run])


def _remove_noise(graph: Path | bytes) -> bytes:
    from app.voices.prepare.zero_noise import build_noiseless_graph

    return build_noiseless_graph(graph)[0]


def _describe_infinite(value: float) -> str:
    return "" if np.isfinite(value) else localize("形が異なるか、無効な値（NaN など）が出力されます", "other shapes, or invalid values")
