"""Everything that can be verified of a subject, as rows; lengths that break, and several sentences at once."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.adapters.ort.graph_session import GraphSession, RunnableSession, SpeakerSession, open_unoptimized
from app.adapters.ort.lab_sessions import list_batch_inputs
from app.bench.multiply_adds import RecordedGraphRun
from app.bench.stage_timing import BENCH_LINES
from app.common.errors import AppError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.compose.graph_sessions import build_acoustic_model
from app.lab.lab_subject import LabSubject, create_scratch_folder
from app.lab.recorded_inputs import CallsByGraph, open_subject, record_inputs
from app.lab.report_rows import INT8_SUFFIX, Row
from app.lab.verify.graph_comparison import (
    GraphCase,
    GraphComparison,
    build_failed_row,
    build_verify_row,
    compare_optimised,
    compare_precisions,
    compare_with_source,
    map_outputs,
    write_graph_files,
    write_source_graphs,
)
from app.lab.verify.graph_pair import (
    GraphPair,
    GraphSide,
    VerifyFigures,
    VerifyLimit,
    choose_device_limit,
    choose_exact_limit,
    compute_figures,
    measure_loudness_difference,
    merge_worst,
)
from app.voices.prepared_voice import Voice

SWEEP_LENGTHS = (*range(1, 65), 128, 256, 510, 512)  # 510: what the marks leave of a BERT's 512 positions
SWEEP_BATCHES = (1, 2, 8)
LENGTH_INPUTS = ("x_tst_lengths", "last")  # inputs that say the length


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
    for device in places:
        if subject.bert is not None or BACKENDS[parse_backend(device)].takes_any_size:
            yield from _verify_as_written(subject, device, files, calls)
        else:
            yield from _verify_as_spoken(subject, device, files, calls)


def _verify_as_written(subject: LabSubject, device: str, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    """Compare the graph itself on the backend, so that the place of a difference can be found."""
    for name, file in files.items():
        pair = GraphPair(
            name, GraphSide(file), GraphSide(file, place=device), choose_device_limit(name, is_half=False), map_outputs(name, file)
        )
        graph_cases = [GraphCase(call.request, call.values, call.values) for call in calls[name.removesuffix("_int8")]]
        yield from GraphComparison(device, pair, graph_cases, subject.voice.manifest if subject.voice else None).build_rows()


def _verify_as_spoken(subject: LabSubject, device: str, files: Mapping[str, Path], calls: CallsByGraph) -> Iterator[Row]:
    speaker = open_subject(subject, device)
    speaker.wait_for_devices()
    for name, session in speaker.sessions.items():
        if name in files:
            yield from _verify_session(name, device, session, files[name], calls)


def _verify_session(name: str, device: str, session: SpeakerSession, file: Path, calls: CallsByGraph) -> Iterator[Row]:
    outputs, exact = list(map_outputs(name, file)), GraphSide(file).open_session()
    for call in calls[name]:
        limit, case = choose_device_limit(name, is_half=session.is_half_precision), f"{device}: {call.request}"
        try:
            expected, results = exact.run_graph(dict(call.values), outputs), session.run_graph(dict(call.values), outputs)
        except AppError as error:
            yield build_failed_row(name, case, limit, error)
            continue
        figures = compute_figures(name, expected, results)
        row = build_verify_row(name, case, figures, limit, ok=limit.is_met(figures))
        yield row | {"error": session.fallback_reason} if session.ran_on != parse_backend(device) else row


def verify_lengths(subject: LabSubject, files: Mapping[str, Path], calls: CallsByGraph, report: Report = ignore_report) -> Iterator[Row]:
    """Compare optimised with plain graphs at each length: yield a row for each graph with all lengths that pass, and one for each length that does not."""
    for index, (name, file) in enumerate(files.items()):
        report("checking", index / len(files))
        for length, row in _verify_graph_lengths(name, file, calls[name.removesuffix(INT8_SUFFIX)]):
            unheard = not row["ok"] and length < count_shortest(subject, name)
            yield row | {"ok": None, "error": localize("実際の文にはない長さです。", "No real sentence is that short.")} if unheard else row


def count_shortest(subject: LabSubject, graph: str) -> int:
    """Return the symbols or tokens of a sentence of one sound: its two ends, and a blank at every place between if the voice has blanks."""
    if graph.startswith("bert"):
        return 3
    if graph not in ("prosody", "whole"):
        return 1
    return 7 if subject.voice is None or subject.voice.manifest.add_blank else 3


def _verify_graph_lengths(name: str, file: Path, calls: Sequence[RecordedGraphRun]) -> Iterator[tuple[int, Row]]:
    """Yield a length and its row; the last row covers all lengths that pass, and names the longest."""
    exact, optimised, limit = GraphSide(file, "none").open_session(), GraphSide(file, "all").open_session(), choose_exact_limit(name)
    outputs, axes = list(map_outputs(name, file)), find_free_axes(calls[0].values, calls[-1].values)
    passed: list[VerifyFigures] = []
    for length in SWEEP_LENGTHS:
        values, case = resize_values(calls[-1].values, axes, length), f"length {length}"
        try:
            figures = compute_figures(name, exact.run_graph(values, outputs)[:1], optimised.run_graph(values, outputs)[:1])
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
    repeated = dict(values)
    for name in batched:
        _, rank = session.inputs[name]
        array = np.asarray(values[name])
        array = array[np.newaxis] if array.ndim < rank else array
        repeated[name] = np.repeat(array, batch, axis=0)
    return repeated


def find_free_axes(short: Mapping[str, Any], long: Mapping[str, Any]) -> dict[str, int]:
    """Return the axis of each input whose size differs between two sentences."""
    pairs = ((name, np.shape(value), np.shape(long[name])) for name, value in short.items())
    return {
        name: axis
        for name, a, b in pairs
        for axis, (short_size, long_size) in enumerate(zip(a, b, strict=False))
        if short_size != long_size
    }


def resize_values(values: Mapping[str, Any], axes: Mapping[str, int], length: int) -> dict[str, Any]:
    """Return the values cut or repeated to a length; inputs with several elements a step, such as noise, keep that ratio."""
    sizes = {name: np.shape(values[name])[axis] for name, axis in axes.items()}
    least = min(sizes.values(), default=1)
    resized = dict(values)
    for name, axis in axes.items():
        steps = np.arange(length * (sizes[name] // least)) % sizes[name]
        resized[name] = np.take(np.asarray(values[name]), steps, axis=axis)
    for name in LENGTH_INPUTS:
        if name in resized:
            resized[name] = np.full(np.shape(resized[name]), length)
    return resized


def verify_subject(subject: LabSubject, places: Sequence[str], *, should_sweep: bool, report: Report = ignore_report) -> Iterator[Row]:
    """Yield a row for each comparison and sentence, on the CPU and these places; `should_sweep` also looks for shapes that break."""
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
