"""Everything that can be verified of a subject, as rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from app.bench.bench_texts import BENCH_LINES
from app.common.errors import AppError
from app.common.progress import Report, build_part_report, ignore_report
from app.lab.lab_subject import LabSubject
from app.lab.recorded_inputs import record_inputs
from app.lab.report_rows import Row
from app.lab.scratch_folder import create_scratch_folder
from app.lab.verify.backend_verification import verify_backends
from app.lab.verify.comparison_pairs import compare_optimised, compare_precisions, write_graph_files
from app.lab.verify.decode_window_verification import verify_decode_windows
from app.lab.verify.graph_comparison import build_failed_row
from app.lab.verify.length_sweep import verify_batches, verify_lengths
from app.lab.verify.source_comparison import compare_with_source, write_source_graphs
from app.lab.verify.verify_limits import choose_exact_limit


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
