"""Everything that can be verified of a subject, as rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from app.bench.texts import LINES
from app.errors import AppError
from app.lab.rows import Row
from app.lab.scratch import scratch_folder
from app.lab.spoken import spoken
from app.lab.subject import Subject
from app.lab.verify.backends import backend_rows
from app.lab.verify.comparison import failed_row
from app.lab.verify.figures import exact_limit
from app.lab.verify.pairs import graph_files, optimised, precisions
from app.lab.verify.source import prepared, source_graphs
from app.lab.verify.sweep import batch_rows, length_rows
from app.lab.verify.windows import window_rows
from app.progress import Report, part, unreported


def verify_rows(subject: Subject, places: Sequence[str], *, sweep: bool, report: Report = unreported) -> Iterator[Row]:
    """A row a comparison and sentence.

    Args:
        places: other than the CPU.
        sweep: also look for shapes that break.
    """
    report("checking", 0.0)
    calls = spoken(subject, LINES).calls
    with scratch_folder() as folder:
        files = graph_files(subject, folder)
        report("checking", 0.2)
        try:
            for comparison in prepared(subject, files, calls, folder):
                yield from comparison.rows()
        except AppError as error:  # a source that runs with other inputs than ours is one finding, not the end
            yield failed_row("source", "prepared", exact_limit("source"), error)
        for comparison in itertools.chain(optimised(subject, files, calls), precisions(subject, files, calls)):
            yield from comparison.rows()
        report("checking", 0.6)
        if subject.voice is not None:
            yield from window_rows(subject.voice, files, calls)
        yield from backend_rows(subject, places, files, calls)
        if sweep:
            yield from length_rows(subject, files, calls, part(report, 0.7, 0.9))
            yield from batch_rows(files, calls)
            yield from (row | {"case": f"source: {row['case']}"} for row in batch_rows(*source_graphs(subject, calls, folder)))


def passed(rows: Sequence[Row]) -> bool:
    """Whether no limit was exceeded; lengths that no sentence has are not judged."""
    return all(row["ok"] is not False for row in rows if row["type"] == "verify")
