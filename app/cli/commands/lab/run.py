"""`koebako lab`: runs one part and prints what it finds."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.command_files import check_output_path, write_output_file
from app.cli.commands.lab.lab_part import LabPart, list_commands
from app.cli.commands.lab.lab_parts import LAB_PARTS
from app.cli.console_output import print_json, print_note, print_result_lines
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.language import localize
from app.common.progress import Report, build_part_report
from app.lab.report_rows import Row
from app.lab.report_tables import format_as_csv, format_as_markdown, format_as_text

if TYPE_CHECKING:
    from app.lab.lab_subject import LabSubject


def run(options: argparse.Namespace) -> int:
    """Print rows as they come with `--json`, every other format at the end. Return the exit code that the part chooses."""
    if options.action == "parts":
        _print_rows(list(list_commands(LAB_PARTS)), options)
        return 0
    # With all that opens and prepares voices, which a list of parts does not need.
    from app.lab.subject_lookup import open_subject_by_name

    for target, suffix in ((options.html, ".html"), (options.plot, ".svg"), (getattr(options, "junit", None), ".xml")):
        if target is not None:
            check_output_path(Path(target), suffix)
    part, ask = LAB_PARTS[options.action], create_licence_prompt(is_accepted=options.accept_licence, as_json=options.json)
    part.check_options(options)
    with (
        show_progress(as_json=options.json and options.progress) as report,
        open_subject_by_name(options.source, ask, build_part_report(report, 0.0, 0.3), print_note) as subject,
        closing(_find_rows(part, subject, options, build_part_report(report, 0.3, 1.0))) as iterator,
    ):
        rows: list[Row] = []
        for row in iterator:
            rows.append(row)
            if options.json:
                print_json(row)
    if not options.json:
        _print_rows(rows, options)
    _write_files(rows, options, subject.name)
    return part.choose_exit_code(rows)


def _find_rows(part: LabPart, subject: LabSubject, options: argparse.Namespace, report: Report) -> Generator[Row, None, None]:
    """Yield the machine, a notice where another BERT reads than the one that the voice was trained with, and what the part finds.

    That comes from a child, unless all opened files are installed, or the part has children of its own for files that may not be opened here.
    """
    from app.lab.subject_lookup import build_machine_row, build_substitute_note

    bert = getattr(options, "bert", None)
    note = build_substitute_note(subject) if part.reads_text and bert is None else None
    yield build_machine_row(getattr(options, "backend", "cpu"))
    if note is not None:
        yield note
    # A BERT may be given by its folder, which may be anywhere.
    is_strange = not subject.installed or getattr(options, "base", None) is not None or (bert is not None and Path(bert).is_dir())
    if is_strange and not part.confines_itself:
        from app.lab.graph_sandbox import run_command_in_sandbox

        yield from run_command_in_sandbox(options.action, subject, vars(options), report)
    else:
        yield from part.find_rows(subject, options, report)


def _print_rows(rows: Sequence[Row], options: argparse.Namespace) -> None:
    if options.json:
        for row in rows:
            print_json(row)
        return
    is_csv, is_markdown = (getattr(options, name, False) for name in ("csv", "markdown"))
    print_result_lines(format_as_csv(rows) if is_csv else format_as_markdown(rows) if is_markdown else format_as_text(rows))


def _write_files(rows: Sequence[Row], options: argparse.Namespace, name: str) -> None:
    if options.html is not None:
        from app.lab.report_tables import format_as_html

        write_output_file(Path(options.html), format_as_html(rows, f"Koebako lab {options.action}: {name}").encode())
    if options.plot is not None:
        from app.lab.report_charts import draw_chart

        picture = draw_chart(rows)
        if picture is None:
            print_note(localize("この結果には図がありません。", "There is no picture of these results."))
        else:
            write_output_file(Path(options.plot), picture.encode())
