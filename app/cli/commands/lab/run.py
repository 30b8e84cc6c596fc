"""`koebako lab`: runs one part and prints what it finds."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from app.cli.commands.lab import parts
from app.cli.commands.lab.options import PARTS
from app.cli.licence_prompt import licence_prompt
from app.cli.output import json_line, note, result_lines
from app.cli.progress import shown_progress
from app.cli.whole_file import check_target, write_whole
from app.lab.rows import Row
from app.lab.tables import as_csv, as_markdown, as_text
from app.language import localized
from app.progress import Report, part

if TYPE_CHECKING:
    from app.lab.subject import Subject


def run(options: argparse.Namespace) -> int:
    """Rows as they come with `--json`; every other format at the end. Exit code: see `exit_code` of a part, else 0."""
    if options.action == "parts":
        return _print(list(parts.rows(PARTS)), options)
    from app.lab.machine import machine_row
    from app.lab.opening import subject_of  # with all that opens and prepares voices, which a list of parts does not need

    for target, suffix in ((options.html, ".html"), (options.plot, ".svg"), (getattr(options, "junit", None), ".xml")):
        if target is not None:
            check_target(Path(target), suffix)
    chosen, ask = PARTS[options.action], licence_prompt(accepted=options.accept_licence, as_json=options.json)
    if hasattr(chosen, "check_options"):
        chosen.check_options(options)  # before a voice is prepared for minutes
    found: list[Row] = []
    with (
        shown_progress(as_json=options.json and options.progress) as report,
        subject_of(options.source, ask, part(report, 0.0, 0.3), note) as subject,
    ):
        machine = machine_row(getattr(options, "backend", "cpu"))
        with closing(_rows(chosen, subject, options, part(report, 0.3, 1.0))) as rows:
            for row in itertools.chain([machine], _reader(chosen, subject, options), rows):
                found.append(row)
                if options.json:
                    json_line(row)
    if not options.json:
        result_lines(as_csv(found) if options.csv else as_markdown(found) if options.markdown else as_text(found))
    _write_files(found, options, subject.name)
    judge = getattr(chosen, "exit_code", None)
    return judge(found) if judge is not None else 0


def _reader(chosen: ModuleType, subject: Subject, options: argparse.Namespace) -> list[Row]:
    """That a BERT reads which the voice was not trained with, of a part that has something read."""
    if not getattr(chosen, "READS", False) or getattr(options, "bert", None) is not None:
        return []
    from app.lab.reader import reader_row

    row = reader_row(subject)
    return [row] if row is not None else []


def _rows(chosen: ModuleType, subject: Subject, options: argparse.Namespace, report: Report) -> Generator[Row, None, None]:
    """In a child, unless all that is opened is installed, or the part has children of its own for what may not be opened here."""
    strange = not subject.installed or getattr(options, "base", None) is not None or _is_folder(getattr(options, "bert", None))
    if strange and not getattr(chosen, "CONFINES_ITSELF", False):
        from app.cli.commands.lab.confined import rows_by

        yield from rows_by(options.action, subject, vars(options), report)
    else:
        yield from chosen.rows(subject, options, report)


def _is_folder(bert: str | None) -> bool:
    """Whether a BERT is given by its folder, which may lie anywhere, as `find_bert` sees it."""
    return bert is not None and Path(bert).is_dir()


def _print(rows: Sequence[Row], options: argparse.Namespace) -> int:
    if options.json:
        for row in rows:
            json_line(row)
    else:
        result_lines(as_text(rows))
    return 0


def _write_files(rows: Sequence[Row], options: argparse.Namespace, name: str) -> None:
    if options.html is not None:
        from app.lab.page import as_html

        write_whole(Path(options.html), as_html(rows, f"Koebako lab {options.action}: {name}").encode())
    if options.plot is not None:
        from app.lab.charts import chart_of

        picture = chart_of(rows)
        if picture is None:
            note(localized("この結果には図がありません。", "There is no picture of these results."))
        else:
            write_whole(Path(options.plot), picture.encode())
