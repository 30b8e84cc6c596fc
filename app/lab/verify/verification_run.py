"""Everything that can be verified of a subject, as rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.cpu_session import SpeakerSession
from app.adapters.ort.graph_session import open_unoptimized
from app.bench.bench_texts import BENCH_LINES
from app.common.errors import AppError
from app.common.progress import Report, build_part_report, ignore_report
from app.compose.graph_sessions import build_acoustic_model
from app.lab.lab_subject import LabSubject, create_scratch_folder
from app.lab.recorded_inputs import CallsByGraph, open_subject, record_inputs
from app.lab.report_rows import Row
from app.lab.verify.comparison_pairs import compare_optimised, compare_precisions, map_outputs, write_graph_files
from app.lab.verify.graph_comparison import GraphCase, GraphComparison, build_failed_row, build_verify_row
from app.lab.verify.graph_pair import GraphPair, GraphSide
from app.lab.verify.length_sweep import verify_batches, verify_lengths
from app.lab.verify.source_comparison import compare_with_source, write_source_graphs
from app.lab.verify.verify_limits import choose_device_limit, choose_exact_limit, compute_figures, measure_loudness_difference
from app.voices.prepared_voice import Voice


def verify_decode_windows(voice: Voice, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Yield a row for each way to plan windows and each sentence; nothing for a voice in one graph, which is not streamed."""
    if "decoder" not in files or "flow" not in files:
        return
    limit = choose_exact_limit("decoder")
    model = build_acoustic_model(voice, {"decoder": open_unoptimized(files["decoder"], f"{voice.manifest.name}: decoder")})
    models = {"windows": model, "windows of devices": replace(model, voice=replace(model.voice, fixed_windows=True))}
    for call in calls["decoder"]:
        z, noise, speaker = call.values["z"], call.values["noise"], int(np.ravel(call.values["sid"])[0])
        style = call.values.get("style_vec")
        whole = model.decode_all_frames(z, noise=noise, speaker=speaker, style_vector=style)
        for case, planned in models.items():
            streamed = np.concatenate(list(planned.decode_windows(z, noise=noise, speaker=speaker, style_vector=style)))
            figures = compute_figures("decoder", [whole], [streamed])
            loudness = measure_loudness_difference(whole, streamed, voice.manifest.sampling_rate) if len(whole) == len(streamed) else None
            frames = len(whole) == len(streamed)
            ok = limit.is_met(figures)
            yield build_verify_row("decoder", f"{case}: {call.request}", figures, limit, ok=ok, frames=frames, loudness=loudness)


def verify_backends(subject: LabSubject, places: Sequence[str], files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Yield a row for each place, graph and sentence."""
    for place in places:
        if subject.bert is not None or BACKENDS[parse_backend(place)].takes_any_size:
            yield from _verify_as_written(subject, place, files, calls)
        else:
            yield from _verify_as_spoken(subject, place, files, calls)


def _verify_as_written(subject: LabSubject, place: str, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Compare the graph itself on the backend, so that the place of a difference can be found."""
    for name, file in files.items():
        pair = GraphPair(
            name, GraphSide(file), GraphSide(file, place=place), choose_device_limit(name, is_half=False), map_outputs(name, file)
        )
        given = [GraphCase(call.request, call.values, call.values) for call in calls[name.removesuffix("_int8")]]
        yield from GraphComparison(place, pair, given, subject.voice.manifest if subject.voice else None).build_rows()


def _verify_as_spoken(subject: LabSubject, place: str, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    speaker = open_subject(subject, place)
    speaker.wait_for_devices()
    for name, session in speaker.sessions.items():
        if name in files:
            yield from _verify_session(name, place, session, files[name], calls)


def _verify_session(name: str, place: str, session: SpeakerSession, file: Path, calls: CallsByGraph) -> Iterator[Row]:
    outputs, exact = list(map_outputs(name, file)), GraphSide(file).open_session()
    for call in calls[name]:
        limit, case = choose_device_limit(name, is_half=session.is_half_precision), f"{place}: {call.request}"
        try:
            expected, found = exact.run_graph(dict(call.values), outputs), session.run_graph(dict(call.values), outputs)
        except AppError as error:
            yield build_failed_row(name, case, limit, error)
            continue
        figures = compute_figures(name, expected, found)
        row = build_verify_row(name, case, figures, limit, ok=limit.is_met(figures))
        yield row | {"error": session.fallback_reason} if session.ran_on != parse_backend(place) else row


def verify_subject(subject: LabSubject, places: Sequence[str], *, should_sweep: bool, report: Report = ignore_report) -> Iterator[Row]:
    """Yield a row for each comparison and sentence.

    Args:
        places: other than the CPU.
        should_sweep: also look for shapes that break.
    """
    report("checking", 0.0)
    calls = record_inputs(subject, BENCH_LINES).calls
    with create_scratch_folder() as folder:
        files = write_graph_files(subject, folder)
        report("checking", 0.2)
        try:
            for comparison in compare_with_source(subject, files, calls, folder):
                yield from comparison.build_rows()
        except AppError as error:  # a source that runs with other inputs than ours is one finding, not the end
            yield build_failed_row("source", "prepared", choose_exact_limit("source"), error)
        for comparison in itertools.chain(compare_optimised(subject, files, calls), compare_precisions(subject, files, calls)):
            yield from comparison.build_rows()
        report("checking", 0.6)
        if subject.voice is not None:
            yield from verify_decode_windows(subject.voice, files, calls)
        yield from verify_backends(subject, places, files, calls)
        if should_sweep:
            yield from verify_lengths(subject, files, calls, build_part_report(report, 0.7, 0.9))
            yield from verify_batches(files, calls)
            yield from (row | {"case": f"source: {row['case']}"} for row in verify_batches(*write_source_graphs(subject, calls, folder)))


def has_passed(rows: Sequence[Row]) -> bool:
    """Return whether no limit was exceeded; lengths that no sentence has are not judged."""
    return all(row["ok"] is not False for row in rows if row["type"] == "verify")
