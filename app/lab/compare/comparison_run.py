"""All candidates on all sentences, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.adapters.ort.backends import format_device_name
from app.bench.bench_texts import BENCH_LINES, build_text
from app.common.errors import AppError, InputError
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.lab.compare.candidate_timing import CandidateTimings, measure_candidates
from app.lab.compare.compare_candidates import CandidateGraphs, CandidateSessions, list_candidates, open_candidate
from app.lab.compare.comparison_rows import build_notes, build_sentence_rows, find_crossovers
from app.lab.compare.comparison_workload import CompareWorkload, build_batch, build_workload, measure_size
from app.lab.compare.energy_meter import EnergyMeter
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import record_inputs
from app.lab.repeat_rule import Repeats
from app.lab.report_rows import Row
from app.lab.scratch_folder import create_scratch_folder


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Options of a comparison.

    Attributes:
        tokens: lengths of texts, in BERT tokens; the short and the long line are always there.
        batches: sentences at once, for graphs that take several.
    """

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
    given = record_inputs(subject, {f"{count} tokens": build_text(count) for count in options.tokens} | BENCH_LINES)
    with create_scratch_folder() as folder:
        work = build_workload(subject, given, folder)
        opened, refused = _open_candidates(subject, options, work.graphs, folder)
        found: list[Row] = []
        plan = [(length, batch) for batch in options.batches for length in work.sentences]
        for index, (length, batch) in enumerate(plan):
            of_sentence = build_part_report(report, 0.1 + 0.9 * index / len(plan), 0.1 + 0.9 * (index + 1) / len(plan))
            rows = _compare_sentence(opened, work, options.repeats, length, batch, of_sentence)
            found += rows
            yield from rows
    yield from find_crossovers(found)
    yield from build_notes(found, refused)


def _open_candidates(
    subject: LabSubject, options: CompareOptions, graphs: CandidateGraphs, folder: Path
) -> tuple[dict[str, CandidateSessions], dict[str, str]]:
    """Open the candidates; return them by name, with the reasons why others do not open."""
    opened, refused = dict[str, CandidateSessions](), dict[str, str]()
    wanted = list_candidates(graphs, options.places, options.levels, options.precisions, options.forms)
    if not wanted:
        raise InputError(
            localize("この組み合わせで比較できるグラフがありません。", "No graph can be compared with these options."),
            localize(
                "--precisions と --formats を省略してください。ort は --levels all の場合だけ比較できます。",
                "Leave out --precisions and --formats; ort can only be compared with --levels all.",
            ),
        )
    for item in wanted:
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
        given = build_batch(item, workload, length, batch)
        if given is not None:
            values[name] = given
    if not values:
        return []
    found: dict[str, CandidateTimings] = measure_candidates({name: opened[name] for name in values}, values, repeats, EnergyMeter(), report)
    size = measure_size(workload.sentences[length])
    unit = "tokens" if "bert" in workload.sentences[length] else "symbols"
    return build_sentence_rows(found, f"{size} {unit}" if length in BENCH_LINES else length, batch, size, workload.seconds.get(length))
