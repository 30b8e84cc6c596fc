"""Whether the same comes out: of the source and what was made of it, with and without optimisation, in windows and as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.ort.bert import rows_by_token
from app.adapters.ort.equality import distance
from app.adapters.ort.session import Session, open_as_it_is, open_session
from app.bench.recorded import Call
from app.install.bert_check import LEAST_COSINE, least_cosine
from app.install.bert_check import TOLERANCE as SOURCE_TOLERANCE
from app.install.proof_inputs import ProofInput, clear_of_ties
from app.install.verify import TOLERANCE as SOUND_TOLERANCE
from app.lab.check.finding import finding
from app.lab.differences import Difference, difference
from app.lab.public_case import public_case
from app.lab.rows import INT8, Row
from app.lab.scratch import scratch_folder
from app.lab.spoken import Spoken
from app.lab.subject import Subject
from app.language import localized
from app.parity import PreparedRunner, runner_of
from app.voices.fast import LEAST_SNR_DB
from app.voices.voice import Voice

BERT_TOLERANCE = 1e-5  # of full scale, between two sessions on one file
ONE_WINDOW = (1 << 20,)  # frames: more than any sentence has
NOISE_SEED = 1
INT8_CASE = "int8 / float32"


def parity(subject: Subject, spoken: Spoken) -> Iterator[Row]:
    """A row for every comparison that this subject allows."""
    for name, graph in subject.prepared.items():
        if name.endswith(INT8):
            yield _int8(subject, name, spoken.of(name))
        else:
            yield _optimised(name, graph, spoken.of(name))
    if subject.voice is not None and not subject.voice.manifest.opaque:
        for call in spoken.calls["prosody"]:
            yield _streamed(subject.voice, call, spoken.bert)
            if "whole" in subject.source:
                yield _source(subject.voice, subject.source["whole"], call, spoken.bert)
    if subject.bert is not None and "bert" in subject.source and not subject.reason:
        yield _bert_source(subject, spoken.calls["bert"])


def _optimised(name: str, graph: Path | bytes, calls: list[Call]) -> Row:
    model = _quiet(graph) if name == "whole" else graph
    right, found = (_results(session, calls) for session in (open_as_it_is(model, name), open_session(model, "cpu", name).session))
    value = max(distance(name, one, other) for one, other in zip(found, right, strict=True))
    limit = BERT_TOLERANCE if name == "bert" else SOUND_TOLERANCE
    return finding("parity", name, "optimised / unoptimised", passed=value <= limit, value=value, limit=limit, detail=_infinite(value))


def _int8(subject: Subject, name: str, calls: list[Call]) -> Row:
    """Against the exact graph: the cosine of BERT's tokens, or the decibels of the sound."""
    graphs = subject.prepared[name.removesuffix(INT8)], subject.prepared[name]
    right, found = (_results(open_session(graph, "cpu", name).session, calls) for graph in graphs)
    if name == "bert_int8":
        ids = [call.values["input_ids"].size for call in calls]
        rows = [
            [rows_by_token(item[0], count, item[0].shape[-1]) for item, count in zip(side, ids, strict=True)] for side in (right, found)
        ]
        value = least_cosine(*rows)
        return finding("parity", name, INT8_CASE, passed=value >= LEAST_COSINE, value=value, limit=LEAST_COSINE)
    found_out = _all(right, found)
    limit = LEAST_SNR_DB if name == "decoder_int8" else None  # what other graphs compute is no sound yet
    passed = found_out.comparable and (limit is None or found_out.snr_db >= limit)
    return finding("parity", name, INT8_CASE, passed=passed, value=found_out.snr_db, limit=limit)


def _streamed(voice: Voice, call: Call, bert: str) -> Row:
    """With noise, of which every window takes its part."""
    case = public_case(call, multilingual=voice.manifest.multilingual) | {"noise_scale": np.asarray(0.6, np.float32)}
    runners = [PreparedRunner(item) for item in (replace(voice, manifest=replace(voice.manifest, windows=ONE_WINDOW)), voice)]
    prosody = runners[0].prosody(case)
    whole, windows = (runner.speak(case, prosody, NOISE_SEED)[0] for runner in runners)
    return _sound(f"{call.request}: windows / whole ({bert})", whole, windows)


def _source(voice: Voice, source: Path | bytes, call: Call, bert: str) -> Row:
    """Without noise, which a public graph draws by itself."""
    case = public_case(call, multilingual=voice.manifest.multilingual)
    original = replace(voice, graphs={"whole": source}, manifest=replace(voice.manifest, graphs={"whole": ""}))
    runner = PreparedRunner(voice)
    settled = clear_of_ties(ProofInput(case, None), runner.prosody(case)).case
    right, frames = runner_of(original)(settled)
    found, own_frames = runner(settled)
    row = _sound(f"{call.request}: source / prepared ({bert})", right, found)
    if frames is not None and own_frames is not None and not np.array_equal(frames, own_frames):
        row |= {"passed": False, "detail": localized("音の長さが異なります", "durations differ")}
    return row


def _bert_source(subject: Subject, calls: list[Call]) -> Row:
    from app.voices.prepare.bert.float32_copy import write_float32_copy  # onnx is slow to import
    from app.voices.prepare.bert.onnx_graph import open_onnx

    source = subject.source["bert"]
    assert isinstance(source, Path)
    with scratch_folder() as folder:
        copy = folder / "source.onnx"
        write_float32_copy(open_onnx(source), copy)
        right = _results(open_session(copy, "cpu", "source").session, calls)
    found = _results(open_session(subject.prepared["bert"], "cpu", "bert").session, calls)
    rows = [[item[0].reshape(-1, item[0].shape[-1])] for item in right], [[item[0].reshape(-1, item[0].shape[-1])] for item in found]
    value = max(distance("bert", one, other) for one, other in zip(rows[1], rows[0], strict=True))
    limit = SOURCE_TOLERANCE
    return finding("parity", "bert", "source / prepared", passed=value <= limit, value=value, limit=limit, detail=_infinite(value))


def _sound(case: str, right: np.ndarray, found: np.ndarray) -> Row:
    value = difference([right], [found]).max_abs
    return finding("parity", "voice", case, passed=value <= SOUND_TOLERANCE, value=value, limit=SOUND_TOLERANCE, detail=_infinite(value))


def _results(session: Session, calls: list[Call]) -> list[list[np.ndarray]]:
    return [session.run(dict(call.values)) for call in calls]


def _all(right: list[list[np.ndarray]], found: list[list[np.ndarray]]) -> Difference:
    return difference([item for run in right for item in run], [item for run in found for item in run])


def _quiet(graph: Path | bytes) -> bytes:
    from app.voices.prepare.quiet import quiet_copy

    return quiet_copy(graph)[0]


def _infinite(value: float) -> str:
    return "" if np.isfinite(value) else localized("形が異なるか、無効な値（NaN など）が出力されます", "other shapes, or invalid values")
