"""All candidates on all sentences, as rows: figures, the winner at each length, where it changes, and the notes needed with them."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.ort.backends import format_device_name
from app.adapters.ort.lab_sessions import list_batch_inputs
from app.bench.repeated_runs import MIN_RUNS_FOR_TAILS, Repeats, compute_ratio, compute_summary, count_outliers
from app.bench.stage_timing import BENCH_LINES, build_text
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.lab.compare.compare_candidates import (
    JOULES_FIGURE,
    TOTAL_FIGURE,
    CandidateGraphs,
    CandidateSessions,
    CandidateTimings,
    CompareCandidate,
    EnergyMeter,
    ValuesByGraph,
    collect_figure,
    list_candidates,
    measure_candidates,
    open_candidate,
)
from app.lab.lab_subject import LabSubject, create_scratch_folder
from app.lab.recorded_inputs import RecordedInputs, record_inputs
from app.lab.report_rows import Row, make_row
from app.lab.verify.graph_comparison import split_source, write_graph_files
from app.lab.verify.verification_run import repeat_values
from app.voices.prepare.graph_facts import write_single_output_graph

MIN_RUNS_FOR_QUARTILES = 4  # runs; fewer say nothing about three in four


@dataclass(frozen=True, slots=True)
class CompareWorkload:
    """Graphs, and by sentence what each is given; seconds of speech by sentence."""

    graphs: CandidateGraphs
    sentences: Mapping[str, ValuesByGraph]
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options of a comparison; `tokens` are lengths of texts in addition to the short and the long line, `batches` sentences at once."""

    places: Sequence[str] = ("cpu",)
    levels: Sequence[str] = ("all",)
    precisions: Sequence[str] = ("float32", "int8")
    forms: Sequence[str] = ("source", "prepared", "ort")
    tokens: Sequence[int] = (5, 20, 40)
    batches: Sequence[int] = (1,)
    repeats: Repeats = field(default_factory=Repeats)


def run_comparison(subject: LabSubject, options: CompareOptions, report: Report = ignore_report) -> Iterator[Row]:
    """Yield a row for each candidate, graph, length and batch; then where the winner changes, and the candidates that could not be compared."""
    report("checking", 0.0)
    inputs = record_inputs(subject, {f"{count} tokens": build_text(count) for count in options.tokens} | BENCH_LINES)
    with create_scratch_folder() as folder:
        work = build_workload(subject, inputs, folder)
        opened, refused = _open_candidates(subject, options, work.graphs, folder)
        compared: list[Row] = []
        plan = [(length, batch) for batch in options.batches for length in work.sentences]
        for index, (length, batch) in enumerate(plan):
            of_sentence = build_part_report(report, 0.1 + 0.9 * index / len(plan), 0.1 + 0.9 * (index + 1) / len(plan))
            rows = _compare_sentence(opened, work, options.repeats, length, batch, of_sentence)
            compared += rows
            yield from rows
    yield from find_crossovers(compared)
    yield from build_notes(compared, refused)


def _open_candidates(
    subject: LabSubject, options: CompareOptions, graphs: CandidateGraphs, folder: Path
) -> tuple[dict[str, CandidateSessions], dict[str, str]]:
    """Open the candidates; return them by name, with the reasons why others do not open."""
    opened, refused = dict[str, CandidateSessions](), dict[str, str]()
    candidates = list_candidates(graphs, options.places, options.levels, options.precisions, options.forms)
    if not candidates:
        raise InputError(
            localize("この組み合わせで比較できるグラフがありません。", "No graph can be compared with these options."),
            localize(
                "--precisions と --formats を省略してください。ort は --levels all の場合だけ比較できます。",
                "Leave out --precisions and --formats; ort can only be compared with --levels all.",
            ),
        )
    for item in candidates:
        try:
            opened[item.name] = open_candidate(item, subject, graphs, folder)
        except AppError as error:
            refused[item.name] = f"{format_device_name(item.place)}: {error.message} {error.hint}".strip()
    return opened, refused


def _compare_sentence(
    opened: Mapping[str, CandidateSessions], workload: CompareWorkload, repeats: Repeats, length: str, batch: int, report: Report
) -> list[Row]:
    values = {}
    for name, item in opened.items():
        inputs = build_batch(item, workload, length, batch)
        if inputs is not None:
            values[name] = inputs
    if not values:
        return []
    timings: dict[str, CandidateTimings] = measure_candidates(
        {name: opened[name] for name in values}, values, repeats, EnergyMeter(), report
    )
    sentence = workload.sentences[length]
    graph, name, unit = ("bert", "input_ids", "tokens") if "bert" in sentence else (next(iter(sentence)), "x_tst", "symbols")
    size = int(np.size(sentence[graph][name]))
    return build_sentence_rows(timings, f"{size} {unit}" if length in BENCH_LINES else length, batch, size, workload.seconds.get(length))


def build_sentence_rows(timings: Mapping[str, CandidateTimings], length: str, batch: int, size: int, seconds: float | None) -> list[Row]:
    """Return a row for each graph and candidate, on one sentence of so many symbols (tokens of a BERT) and seconds of speech (None for a BERT)."""
    several = any(len(item.opened.sessions) > 1 for item in timings.values())
    graphs = list(dict.fromkeys(name for item in timings.values() for name in item.opened.sessions))
    if several:
        # Of a graph in one piece the time is the total.
        graphs = [*(name for name in graphs if name != "whole"), TOTAL_FIGURE]
    rows = []
    for graph in graphs:
        times = {
            name: collect_figure(item.warm, graph)
            for name, item in timings.items()
            if graph == TOTAL_FIGURE or graph in item.opened.own_graphs
        }
        winner = min(times, key=lambda name: float(np.median(times[name])))
        for name, values in times.items():
            # Where a quartile is 1 or less, the difference is not clear.
            slower = compute_ratio(values, times[winner])
            rows.append(
                make_row(
                    "compare",
                    candidate=name,
                    graph=graph,
                    length=length,
                    batch=batch,
                    **asdict(compute_summary(values)),
                    winner=name == winner,
                    cold_ms=timings[name].cold.get(graph),
                    open_ms=timings[name].opened.open_ms,
                    outliers=count_outliers(values),
                    slower=slower.median,
                    slower_p25=slower.p25,
                    slower_p75=slower.p75,
                    joules_per_s=_compute_joules_per_s(timings[name], seconds) if graph == TOTAL_FIGURE or not several else None,
                    size=size,
                )
            )
    return rows


def _compute_joules_per_s(item: CandidateTimings, seconds: float | None) -> float | None:
    """Return the joules of all graphs for a second of speech, or None."""
    joules = collect_figure(item.warm, JOULES_FIGURE)
    return float(np.mean(joules)) / seconds if joules and seconds else None


def find_crossovers(rows: Sequence[Row]) -> Iterator[Row]:
    """Find where another candidate becomes the fastest, on a straight line between two measured lengths; only where both are clear."""
    for graph, batch in dict.fromkeys((row["graph"], row["batch"]) for row in rows):
        key_rows = [row for row in rows if (row["graph"], row["batch"]) == (graph, batch)]
        by_place = {(row["candidate"], row["size"]): row for row in key_rows}
        winners = {row["size"]: row["candidate"] for row in key_rows if row["winner"]}
        for short, long in itertools.pairwise(sorted(winners)):
            below, above = winners[short], winners[long]
            if below != above and _is_clear(by_place[above, short]) and _is_clear(by_place[below, long]):
                medians = [[by_place[name, size]["median_ms"] for name in (above, below)] for size in (short, long)]
                gap_before, gap_after = (first - second for first, second in medians)
                at = short + (long - short) * gap_before / (gap_before - gap_after)
                yield make_row("crossover", graph=graph, batch=batch, size=at, below=below, above=above)


def _is_clear(row: Row) -> bool:
    """Return whether a candidate lost three turns in four, of four at least."""
    return bool(row["runs"] >= MIN_RUNS_FOR_QUARTILES and row["slower_p25"] > 1)


def build_notes(rows: Sequence[Row], refused: Mapping[str, str]) -> Iterator[Row]:
    """Build the notes that a reader needs to understand the rows."""
    if any(row["p95_ms"] is None for row in rows):
        words = localize(
            f"{MIN_RUNS_FOR_TAILS} 回未満の測定では、95・99 パーセンタイルは示しません（n が小さすぎます）。",
            f"The 95th and 99th percentiles need at least {MIN_RUNS_FOR_TAILS} runs (n too small).",
        )
        yield make_row("note", note=words)
    for name, reason in refused.items():
        yield make_row("note", note=localize(f"{name} は比較できません: {reason}", f"{name} could not be compared: {reason}"))


def build_workload(subject: LabSubject, inputs: RecordedInputs, folder: Path) -> CompareWorkload:
    """Build the prepared and original graphs, copied into a folder, and the inputs of each."""
    files = write_graph_files(subject, folder)
    names = [call.request for call in next(iter(inputs.calls.values()))]
    by_sentence: dict[str, dict[str, Mapping[str, Any]]] = {name: {} for name in names}
    for graph, calls in inputs.calls.items():
        for call in calls:
            by_sentence[call.request][graph] = call.values
    source: dict[str, Path] = {}
    seconds = dict(inputs.seconds)
    if subject.bert is not None and isinstance(path := subject.source.get("bert"), Path):
        source = {"bert": path}
    elif subject.voice is not None and "whole" in subject.source and "prosody" in files:
        copy, seams, sentences = split_source(subject, subject.voice, files, inputs.calls, folder)
        source = {"whole": write_single_output_graph(copy, seams.decoder["audio"], "source_audio")}
        info = subject.voice.manifest
        # With the same frames for all, or the source would be given other work.
        for item in sentences:
            by_sentence[item.name] = {"whole": item.source, "prosody": item.prosody, "flow": item.flow, "decoder": item.decoder}
            seconds[item.name] = item.decoder["z"].shape[-1] * info.hop_length / info.sampling_rate
    return CompareWorkload(CandidateGraphs(files, source), by_sentence, seconds)


def build_batch(opened: CandidateSessions, workload: CompareWorkload, length: str, batch: int) -> ValuesByGraph | None:
    """Build a candidate's inputs for several sentences at once; None where it takes one only."""
    single_inputs = workload.sentences[length]
    if batch == 1:
        return single_inputs
    candidate = opened.candidate
    form = "source" if candidate.form == "source" else "prepared"
    files = workload.graphs.choose_files(CompareCandidate(candidate.place, candidate.precision, candidate.level, form))
    inputs_by_graph = {}
    for name in opened.sessions:
        inputs = list_batch_inputs(files[name], name)
        # The noise is that of one sentence.
        if not inputs or name == "whole":
            return None
        inputs_by_graph[name] = repeat_values(single_inputs[name], opened.sessions[name], inputs, batch)
    return inputs_by_graph
