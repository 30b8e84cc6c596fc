"""All candidates on all sentences, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.adapters.ort.backends import place_name
from app.bench.texts import LINES, text_of
from app.errors import AppError, InputError
from app.lab.compare.candidates import Graphs, Opened, candidates, open_candidate
from app.lab.compare.energy import EnergyMeter
from app.lab.compare.rows import cross_over_rows, notes, sentence_rows
from app.lab.compare.timing import Timed, timed
from app.lab.compare.work import Work, batched, size_of, work_of
from app.lab.repeats import Repeats
from app.lab.rows import Row
from app.lab.scratch import scratch_folder
from app.lab.spoken import spoken
from app.lab.subject import Subject
from app.language import localized
from app.progress import Report, part, unreported


@dataclass(frozen=True, slots=True)
class Asked:
    """What is compared with what.

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


def compare_rows(subject: Subject, asked: Asked, report: Report = unreported) -> Iterator[Row]:
    """A row a candidate, graph, length and batch; then where the winner changes, and what could not be compared."""
    report("checking", 0.0)
    given = spoken(subject, {f"{count} tokens": text_of(count) for count in asked.tokens} | LINES)
    with scratch_folder() as folder:
        work = work_of(subject, given, folder)
        opened, refused = _opened(subject, asked, work.graphs, folder)
        found: list[Row] = []
        plan = [(length, batch) for batch in asked.batches for length in work.sentences]
        for index, (length, batch) in enumerate(plan):
            of_sentence = part(report, 0.1 + 0.9 * index / len(plan), 0.1 + 0.9 * (index + 1) / len(plan))
            rows = _sentence(opened, work, asked.repeats, length, batch, of_sentence)
            found += rows
            yield from rows
    yield from cross_over_rows(found)
    yield from notes(found, refused)


def _opened(subject: Subject, asked: Asked, graphs: Graphs, folder: Path) -> tuple[dict[str, Opened], dict[str, str]]:
    """Candidates by name, and why others do not open."""
    opened, refused = dict[str, Opened](), dict[str, str]()
    wanted = candidates(graphs, asked.places, asked.levels, asked.precisions, asked.forms)
    if not wanted:
        raise InputError(
            localized("この組み合わせで比較できるグラフがありません。", "No graph can be compared with these options."),
            localized(
                "--precisions と --formats を省略してください。ort は --levels all の場合だけ比較できます。",
                "Leave out --precisions and --formats; ort can only be compared with --levels all.",
            ),
        )
    for item in wanted:
        try:
            opened[item.name] = open_candidate(item, subject, graphs, folder)
        except AppError as error:
            refused[item.name] = f"{place_name(item.place)}: {error.message} {error.hint}".strip()
    return opened, refused


def _sentence(opened: Mapping[str, Opened], work: Work, repeats: Repeats, length: str, batch: int, report: Report) -> list[Row]:
    values = {}
    for name, item in opened.items():
        given = batched(item, work, length, batch)
        if given is not None:
            values[name] = given
    if not values:
        return []
    found: dict[str, Timed] = timed({name: opened[name] for name in values}, values, repeats, EnergyMeter(), report)
    size = size_of(work.sentences[length])
    unit = "tokens" if "bert" in work.sentences[length] else "symbols"
    return sentence_rows(found, f"{size} {unit}" if length in LINES else length, batch, size, work.seconds.get(length))
