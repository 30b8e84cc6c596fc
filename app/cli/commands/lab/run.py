"""`koebako lab`: runs one part and prints what it finds."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from app.cli.atomic_output import check_output_path, write_output_file
from app.cli.commands.lab import parts_command
from app.cli.commands.lab.options import LAB_COMMANDS
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
    """Print rows as they come with `--json`, every other format at the end. Return the exit code of the part's `choose_exit_code`, else 0."""
    if options.action == "parts":
        return _print_rows(list(parts_command.list_commands(LAB_COMMANDS)), options)
    from app.lab.machine_row import build_machine_row

    # With all that opens and prepares voices, which a list of parts does not need.
    from app.lab.subject_lookup import open_subject_by_name

    for target, suffix in ((options.html, ".html"), (options.plot, ".svg"), (getattr(options, "junit", None), ".xml")):
        if target is not None:
            check_output_path(Path(target), suffix)
    chosen, ask = LAB_COMMANDS[options.action], create_licence_prompt(is_accepted=options.accept_licence, as_json=options.json)
    if hasattr(chosen, "check_options"):
        # Bad options are refused before a voice is prepared for minutes.
        chosen.check_options(options)
    found: list[Row] = []
    with (
        show_progress(as_json=options.json and options.progress) as report,
        open_subject_by_name(options.source, ask, build_part_report(report, 0.0, 0.3), print_note) as subject,
    ):
        machine = build_machine_row(getattr(options, "backend", "cpu"))
        with closing(_find_rows(chosen, subject, options, build_part_report(report, 0.3, 1.0))) as rows:
            for row in itertools.chain([machine], _list_bert_substitutes(chosen, subject, options), rows):
                found.append(row)
                if options.json:
                    print_json(row)
    if not options.json:
        print_result_lines(
            format_as_csv(found) if options.csv else format_as_markdown(found) if options.markdown else format_as_text(found)
        )
    _write_files(found, options, subject.name)
    judge = getattr(chosen, "choose_exit_code", None)
    return judge(found) if judge is not None else 0


def _list_bert_substitutes(command: ModuleType, subject: LabSubject, options: argparse.Namespace) -> list[Row]:
    """Return a notice where another BERT reads than the one that the voice was trained with, for commands that read text."""
    if not getattr(command, "READS", False) or getattr(options, "bert", None) is not None:
        return []
    from app.lab.bert_substitute import build_substitute_note

    row = build_substitute_note(subject)
    return [row] if row is not None else []


def _find_rows(command: ModuleType, subject: LabSubject, options: argparse.Namespace, report: Report) -> Generator[Row, None, None]:
    """Yield rows from a child, unless all opened files are installed, or the part has children of its own for files that may not be opened here."""
    strange = not subject.installed or getattr(options, "base", None) is not None or _is_folder(getattr(options, "bert", None))
    if strange and not getattr(command, "CONFINES_ITSELF", False):
        from app.cli.commands.lab.sandboxed_command import run_command_in_sandbox

        yield from run_command_in_sandbox(options.action, subject, vars(options), report)
    else:
        yield from command.find_rows(subject, options, report)


def _is_folder(bert: str | None) -> bool:
    """Return whether a BERT is given by its folder, which may lie anywhere, as `find_bert` sees it."""
    return bert is not None and Path(bert).is_dir()


def _print_rows(rows: Sequence[Row], options: argparse.Namespace) -> int:
    if options.json:
        for row in rows:
            print_json(row)
    else:
        print_result_lines(format_as_text(rows))
    return 0


def _write_files(rows: Sequence[Row], options: argparse.Namespace, name: str) -> None:
    if options.html is not None:
        from app.lab.report_page import format_as_html

        write_output_file(Path(options.html), format_as_html(rows, f"Koebako lab {options.action}: {name}").encode())
    if options.plot is not None:
        from app.lab.report_charts import draw_chart

        picture = draw_chart(rows)
        if picture is None:
            print_note(localize("この結果には図がありません。", "There is no picture of these results."))
        else:
            write_output_file(Path(options.plot), picture.encode())
